import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Running } from '../support/service.ts';
import { type Language, programOf } from './languages.ts';
import { type FaultyProxy, type Mode, startProxy } from './proxy.ts';

const OUTCOMES = {
  licensed: [0, 'Licensed.'],
  offline: [0, 'Licensed. The license server did not answer.'],
  'no key': [3, 'Not activated: enter your license key.'],
  'unknown key': [4, 'Unknown license key: check your input.'],
  'limit reached': [5, 'Limit reached: release another device first.'],
  expired: [6, 'Expired: renew your license.'],
  disabled: [7, 'Disabled: ask the vendor about your license.'],
  deactivated: [8, 'Deactivated: enter your license key to use this device again.'],
  unreachable: [9, 'Unreachable: connect to the internet and try again.'],
} as const;
type Outcome = keyof typeof OUTCOMES;

const PAST = '2020-01-01 00:00:00';
const DAY = 86_400;
/** Milliseconds, longer than any program waits. */
const MAX_RUN_MS = 30_000;

/**
 * A device: a home folder in which a program keeps its state. All devices are on one machine, so the
 * fingerprint comes from this folder and not from the system.
 */
interface Device {
  /** Runs the program and checks its output and exit code. */
  expect(outcome: Outcome, key?: string): Promise<void>;
  /** Returns the token that the program has stored. */
  token(): string;
  /** Replaces a stored value, or removes it. */
  store(what: 'token' | 'fingerprint', value: string | undefined): void;
  /** Moves the stored times into the past, as if time had passed since the last good answer. */
  age(seconds: number): void;
  /** Replaces the state file. @param content the stored text, to damage */
  damage(content: (stored: string) => string): void;
}

export interface Case {
  api: Running;
  proxy: FaultyProxy;
  /** A license key, and the path of its license, which has one seat. */
  key: string;
  path: string;
  update(values: Record<string, unknown>): Promise<unknown>;
  /** Creates a device. */
  device(): Device;
}

/** Runs the program of a page through the cases, each with its own license. */
export async function checkProgram(
  t: { skip(message: string): void; after(stop: () => void): void },
  api: Running,
  language: Language,
  cases: readonly ((one: Case) => Promise<void>)[],
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-program-'));
  const proxy = await startProxy(api.port);
  t.after(() => {
    proxy.close();
    rmSync(folder, { recursive: true });
  });
  writeFileSync(
    join(folder, language.file),
    programOf(language).replaceAll('https://licenses.example.com', proxy.origin),
  );
  const commandFor = language.prepare(folder);
  if (commandFor === null) return t.skip(`${language.name} is not installed`);

  for (const run of cases) {
    // Characters that break careless JSON code.
    const key = `ACME/1 ü"\\&? ${language.name} ${run.name}`;
    const path = `/licenses/${encodeURIComponent(key)}`;
    await api.license({ license_key: key, activations_limit: 1 });
    await run({
      ...{ api, proxy, key, path },
      update: (json) => api.ok('PUT', path, { json }),
      device: () => deviceOf(mkdtempSync(join(folder, 'home-')), commandFor),
    });
  }
}

/** Every outcome once. */
export async function everyOutcome({ api, proxy, key, path, update, device }: Case): Promise<void> {
  const laptop = device();
  await laptop.expect('no key');
  // The device has its seat and does not know.
  proxy.mode = 'lost';
  await laptop.expect('unreachable', key);
  proxy.mode = 'good';
  await laptop.expect('licensed', key);
  await laptop.expect('licensed');
  // Keys and tokens appear in no URL.
  assert.deepEqual([...new Set(proxy.requests)], ['POST /client/v1/activate', 'POST /client/v1/validate']);
  const { activations } = await api.ok('GET', path);
  assert.equal(activations.length, 1);
  assert.match(activations[0].label, /\w/, 'the label names the device');
  const phone = device();
  await phone.expect('limit reached', key);
  await phone.expect('unknown key', 'ACME-0000');

  for (const mode of ['busy', 'portal', 'silent'] satisfies Mode[]) {
    proxy.mode = mode;
    await laptop.expect('offline');
  }
  proxy.mode = 'gone';
  laptop.age(15 * DAY);
  await laptop.expect('unreachable');
  proxy.mode = 'good';

  await update({ expires_at: PAST });
  await laptop.expect('expired');
  await update({ expires_at: null, status: 'disabled' });
  await laptop.expect('disabled');
  await update({ status: 'active' });
  await api.ok('GET', `/licenses/deactivate/${laptop.token()}`);
  await laptop.expect('deactivated');
  await laptop.expect('licensed', key);
}

