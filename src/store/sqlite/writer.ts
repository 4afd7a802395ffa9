import { statSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { isRefused } from '../../domain/refusal.ts';
import { addTo } from '../../metrics/tally.ts';
import type { KeyBundle } from '../keys/key-bundle.ts';
import { createKeyring, UnknownSealingKey } from '../keys/keyring.ts';
import { queries } from '../sql/index.ts';
import { keyRefresh, REFRESH_MS, refreshRegularly, withFreshKeys } from '../sql/keys/key-refresh.ts';
import {
  type Job,
  type RunJob,
  StoreDamaged,
  type StoreFigures,
  StoreUnavailable,
  type Transaction,
} from '../store.ts';
import { beside, existing, identityOf, SqliteConnection, sqliteDb, sqliteEngine } from './connection.ts';
import { rememberWanted } from './wanted-events.ts';

/** The data that the thread is started with. */
export interface WriterSetup {
  file: string;
  keys: KeyBundle;
  /** Longest time, in milliseconds, that a job waits for another process to release its lock. */
  patience: number;
  /** Whether other processes serve from the same file. */
  shared: boolean;
  /** `identityOf` the file that the readers have open. */
  identity: string | null;
  /** Memory that the thread shares with the main thread. */
  commits: NonNullable<StoreFigures['commits']>;
}

export interface NumberedJob {
  id: number;
  job: Job;
}
export type ToWriter = NumberedJob[] | 'close';
export type FromWriter = Answer[];
/** Messages do not keep classes: `kind` tells the main thread which error it is. */
export type Answer = { id: number; result: unknown } | { id: number; error: SentError };
export interface SentError {
  kind: 'unavailable' | 'damaged' | 'other';
  message: string;
  stack: string | undefined;
}

/** A transaction runs at most this many jobs, and starts none after this many milliseconds. */
const BATCH_JOBS = 256;
const BATCH_MS = 50;
/**
 * While jobs are concurrent, a transaction begins at least this many milliseconds after the previous one, so that more jobs
 * share it. That saves about a tenth of the CPU time of a mixed load.
 */
const GROUP_MS = 2;
/** Milliseconds for which jobs count as concurrent after they last were. */
const CONCURRENT_MS = 50;
/** Pages in the log at which a single process checkpoints it: four times SQLite's default, a tenth faster activations. */
const LOG_PAGES = 4_000;
/** Milliseconds between two attempts to take a lock that another process holds. */
const RETRY_MS = 2;

/** Bytes that the log may grow by before it is checkpointed: SQLite's default. */
const LOG_BYTES = 4 * 1024 ** 2;
/** Milliseconds that a checkpoint may wait for other processes, for each MiB of the log. */
const LOG_PATIENCE_MS = 10;
const LOG_PATIENCE_MAX_MS = 5_000;

interface Waiting extends NumberedJob {
  since: number;
}

/**
 * Runs the writer thread, the only writer of this process. It runs the queued jobs as one transaction with a savepoint for
 * each, so that many jobs share one disk sync, and answers them after the commit.
 */
export function runWriter(port: MessagePort, setup: WriterSetup, runJob: RunJob): void {
  const connection = new SqliteConnection(existing(setup.file), { readOnly: false, timeout: setup.patience });
  connection.exec('pragma busy_timeout = 0');
  const keyring = createKeyring(setup.keys);
  const { transaction, begun } = rememberWanted(queries(sqliteEngine, keyring)(connection), () =>
    connection.dataVersion(),
  );
  const tryRefresh = keyRefresh(sqliteDb, keyring, connection);
  let refreshedAt = Number.NEGATIVE_INFINITY;
  const refreshKeys = async () => {
    refreshedAt = performance.now();
    // After a failure, the known keys still decrypt what they did before.
    await tryRefresh().catch(() => {});
  };
  connection.exec(`pragma wal_autocheckpoint = ${setup.shared ? 0 : LOG_PAGES}`);
  const checkpoint = setup.shared ? createCheckpoints(connection, beside(setup.file, '-wal')) : () => {};
  const pause = new Int32Array(new SharedArrayBuffer(4));
  let queue: Waiting[] = [];
  let closing = false;
  /** When the last transaction began, and when jobs were last concurrent. */
  let begunAt = Number.NEGATIVE_INFINITY;
  let concurrentAt = Number.NEGATIVE_INFINITY;
  let working = false;

  const take = (message: ToWriter) => {
    if (message === 'close') closing = true;
    else for (const one of message) queue.push({ ...one, since: performance.now() });
  };
  const takeAll = () => {
    for (let got = receiveMessageOnPort(port); got; got = receiveMessageOnPort(port)) take(got.message);
  };

  port.on('message', (message: ToWriter) => {
    take(message);
    if (!working) void work();
  });

  // A writer without jobs must follow each step of a rotation, too.
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
      if (now - concurrentAt < CONCURRENT_MS)
        Atomics.wait(pause, 0, 0, Math.max(0, begunAt + GROUP_MS - now));
      begunAt = performance.now();
      takeAll();
      const answers = await runBatch();
      port.postMessage(answers);
      if (answers.length > 1 || queue.length > 0) concurrentAt = performance.now();
      // Receives messages, and lets another process take the lock.
      await setImmediate();
      takeAll();
    }
    working = false;
    if (!closing) return;
    stopRefreshing();
    connection.close();
    port.close();
  }

  /**
   * Refuses to write to a file that was moved or replaced: writes could succeed, but the changes would be lost.
   * @throws StoreUnavailable
   */
  function checkFile(): void {
    let found: string | null;
    try {
      found = identityOf(setup.file);
    } catch (error) {
      const message = `${(error as Error).message}: check that the user that latchkey runs as can reach its folder`;
      throw new StoreUnavailable(message, { cause: error });
    }
    if (found === setup.identity) return;
    throw new StoreUnavailable(
      `${setup.file} has been moved away, removed or replaced: put it back, or restart the server to use the present file`,
    );
  }

  async function runBatch(): Promise<Answer[]> {
    try {
      checkFile();
      while (!connection.begin()) {
        takeAll();
        const late = performance.now() - setup.patience;
        const refused = queue.filter(({ since }) => since <= late);
        if (refused.length > 0) {
          queue = queue.filter(({ since }) => since > late);
          const error = new StoreUnavailable('the database is locked by another process');
          return refused.map(({ id }) => failure(id, error));
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
      begun();
      if (started - refreshedAt > REFRESH_MS) await refreshKeys();
      while (queue.length > 0 && batch.length < BATCH_JOBS && performance.now() - started < BATCH_MS) {
        const waiting = queue.shift() as Waiting;
        batch.push(waiting);
        answers.push(await runOne(waiting));
        takeAll();
      }
      const committing = performance.now();
      connection.commit();
      addTo(setup.commits.seconds, (performance.now() - committing) / 1_000);
      addTo(setup.commits.changes, batch.length);
      checkFile();
    } catch (error) {
      // The whole batch is rolled back, so all of its jobs have failed.
      connection.rollback();
      return batch.map(({ id }) => failure(id, error));
    }
    // Before the answers: other processes that wait for the lock are still asleep.
    checkpoint();
    connection.forgetSecrets();
    return answers;
  }

  const runOne = (waiting: Waiting): Promise<Answer> =>
    withFreshKeys(refreshKeys, () => runInSavepoint(connection, transaction, waiting, runJob)).catch(
      (error) => {
        if (error instanceof UnknownSealingKey) return failure(waiting.id, error);
        throw error;
      },
    );
}

/**
 * Checkpoints the log of several processes. SQLite's own checkpoints do not lock out writers: where several processes write
 * all the time, the log would never be empty, and would grow without end.
 */
function createCheckpoints(connection: SqliteConnection, log: string): () => void {
  let enough = LOG_BYTES;
  return () => {
    const size = sizeOf(log);
    if (size < LOG_BYTES) enough = LOG_BYTES;
    if (size < enough) return;
    const patience = Math.min(Math.round((size / 1024 ** 2) * LOG_PATIENCE_MS), LOG_PATIENCE_MAX_MS);
    try {
      connection.exec(`pragma busy_timeout = ${patience}; pragma wal_checkpoint(truncate)`);
    } catch {
      // Another process checkpoints, or the disk is full, which the next commit reports.
    }
    connection.exec('pragma busy_timeout = 0');
    // A long read prevents a full checkpoint. The next attempt waits until the log has grown.
    const left = sizeOf(log);
    enough = left + Math.max(LOG_BYTES, left / 4);
  };
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/** @throws UnknownSealingKey after a rollback to the savepoint; errors that have ended the transaction */
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
    keep = !isRefused(result);
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

function failure(id: number, error: unknown): Answer {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  let kind: SentError['kind'] = 'other';
  if (error instanceof StoreUnavailable) kind = 'unavailable';
  else if (error instanceof StoreDamaged) kind = 'damaged';
  return { id, error: { kind, message, stack } };
}
