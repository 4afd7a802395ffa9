import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { keyIdOf, sealingKeyOf } from '../../src/store/keys/key-bundle.ts';
import { databaseEnvironment, ENGINE, numberOf, rowsOf, runSql } from './engine.ts';
import { cleanEnvironment } from './process.ts';
import { PROGRAM } from './program.ts';
import { until } from './until.ts';

export type Environment = Record<string, string>;

/** Starts `latchkey master-key rotate`, which is killed after the test. */
export async function startRotation(
  t: { after(stop: () => unknown): void },
  dataDir: string,
  settle: number,
  env: Environment = {},
): Promise<ChildProcess> {
  const args = [...PROGRAM, 'master-key', 'rotate', '--settle', String(settle)];
  const child = spawn(process.execPath, args, {
    env: {
      ...cleanEnvironment(),
      LATCHKEY_DATA_DIR: dataDir,
      ...(await databaseEnvironment(dataDir)),
      ...env,
    },
    // Why a rotation ended early stands in the output of the tests.
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  return child;
}

/** Kills a rotation. @throws if it has already ended */
export async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  if (child.exitCode !== null || !child.kill('SIGKILL'))
    throw new Error(`the rotation had ended with ${child.exitCode}`);
  await ended;
}

/** Suspends a server while it has no transaction open: housekeeping may be running. */
export async function suspend(dataDir: string, child: ChildProcess): Promise<void> {
  await until(async () => {
    child.kill('SIGSTOP');
    // On a busy machine, the threads run on until one of them has got the signal.
    await until(() => isStopped(child));
    if (await hasNoTransaction(dataDir)) return true;
    child.kill('SIGCONT');
    return false;
  });
}

/** Whether all threads of a process are stopped. Known only on Linux; elsewhere assumed. */
function isStopped({ pid }: ChildProcess): boolean {
  if (process.platform !== 'linux') return true;
  const threads = join('/proc', String(pid), 'task');
  return readdirSync(threads).every((one) =>
    /^State:\s+T/m.test(readFileSync(join(threads, one, 'status'), 'utf8')),
  );
}

/** Transactions of other connections to a database on PostgreSQL. */
const TRANSACTIONS = `select count(*) from pg_stat_activity
  where datname = current_database() and xact_start is not null and pid <> pg_backend_pid()`;

async function hasNoTransaction(dataDir: string): Promise<boolean> {
  if (ENGINE === 'postgres') return (await numberOf(dataDir, TRANSACTIONS)) === 0;
  return runSql(dataDir, 'begin immediate; rollback').then(
    () => true,
    () => false,
  );
}

/** Returns the step of the rotation in progress; null if there is none. */
export async function stepOf(dataDir: string): Promise<string | null> {
  const [row] = await rowsOf(dataDir, "select value from meta where name = 'master_key_rotation'");
  return row ? JSON.parse(String(row.value)).step : null;
}

/** Waits until the rotation is at a step. @throws if it ends before */
export async function atStep(dataDir: string, child: ChildProcess, step: string): Promise<void> {
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`the rotation ended with ${child.exitCode}`);
    return (await stepOf(dataDir)) === step;
  });
}

export const keyFile = (dataDir: string, name = 'master.key'): Buffer =>
  Buffer.from(readFileSync(join(dataDir, name), 'utf8').trim(), 'hex');

/** Counts the license keys in the database, including staged ones, that are not sealed under this master key. */
export async function restElsewhere(dataDir: string, masterKey: Uint8Array): Promise<number> {
  const id = keyIdOf(sealingKeyOf(masterKey));
  const other =
    ENGINE === 'sqlite'
      ? `lower(hex(substr(sealed_key, 1, 5))) <> '02${id}'`
      : `encode(substr(sealed_key, 1, 5), 'hex') <> '02${id}'`;
  const counts = ['licenses', 'staged_licenses'].map(
    (table) => `(select count(*) from ${table} where ${other})`,
  );
  return numberOf(dataDir, `select ${counts.join(' + ')}`);
}
