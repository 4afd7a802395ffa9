import { setTimeout } from 'node:timers/promises';
import { isPerson } from '../../domain/actor.ts';
import { isRefused } from '../../domain/refusal.ts';
import type { Connection, Executed, Kind } from '../sql/statement.ts';
import { type Job, type RunJob, StoreUnavailable } from '../store.ts';
import type { Caches } from './caches.ts';
import type { Pool, PostgresConnection } from './connection.ts';
import { Retry } from './errors.ts';
import type { Bind } from './queries.ts';

/** The longest pause after the first attempt, in milliseconds. Pauses are random and grow. */
export const RETRY_MS = 20;

/**
 * Runs a function, and retries it if it fails because of concurrent transactions, until `patience` milliseconds have
 * passed.
 * @throws StoreUnavailable
 */
export async function retrying<T>(patience: number, run: () => Promise<T>): Promise<T> {
  const until = performance.now() + patience;
  for (let attempt = 0; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof Retry)) throw error;
      if (attempt + 1 >= error.tries) throw error.cause ?? error;
      if (performance.now() > until)
        throw new StoreUnavailable('concurrent changes kept preventing this one', { cause: error });
      await setTimeout(Math.random() * RETRY_MS * Math.min(attempt + 1, 10));
    }
  }
}

/** Connections that commands share. */
export interface Shared {
  /**
   * Runs a read before the first change, if it need not see one snapshot with others. A command holds no connection
   * for it.
   */
  reads: Connection;
  /** Runs a change that is the only one of its command. */
  changes: Connection;
}

export async function runOnce(
  pool: Pool,
  shared: Shared,
  job: Job,
  runJob: RunJob,
  bind: Bind,
  { wanted, forget }: Pick<Caches, 'wanted' | 'forget'>,
): Promise<unknown> {
  const isolation = job.guarded ? 'read committed' : 'serializable';
  const events = await wanted.get();
  // A command of a person also inserts an audit entry, and any command inserts the events that are wanted: then its
  // change may not be the only one.
  const mayBeAlone = !isPerson(job.actor) && events.size === 0;
  const transaction = commandTransaction(pool, shared, isolation, mayBeAlone);
  let changesCached = false;
  const onCached = () => {
    changesCached = true;
  };
  try {
    const result = await runJob(bind(transaction, { events, onCached }), job);
    await transaction.end(isRefused(result) ? 'rollback' : 'commit');
    // This node does not wait for its own notification.
    if (changesCached) forget();
    return result;
  } catch (error) {
    // The server rolls back a broken connection by itself.
    if (!transaction.isBroken) await transaction.end('rollback').catch(() => {});
    throw error;
  } finally {
    transaction.release();
  }
}

/**
 * The transaction of one command. `begin` is sent together with the first statement that needs it. At read committed, reads
 * before the first change need no transaction, nor does the only change of a command.
 */
function commandTransaction(
  pool: Pool,
  shared: Shared,
  isolation: 'read committed' | 'serializable',
  mayBeAlone: boolean,
) {
  let connecting: Promise<PostgresConnection> | undefined;
  let connection: PostgresConnection | undefined;
  let isReleased = false;
  let state: 'none' | 'begun' | 'changed alone' = 'none';
  /** Statements that were sent, and whose results the commit reports. */
  const last: Promise<unknown>[] = [];

  /** Takes one connection, even for statements that are sent together. */
  async function connect(): Promise<PostgresConnection> {
    connecting ??= pool.connect();
    connection = await connecting;
    if (isReleased) throw new Retry('another statement of the command has failed');
    return connection;
  }

  return {
    get isBroken(): boolean {
      return connection?.isBroken ?? false;
    },

    /** Releases the connection, even if it comes later because another statement failed first. */
    release(): void {
      isReleased = true;
      connecting?.then(
        (one) => one.release(),
        () => {},
      );
    },

    async execute(text: string, parameters: readonly unknown[], kind?: Kind): Promise<Executed> {
      if (state === 'changed alone' && !kind?.reads) {
        throw new Error('a change declared as the only one of its command was followed by another');
      }
      if (state !== 'begun' && isolation === 'read committed' && !kind?.slow) {
        // Also after a change that ran alone, because that change is committed.
        if (kind?.reads) return shared.reads.execute(text, parameters, kind);
        if (kind?.together && mayBeAlone) {
          const done = await shared.changes.execute(text, parameters, kind);
          if (done.affected > 0) state = 'changed alone';
          return done;
        }
      }
      const taken = connection ?? (await connect());
      if (state === 'none') {
        state = 'begun';
        // Sent together: one round trip.
        const [, , done] = await Promise.all([
          taken.execute(`begin isolation level ${isolation}`),
          kind?.slow && taken.allowSlow(),
          taken.execute(text, parameters, kind),
        ]);
        return done;
      }
      if (kind?.last) {
        const sent = taken.execute(text, parameters, kind);
        // The commit reports a failure. A command that fails earlier has no commit.
        sent.catch(() => {});
        last.push(sent);
        return { rows: [], affected: 0 };
      }
      if (kind?.slow) await taken.allowSlow();
      return taken.execute(text, parameters, kind);
    },

    async end(how: 'commit' | 'rollback'): Promise<void> {
      if (how === 'rollback' && state === 'changed alone') {
        throw new Error('a command was refused after its only change');
      }
      if (state !== 'begun' || !connection) return;
      state = 'none';
      if (how === 'commit') await Promise.all([...last, connection.commit()]);
      else await connection.execute('rollback', []);
    },
  };
}
