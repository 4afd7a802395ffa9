import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { createExecute, runJob } from '../../src/app/execute.ts';
import { SYSTEM } from '../../src/domain/actor.ts';
import { toDatetime } from '../../src/domain/datetime.ts';
import { databaseFile } from '../../src/installation/engines.ts';
import { createKeyring } from '../../src/store/keys/keyring.ts';
import { queries } from '../../src/store/sql/index.ts';
import { SqliteConnection, sqliteEngine } from '../../src/store/sqlite/connection.ts';
import { openSqlite, prepareSqlite } from '../../src/store/sqlite/store.ts';
import { cpuMicroseconds } from '../run/cpu.ts';
import { BENCH, keyOf, MASTER_KEY, tokenOf } from '../run/dataset.ts';
import { quantile } from '../run/load.ts';
import { sqliteDatabase } from '../run/sqlite.ts';
import { median, round } from '../run/turns.ts';

const LICENSES = 10_000;
const ROUNDS = 5;
/** Per round. */
const ACTIVATIONS = 1_024;
const LOOKING_SECONDS = 2;

export interface WayOfWriting {
  /** Processor time of all threads per activation, with 1 and with 64 activations at a time. */
  cpu_us_1: number;
  cpu_us_64: number;
  /** How long a look-up takes, including the wait for its turn, while activations come 64 at a time. */
  look_up_p50_ms: number;
  look_up_p99_ms: number;
}

/**
 * Measures what the writer thread gains, and what its messages cost. The same activations go through the writer thread,
 * and run in place on the thread that answers requests, with a savepoint for each and one commit per batch, as in the
 * writer thread. While jobs come fast, the writer thread also begins at most one transaction every `GROUP_MS`
 * (src/store/sqlite/writer.ts); in place nothing waits.
 */
export async function measureThread(): Promise<Record<'thread' | 'in_place', WayOfWriting>> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-writes-'));
  const file = databaseFile(folder);
  const masterKey = Buffer.from(MASTER_KEY, 'hex');
  const patience = 15_000;
  const { keys } = await prepareSqlite({ file, masterKey, patience, version: '' });
  await sqliteDatabase(folder).fill(BENCH, LICENSES);

  const writer = () => new URL('../../src/installation/writer-thread.ts', import.meta.url);
  const store = openSqlite({ file, keys, patience, writer, shared: false });
  const { execute } = createExecute(store, Date.now);
  const connection = new SqliteConnection(file, { readOnly: false, timeout: 15_000 });
  const transaction = queries(sqliteEngine, createKeyring(keys))(connection);

  const ways = {
    async thread(amount: number) {
      const activations = Array.from({ length: amount }, () => execute(NAME, input(), SYSTEM));
      for (const { ok } of await Promise.all(activations)) if (!ok) throw new Error('refused');
    },
    async in_place(amount: number) {
      connection.exec('begin immediate');
      for (let i = 0; i < amount; i++) {
        connection.exec('savepoint job');
        const now = toDatetime(Date.now());
        await runJob(transaction, { name: NAME, input: input(), actor: SYSTEM, now, guarded: true });
        connection.exec('release job');
      }
      connection.exec('commit');
    },
  };

  async function cpu(write: (amount: number) => Promise<void>, batch: number): Promise<number> {
    const before = cpuMicroseconds(process.pid);
    for (let done = 0; done < ACTIVATIONS; done += batch) await write(batch);
    return (cpuMicroseconds(process.pid) - before) / ACTIVATIONS;
  }

  /** Returns milliseconds, sorted. */
  async function lookUps(write: (amount: number) => Promise<void>): Promise<number[]> {
    const times: number[] = [];
    const end = performance.now() + LOOKING_SECONDS * 1_000;
    const writing = (async () => {
      while (performance.now() < end) {
        await write(64);
        await setImmediate();
      }
    })();
    for (let asked = performance.now(); asked < end; asked = performance.now()) {
      await setImmediate();
      await store.read.activations.findByToken(tokenOf(1 + (times.length % LICENSES), 0));
      times.push(performance.now() - asked);
    }
    await writing;
    return times.sort((a, b) => a - b);
  }

  try {
    const taken = new Map<string, number[]>();
    for (let nth = -1; nth < ROUNDS; nth++) {
      for (const [name, write] of Object.entries(ways)) {
        for (const batch of [1, 64]) {
          const used = await cpu(write, batch);
          // The first round only lets V8 compile.
          if (nth >= 0) taken.set(`${name} ${batch}`, [...(taken.get(`${name} ${batch}`) ?? []), used]);
        }
      }
    }
    const figures = async (name: keyof typeof ways): Promise<WayOfWriting> => {
      const times = await lookUps(ways[name]);
      return {
        cpu_us_1: round(median(taken.get(`${name} 1`) ?? []), 1),
        cpu_us_64: round(median(taken.get(`${name} 64`) ?? []), 1),
        look_up_p50_ms: round(quantile(times, 0.5), 3),
        look_up_p99_ms: round(quantile(times, 0.99)),
      };
    };
    return { thread: await figures('thread'), in_place: await figures('in_place') };
  } finally {
    connection.close();
    await store.close();
    rmSync(folder, { recursive: true });
  }
}

const NAME = 'activate-license';
const input = () => ({
  named: keyOf(1 + Math.floor(Math.random() * LICENSES)),
  token: null,
  software: null,
  label: 'Bench',
  meta: { os: 'linux' },
  source: 2 as const,
  ipAddress: '127.0.0.1',
  userAgent: 'acme/2.0 (bench)',
});
