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
  const transaction = new CommandTransaction(pool, shared, isolation, mayBeAlone);
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
class CommandTransaction implements Connection {
  readonly #pool: Pool;
  readonly #shared: Shared;
  #connecting: Promise<PostgresConnection> | undefined;
  #connection: PostgresConnection | undefined;
  #isReleased = false;
  readonly #isolation: 'read committed' | 'serializable';
  readonly #mayBeAlone: boolean;
  #state: 'none' | 'begun' | 'changed alone' = 'none';
  /** Statements that were sent, and whose results the commit reports. */
  #last: Promise<unknown>[] = [];

  constructor(pool: Pool, shared: Shared, isolation: 'read committed' | 'serializable', mayBeAlone: boolean) {
    this.#pool = pool;
    this.#shared = shared;
    this.#isolation = isolation;
    this.#mayBeAlone = mayBeAlone;
  }

  get isBroken(): boolean {
    return this.#connection?.isBroken ?? false;
  }

  /** Releases the connection, even if it comes later because another statement failed first. */
  release(): void {
    this.#isReleased = true;
    this.#connecting?.then(
      (connection) => connection.release(),
      () => {},
    );
  }

  async execute(text: string, parameters: readonly unknown[], kind?: Kind): Promise<Executed> {
    if (this.#state === 'changed alone' && !kind?.reads) {
      throw new Error('a change declared as the only one of its command was followed by another');
    }
    const mayStandAlone = this.#isolation === 'read committed' && !kind?.slow;
    if (this.#state !== 'begun' && mayStandAlone) {
      // Also after a change that ran alone, because that change is committed.
      if (kind?.reads) return this.#shared.reads.execute(text, parameters, kind);
      if (kind?.together && this.#mayBeAlone) {
        const done = await this.#shared.changes.execute(text, parameters, kind);
        if (done.affected > 0) this.#state = 'changed alone';
        return done;
      }
    }
    const connection = this.#connection ?? (await this.#connect());
    if (this.#state === 'none' && mayStandAlone && kind?.alone && this.#mayBeAlone) {
      const done = await connection.execute(text, parameters, kind);
      if (done.affected > 0) this.#state = 'changed alone';
      return done;
    }
    if (this.#state === 'none') {
      this.#state = 'begun';
      // Sent together: one round trip.
      const [, , done] = await Promise.all([
        connection.execute(`begin isolation level ${this.#isolation}`),
        kind?.slow && connection.allowSlow(),
        connection.execute(text, parameters, kind),
      ]);
      return done;
    }
    if (kind?.last) {
      const sent = connection.execute(text, parameters, kind);
      // The commit reports a failure. A command that fails earlier has no commit.
      sent.catch(() => {});
      this.#last.push(sent);
      return { rows: [], affected: 0 };
    }
    if (kind?.slow) await connection.allowSlow();
    return connection.execute(text, parameters, kind);
  }

  async end(how: 'commit' | 'rollback'): Promise<void> {
    if (how === 'rollback' && this.#state === 'changed alone') {
      throw new Error('a command was refused after its only change');
    }
    if (this.#state !== 'begun' || !this.#connection) return;
    this.#state = 'none';
    if (how === 'commit') await Promise.all([...this.#last, this.#connection.commit()]);
    else await this.#connection.execute('rollback', []);
  }

  /** Takes one connection, even for statements that are sent together. */
  async #connect(): Promise<PostgresConnection> {
    this.#connecting ??= this.#pool.connect();
    this.#connection = await this.#connecting;
    if (this.#isReleased) throw new Retry('another statement of the command has failed');
    return this.#connection;
  }
}
