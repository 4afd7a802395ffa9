import { setTimeout } from 'node:timers/promises';
import type { Connection, Executed, Kind } from '../sql/statement.ts';
import { type Job, type RunJob, StoreUnavailable } from '../store.ts';
import type { Pool, PostgresConnection } from './connection.ts';
import { Retry } from './errors.ts';
import type { Bind } from './queries.ts';

/** Milliseconds, at random up to so many, between two tries. */
export const RETRY_MS = 20;

/** Does again what lost against others, after a while that grows and is never the same for two. */
export async function retrying<T>(patience: number, run: () => Promise<T>): Promise<T> {
  const until = performance.now() + patience;
  for (let attempt = 0; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof Retry)) throw error;
      if (attempt + 1 >= error.tries) throw error.cause ?? error;
      if (performance.now() > until)
        throw new StoreUnavailable('others kept changing the same', { cause: error });
      await setTimeout(Math.random() * RETRY_MS * Math.min(attempt + 1, 10));
    }
  }
}

export async function runOnce(
  pool: Pool,
  job: Job,
  runJob: RunJob,
  bind: Bind,
  forgetApiKeys: () => void,
): Promise<unknown> {
  const connection = await pool.connect();
  const transaction = new CommandTransaction(connection, job.guarded ? 'read committed' : 'serializable');
  let changesApiKeys = false;
  const onApiKeys = () => {
    changesApiKeys = true;
  };
  try {
    const result = await runJob(bind(transaction, onApiKeys), job);
    await transaction.end(isRefused(result) ? 'rollback' : 'commit');
    // This node must not wait to hear what it has just said itself.
    if (changesApiKeys) forgetApiKeys();
    return result;
  } catch (error) {
    // Of a connection that is broken the server rolls back by itself.
    if (!connection.isBroken) await transaction.end('rollback').catch(() => {});
    throw error;
  } finally {
    connection.release();
  }
}

const isRefused = (result: unknown): boolean => (result as { ok?: unknown } | null)?.ok === false;

/**
 * The transaction of one command. It begins on the way of the first statement that needs it: read committed, statements
 * before the first change stand as well alone, and a change that is the only one does, too.
 */
class CommandTransaction implements Connection {
  readonly #connection: PostgresConnection;
  readonly #isolation: 'read committed' | 'serializable';
  #state: 'none' | 'begun' | 'changed alone' = 'none';
  /** What is under way and ends with the commit. */
  #last: Promise<unknown>[] = [];

  constructor(connection: PostgresConnection, isolation: 'read committed' | 'serializable') {
    this.#connection = connection;
    this.#isolation = isolation;
  }

  async execute(text: string, parameters: readonly unknown[], kind?: Kind): Promise<Executed> {
    if (this.#state === 'changed alone' && !kind?.reads) {
      throw new Error('a change that was to be the only one of its command was followed by another');
    }
    const mayStandAlone = this.#isolation === 'read committed' && !kind?.slow;
    if (this.#state === 'none' && mayStandAlone && (kind?.reads || kind?.alone)) {
      const done = await this.#connection.execute(text, parameters, kind);
      if (kind.alone && done.affected > 0) this.#state = 'changed alone';
      return done;
    }
    if (this.#state === 'none') {
      this.#state = 'begun';
      // It travels with the statement.
      const [, , done] = await Promise.all([
        this.#connection.execute(`begin isolation level ${this.#isolation}`),
        kind?.slow && this.#connection.allowSlow(),
        this.#connection.execute(text, parameters, kind),
      ]);
      return done;
    }
    if (kind?.last) {
      const sent = this.#connection.execute(text, parameters, kind);
      // Looked at by the commit that travels behind it; a command that fails in between has no commit.
      sent.catch(() => {});
      this.#last.push(sent);
      return { rows: [], affected: 0 };
    }
    if (kind?.slow) await this.#connection.allowSlow();
    return this.#connection.execute(text, parameters, kind);
  }

  async end(how: 'commit' | 'rollback'): Promise<void> {
    if (how === 'rollback' && this.#state === 'changed alone') {
      throw new Error('a command that has made its only change can not be refused any more');
    }
    if (this.#state !== 'begun') return;
    this.#state = 'none';
    if (how === 'commit') await Promise.all([...this.#last, this.#connection.commit()]);
    else await this.#connection.execute('rollback', []);
  }
}
