import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unprivileged } from '../support/faults/unprivileged.ts';

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

/** Milliseconds, longer than any program waits. */
const MAX_RUN_MS = 30_000;

/**
 * A device: a home folder in which a program keeps its state. All devices are on one machine, so the
 * fingerprint comes from this folder and not from the system.
 */
export interface Device {
  /** Runs the program and checks its output and exit code. */
  expect(outcome: Outcome, key?: string): Promise<void>;
  /** Runs the program, and returns its output and exit code. */
  run(key?: string): Promise<[output: string, code: number]>;
  /** Makes the home folder and its files read-only, or writable again. */
  protect(isProtected: boolean): void;
  /** Whether other users cannot read the state file. */
  isPrivate(): boolean;
  /** Returns the token that the program has stored. */
  token(): string;
  /** Replaces a stored value, or removes it. */
  store(what: 'token' | 'fingerprint', value: string | undefined): void;
  /** Moves the stored times into the past, as if time had passed since the last good answer. */
  age(seconds: number): void;
  /** Replaces the state file. @param content the stored text, to damage */
  damage(content: (stored: string) => string): void;
}

/** Returns a device. @param commandFor returns the command that runs the program in a home folder */
export function deviceOf(home: string, commandFor: (home: string) => string[]): Device {
  const [command, ...args] = [...unprivileged, ...commandFor(home)];
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
  const run = async (key?: string): Promise<[output: string, code: number]> => {
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
    return [`${stdout.join('')}${stderr.join('')}`, code];
  };
  return {
    run,
    async expect(outcome, key) {
      const [expected, message] = OUTCOMES[outcome];
      assert.deepEqual(await run(key), [`${message}\n`, expected]);
    },
    token: () => String(Object.entries(read()).find(([name]) => /token/i.test(name))?.[1]),
    store: (what, value) => change(new RegExp(what, 'i'), () => value),
    isPrivate: () => (statSync(stateFile()).mode & 0o077) === 0,
    protect(isProtected) {
      chmodSync(home, isProtected ? 0o555 : 0o755);
      for (const name of readdirSync(home)) chmodSync(join(home, name), isProtected ? 0o444 : 0o600);
    },
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