/** Other situations of a program. */
export async function unusualCases({ api, proxy, key, path, update, device }: Case): Promise<void> {
  const tablet = device();
  // Refused and unanswered activations leave only the fingerprint.
  proxy.mode = 'gone';
  await tablet.expect('unreachable', key);
  proxy.mode = 'good';
  await tablet.expect('unknown key', 'ACME-0000');
  await tablet.expect('no key');
  await tablet.expect('licensed', key);
  // A mistyped key does not cost the existing activation.
  await tablet.expect('unknown key', 'ACME-0000');

  const notAboutTheLicense: Mode[] = [
    'gone',
    'too many',
    'no route',
    'other JSON',
    'other object',
    'other login',
  ];
  for (const mode of notAboutTheLicense) {
    proxy.mode = mode;
    await tablet.expect('offline');
  }
  tablet.age(13 * DAY);
  await tablet.expect('offline');
  // The clock was set back.
  tablet.age(-30 * DAY);
  await tablet.expect('unreachable');
  proxy.mode = 'good';

  // The grace period ends with the license.
  const soon = new Date(Date.now() + 2 * DAY * 1000).toISOString().slice(0, 19).replace('T', ' ');
  await update({ expires_at: soon });
  await tablet.expect('licensed');
  proxy.mode = 'gone';
  tablet.age(DAY);
  await tablet.expect('offline');
  tablet.age(2 * DAY);
  await tablet.expect('unreachable');
  proxy.mode = 'good';

  // A refusal ends the grace period, and the vendor may revoke the refusal.
  for (const [values, back, outcome] of [
    [{ expires_at: PAST }, { expires_at: null }, 'expired'],
    [{ status: 'disabled' }, { status: 'active' }, 'disabled'],
  ] as const) {
    await tablet.expect('licensed');
    await update(values);
    await tablet.expect(outcome);
    proxy.mode = 'gone';
    await tablet.expect('unreachable');
    proxy.mode = 'good';
    await device().expect(outcome, key);
    await update(back);
    await tablet.expect('licensed');
  }

  await api.ok('GET', `/licenses/deactivate/${tablet.token()}`);
  await tablet.expect('deactivated');
  proxy.mode = 'gone';
  await tablet.expect('unreachable');
  proxy.mode = 'good';
  await tablet.expect('licensed', key);
  // The state was copied from another device.
  tablet.store('fingerprint', 'another');
  await tablet.expect('deactivated');
  await tablet.expect('limit reached', key);

  // The program used the v1 API before.
  await api.ok('GET', `/licenses/deactivate/${tablet.token()}`);
  const { token } = await api.ok('POST', `/licenses/activate/${encodeURIComponent(key)}`);
  tablet.store('token', token);
  tablet.store('fingerprint', undefined);
  await tablet.expect('licensed');
  await api.ok('DELETE', path);
  await tablet.expect('deactivated');
}

/** State files that a full disk, a power cut, or something else has left. */
export async function damagedStates({ key, device }: Case): Promise<void> {
  const tablet = device();
  await tablet.expect('licensed', key);
  const cut = (stored: string) => stored.slice(0, 20);
  for (const content of [cut, () => '', () => 'null', () => '5']) {
    tablet.damage(content);
    await tablet.expect('no key');
  }
  await tablet.expect('limit reached', key);
}

function deviceOf(home: string, commandFor: (home: string) => string[]): Device {
  const [command, ...args] = commandFor(home);
  const stateFile = (): string => {
    const name = readdirSync(home, { recursive: true }).find((one) =>
      String(one).endsWith('acme-license.json'),
    );
    return join(home, String(name));
  };
  const read = (): Record<string, unknown> => JSON.parse(readFileSync(stateFile(), 'utf8'));
  const change = (names: RegExp, to: (value: unknown) => unknown): void => {
    const entries = Object.entries(read()).map(([name, value]) => [
      name,
      names.test(name) ? to(value) : value,
    ]);
    writeFileSync(stateFile(), JSON.stringify(Object.fromEntries(entries)));
  };
  return {
    async expect(outcome, key) {
      const child = spawn(command as string, [...args, ...(key === undefined ? [] : [key])], {
        cwd: home,
        env: { PATH: process.env.PATH, LANG: 'C.UTF-8', HOME: home },
        timeout: MAX_RUN_MS,
      });
      const [stdout, stderr, [code]] = await Promise.all([
        child.stdout.toArray(),
        child.stderr.toArray(),
        once(child, 'close'),
      ]);
      const [expected, message] = OUTCOMES[outcome];
      assert.deepEqual([`${stdout.join('')}${stderr.join('')}`, code], [`${message}\n`, expected]);
    },
    token: () => String(Object.entries(read()).find(([name]) => /token/i.test(name))?.[1]),
    store: (what, value) => change(new RegExp(what, 'i'), () => value),
    damage: (content) => writeFileSync(stateFile(), content(readFileSync(stateFile(), 'utf8'))),
    age: (seconds) => change(/^(?!.*(token|fingerprint))/i, (value) => earlier(value, seconds)),
  };
}

/**
 * Returns a stored time moved into the past: seconds, milliseconds or text as in the API. Returns other
 * values unchanged.
 */
function earlier(value: unknown, seconds: number): unknown {
  if (typeof value === 'number') return value - (value > 1e11 ? seconds * 1000 : seconds);
  if (!/^\d{4}-/.test(String(value))) return value;
  const time = new Date(Date.parse(String(value)) - seconds * 1000);
  return time.toISOString().replace(/\.\d+/, '');
}
