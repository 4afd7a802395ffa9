import { statSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import type { KeyBundle } from '../keys/key-bundle.ts';
import { createKeyring, UnknownSealingKey } from '../keys/keyring.ts';
import { queries } from '../sql/index.ts';
import { keyRefresh, REFRESH_MS, refreshRegularly, withFreshKeys } from '../sql/keys/key-refresh.ts';
import { type Job, type RunJob, StoreDamaged, StoreUnavailable, type Transaction } from '../store.ts';
import {
  beside,
  existing,
  identityOf,
  SqliteConnection,
  sqliteDb,
  sqliteMigrationTools,
} from './connection.ts';

/** What the thread is started with. */
export interface WriterSetup {
  file: string;
  keys: KeyBundle;
  /** Longest time, in milliseconds, that a job waits for another process to let go of the database. */
  patience: number;
  /** Whether other processes serve from the same file. */
  shared: boolean;
  /** The file that is read from, by `identityOf`. */
  identity: string | null;
}

export interface NumberedJob {
  id: number;
  job: Job;
}
export type ToWriter = NumberedJob[] | 'close';
/** Errors that the other thread must tell apart; a class does not survive the way there. */
export type ErrorKind = 'unavailable' | 'damaged' | 'other';
export type FromWriter = Answer[];
export type Answer =
  | { id: number; result: unknown }
  | { id: number; error: { kind: ErrorKind; message: string; stack: string | undefined } };

/** One transaction holds at most this many jobs, and begins no other after this many milliseconds. */
const BATCH_JOBS = 256;
const BATCH_MS = 50;
/**
 * While jobs come side by side, a transaction begins no sooner than this many milliseconds after the one before, so that
 * more of them share it: it saves some tenth of the processor time of a mixed load.
 */
const GROUP_MS = 2;
/** Milliseconds for which jobs count as coming side by side after the last time that they did. */
const CROWDED_MS = 50;
/** Pages in SQLite's log when one process puts it back: four times SQLite's choice, which saves a tenth of activating. */
const LOG_PAGES = 4_000;
/** Milliseconds between two tries for a lock that another process holds. */
const RETRY_MS = 2;

/** Bytes that SQLite's log may grow by before it is put back into the database file: as many as SQLite would let it. */
const LOG_BYTES = 4 * 1024 ** 2;
/** Milliseconds that putting it back may wait for other processes, for each MiB: the longer the log, the more it matters. */
const LOG_PATIENCE_MS = 10;
const LOG_PATIENCE_MAX_MS = 5_000;

interface Waiting extends NumberedJob {
  since: number;
}

/**
 * The writer thread: the only writer of this process. It runs whatever has queued up as one transaction, a savepoint
 * for each job, so that many jobs share one disk sync, and answers nobody before that.
 */
export function runWriter(port: MessagePort, setup: WriterSetup, runJob: RunJob): void {
  const connection = new SqliteConnection(existing(setup.file), { readOnly: false, timeout: setup.patience });
  connection.exec('pragma busy_timeout = 0');
  const keyring = createKeyring(setup.keys);
  const transaction = queries(sqliteDb, keyring, sqliteMigrationTools)(connection);
  const tryRefresh = keyRefresh(sqliteDb, keyring, connection);
  let refreshedAt = Number.NEGATIVE_INFINITY;
  const refreshKeys = async () => {
    refreshedAt = performance.now();
    // After a failure, the keys that are held still open what they did.
    await tryRefresh().catch(() => {});
  };
  connection.exec(`pragma wal_autocheckpoint = ${setup.shared ? 0 : LOG_PAGES}`);
  const shortenLog = setup.shared ? createLogKeeper(connection, beside(setup.file, '-wal')) : () => {};
  const pause = new Int32Array(new SharedArrayBuffer(4));
  let queue: Waiting[] = [];
  let closing = false;
  /** When the last transaction began, and when jobs last came faster than one at a time. */
  let begunAt = Number.NEGATIVE_INFINITY;
  let crowdedAt = Number.NEGATIVE_INFINITY;
  let working = false;

  const take = (message: ToWriter) => {
    if (message === 'close') closing = true;
    else for (const { id, job } of message) queue.push({ id, job, since: performance.now() });
  };
  const takeAll = () => {
    for (let got = receiveMessageOnPort(port); got; got = receiveMessageOnPort(port)) take(got.message);
  };

  port.on('message', (message: ToWriter) => {
    take(message);
    if (!working) void work();
  });

  // A writer without jobs must hear of each step of a rotation, too.
  const stopRefreshing = refreshRegularly(async () => {
    if (!working) await refreshKeys();
  });

  port.on('messageerror', (error) => {
    throw error;
  });

  async function work(): Promise<void> {
    working = true;
    while (queue.length > 0) {
      const now = performance.now();
      if (now - crowdedAt < CROWDED_MS) Atomics.wait(pause, 0, 0, Math.max(0, begunAt + GROUP_MS - now));
      begunAt = performance.now();
      takeAll();
      const answers = await runBatch();
      port.postMessage(answers);
      if (answers.length > 1 || queue.length > 0) crowdedAt = performance.now();
      // Lets messages in, and another process at the lock.
      await setImmediate();
      takeAll();
    }
    working = false;
    if (!closing) return;
    stopRefreshing();
    connection.close();
    port.close();
  }

  /** A file that was moved away or replaced can still be written to, and nobody would find it there any more. */
  function findFile(): void {
    let found: string | null;
    try {
      found = identityOf(setup.file);
    } catch (error) {
      const message = `${(error as Error).message}: see that its folder can be reached by the user whom latchkey runs as`;
      throw new StoreUnavailable(message, { cause: error });
    }
    if (found === setup.identity) return;
    throw new StoreUnavailable(
      `${setup.file} has been moved away, removed or replaced: put it back, or restart the server to use what is there now`,
    );
  }

  async function runBatch(): Promise<Answer[]> {
    try {
      findFile();
      while (!connection.begin()) {
        takeAll();
        const late = performance.now() - setup.patience;
        const refused = queue.filter(({ since }) => since <= late);
        if (refused.length > 0) {
          queue = queue.filter(({ since }) => since > late);
          return refused.map(({ id }) =>
            failure(id, new StoreUnavailable('the database is locked by another process')),
          );
        }
        Atomics.wait(pause, 0, 0, RETRY_MS);
      }
    } catch (error) {
      return queue.splice(0).map(({ id }) => failure(id, error));
    }

    const started = performance.now();
    const batch: Waiting[] = [];
    const answers: Answer[] = [];
    try {
      if (started - refreshedAt > REFRESH_MS) await refreshKeys();
      while (queue.length > 0 && batch.length < BATCH_JOBS && performance.now() - started < BATCH_MS) {
        const waiting = queue.shift() as Waiting;
        batch.push(waiting);
        answers.push(await runOne(waiting));
        takeAll();
      }
      connection.run('commit', []);
      findFile();
    } catch (error) {
      // Nothing of the batch is kept, so every job of it has failed, those that had run included.
      if (connection.inTransaction) connection.exec('rollback');
      return batch.map(({ id }) => failure(id, error));
    }
    // Before the answers: in this moment others who want the lock are still asleep.
    shortenLog();
    connection.forgetSecrets();
    return answers;
  }

  async function runOne(waiting: Waiting): Promise<Answer> {
    try {
      return await withFreshKeys(refreshKeys, () => runInSavepoint(connection, transaction, waiting, runJob));
    } catch (error) {
      if (error instanceof UnknownSealingKey) return failure(waiting.id, error);
      throw error;
    }
  }
}

/**
 * SQLite puts its log back without keeping writers off. Where several processes write all the time one of them has always
 * added to it meanwhile, and it would never begin anew, but grow, and every commit would try again.
 */
function createLogKeeper(connection: SqliteConnection, log: string): () => void {
  let enough = LOG_BYTES;
  return () => {
    const size = sizeOf(log);
    if (size < LOG_BYTES) enough = LOG_BYTES;
    if (size < enough) return;
    const patience = Math.min(Math.round((size / 1024 ** 2) * LOG_PATIENCE_MS), LOG_PATIENCE_MAX_MS);
    try {
      connection.exec(`pragma busy_timeout = ${patience}; pragma wal_checkpoint(truncate)`);
    } catch {
      // Another process is at it, or the disk is full, which the next commit finds, too.
    }
    connection.exec('pragma busy_timeout = 0');
    // While somebody reads for long it cannot be done: it is tried again when there is more to gain.
    const left = sizeOf(log);
    enough = left + Math.max(LOG_BYTES, left / 4);
  };
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/** @throws UnknownSealingKey, of which nothing is left; and what keeps the transaction from going on */
async function runInSavepoint(
  connection: SqliteConnection,
  transaction: Transaction,
  { id, job }: Waiting,
  runJob: RunJob,
): Promise<Answer> {
  connection.run('savepoint job', []);
  let answer: Answer;
  let keep = false;
  let unknown: UnknownSealingKey | null = null;
  try {
    const result = await runJob(transaction, job);
    keep = !(typeof result === 'object' && result !== null && 'ok' in result && result.ok === false);
    answer = { id, result };
  } catch (error) {
    if (!connection.inTransaction) throw error;
    answer = failure(id, error);
    if (error instanceof UnknownSealingKey) unknown = error;
  }
  if (!keep) connection.run('rollback to job', []);
  connection.run('release job', []);
  if (unknown) throw unknown;
  return answer;
}

function kindOf(error: unknown): ErrorKind {
  if (error instanceof StoreUnavailable) return 'unavailable';
  return error instanceof StoreDamaged ? 'damaged' : 'other';
}

function failure(id: number, error: unknown): Answer {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  return { id, error: { kind: kindOf(error), message, stack } };
}
