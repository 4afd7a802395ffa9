import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Running } from '../support/service.ts';
import { type Device, deviceOf } from './device.ts';
import { type Language, programOf } from './languages.ts';
import { type FaultyProxy, type Mode, startProxy } from './proxy.ts';

const PAST = '2020-01-01 00:00:00';
const DAY = 86_400;
export interface Case {
  language: Language;
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
      language,
      api,
      proxy,
      key,
      path,
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
  // White space around a license key that somebody has pasted.
  await laptop.expect('licensed', `\t ${key} \n`);
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
export async function damagedStates({ proxy, key, device }: Case): Promise<void> {
  const tablet = device();
  await tablet.expect('licensed', key);
  const cut = (stored: string) => stored.slice(0, 20);
  for (const content of [cut, () => '', () => 'null', () => '5']) {
    tablet.damage(content);
    await tablet.expect('no key');
  }
  await tablet.expect('limit reached', key);
  // The state of an earlier program, which used the v1 API.
  tablet.damage(() => JSON.stringify({ token: 'its token' }));
  proxy.mode = 'gone';
  await tablet.expect('unreachable');
  proxy.mode = 'good';
}

/** A home that the program can read and not write: the answers of the server count all the same. */
export async function readOnlyHome({ language, api, proxy, key, path, update, device }: Case): Promise<void> {
  const laptop = device();
  await laptop.expect('licensed', key);
  // .NET sets modes from version 7 on.
  if (language.name !== 'C#') assert.ok(laptop.isPrivate(), 'only its owner reads the state file');
  laptop.protect(true);
  await laptop.expect('licensed');
  proxy.mode = 'gone';
  await laptop.expect('offline');
  proxy.mode = 'good';
  await update({ status: 'disabled' });
  await laptop.expect('disabled');
  await update({ status: 'active' });
  await api.ok('GET', `/licenses/deactivate/${laptop.token()}`);
  laptop.protect(false);

  // A device that cannot store its fingerprint would take a seat at each attempt.
  const phone = device();
  phone.protect(true);
  assert.ok(![0, 3, 4, 5, 6, 7, 8, 9].includes((await phone.run(key))[1]));
  phone.protect(false);
  assert.equal((await api.ok('GET', path)).times_activated, 0);
}
