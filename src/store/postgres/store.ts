import { setTimeout } from 'node:timers/promises';
import { createKeyring } from '../keyring.ts';
import { claimFingerprint, readFingerprint } from '../sql/meta.ts';
import { isMigrated, migrate } from '../sql/migrate.ts';
import type { Connection, Executed, Kind } from '../sql/statement.ts';
import { type Job, type Reads, type RunJob, type Store, StoreUnavailable, WrongMasterKey } from '../store.ts';
import { cacheApiKeys } from './api-keys.ts';
import { Pool, type PostgresConnection, postgresDb, postgresMigrationTools } from './connection.ts';
import { Retry } from './errors.ts';
import { type Bind, postgresQueries } from './queries.ts';

export interface PostgresOptions {
  url: string;
  masterKey: Uint8Array;
  /** Connections at most, for requests; lists have some of their own. */
  connections: number;
  pooler: boolean;
  /** Longest time, in milliseconds, that a command is tried again. */
  patience: number;
}
export interface OpenPostgres extends PostgresOptions {
  /** A copy of the database that is read for lists; null for none. */
  replicaUrl: string | null;
  /** Whether single records are read from the copy, too, outside commands. */
  replicaReadsAll: boolean;
  runJob: RunJob;
}

/** Milliseconds that a statement of a request, of a list, of a start may take. */
const REQUEST_MS = 10_000;
const REPORT_MS = 30_000;
const START_MS = 600_000;
export const REPORT_CONNECTIONS = 4;
/** Commands that may wait for a connection. */
const WAITING_MAX = 10_000;
/** Whoever migrates holds it: any number that nobody else uses. */
export const MIGRATION_LOCK = 7_203_318_406;
/** A migration that waits for a lock keeps everybody else waiting behind it, so it gives up soon and tries again. */
const LOCK_TIMEOUT = '2s';

/**
 * Applies migrations, one process at a time. Where everything is in place it only looks.
 * @returns names of the migrations that were applied
 * @throws WrongMasterKey, StoreUnavailable
 */
export async function preparePostgres(options: PostgresOptions): Promise<string[]> {
  const { fingerprint } = createKeyring(options.masterKey);
  return withOneConnection(options, async (connection) => {
    if (await isPrepared(connection, fingerprint)) return [];
    for (const until = performance.now() + options.patience; ; ) {
      try {
        return await migrateUnderLock(connection, fingerprint);
      } catch (error) {
        await connection.execute('rollback');
        const isLocked = error instanceof StoreUnavailable && !connection.isBroken;
        if (!(error instanceof Retry || isLocked) || performance.now() > until) throw error;
        await setTimeout(RETRY_MS);
      }
    }
  });
}

/** Of the database's master key; null where it has none yet, or is empty. */
export const readPostgresFingerprint = (
  options: Omit<PostgresOptions, 'masterKey'>,
): Promise<string | null> =>
  withOneConnection(options, async (connection) =>
    (await hasTable(connection, 'meta')) ? readFingerprint(connection, postgresDb) : null,
  );

async function withOneConnection<T>(
  { url, pooler }: Pick<PostgresOptions, 'url' | 'pooler'>,
  use: (connection: PostgresConnection) => Promise<T>,
): Promise<T> {
  const pool = new Pool({ url, pooler, max: 1, timeout: START_MS });
  try {
    const connection = await pool.connect();
    return await use(connection).finally(() => connection.release());
  } finally {
    await pool.end();
  }
}

async function hasTable(connection: Connection, table: string): Promise<boolean> {
  const { rows } = await connection.execute('select to_regclass($1) is not null as there', [table]);
  return (rows as { there: boolean }[])[0]?.there === true;
}

async function isPrepared(connection: Connection, fingerprint: string): Promise<boolean> {
  if (!(await hasTable(connection, 'schema_migrations'))) return false;
  return (await isMigrated(connection)) && (await readFingerprint(connection, postgresDb)) === fingerprint;
}

async function migrateUnderLock(connection: PostgresConnection, fingerprint: string): Promise<string[]> {
  await connection.execute('begin', []);
  await connection.execute('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
  await connection.execute(`set local lock_timeout = '${LOCK_TIMEOUT}'`, []);
  const applied = await migrate(connection, postgresDb, postgresMigrationTools);
  if (!(await claimFingerprint(connection, postgresDb, fingerprint))) throw new WrongMasterKey();
  await connection.commit();
  return applied;
}

/** Opens a prepared database. */
export function openPostgres(options: OpenPostgres): Store {
  const { url, pooler, connections, replicaUrl, patience } = options;
  const bind = postgresQueries(createKeyring(options.masterKey));
  const requests = new Pool({ url, pooler, patience, max: connections, timeout: REQUEST_MS });
  const reports = new Pool({ url, pooler, max: REPORT_CONNECTIONS, timeout: REPORT_MS });
  const replica =
    replicaUrl === null ? null : new Pool({ url: replicaUrl, pooler, max: connections, timeout: REPORT_MS });
  const lists = replica ? preferring(replica.reader, reports.reader) : reports.reader;
  const single = replica && options.replicaReadsAll ? lists : requests.reader;
  const primary = bind(requests.reader);
  const apiKeys = cacheApiKeys(primary.apiKeys, { url, pooler });
  const running = new Set<Promise<unknown>>();
  let closed: Promise<void> | undefined;
  async function close(): Promise<void> {
    await Promise.allSettled(running);
    await Promise.all([apiKeys.close(), requests.end(), reports.end(), replica?.end()]);
  }
  return {
    read: reads({ ...primary, apiKeys: { ...primary.apiKeys, ...apiKeys.reads } }, bind(single), bind(lists)),
    shared: true,
    run: (job) => {
      if (closed) return Promise.reject(new StoreUnavailable('the store is closing'));
      if (requests.waiting >= WAITING_MAX)
        return Promise.reject(new StoreUnavailable('too many changes are waiting'));
      const result = retrying(patience, () => runOnce(requests, job, options.runJob, bind, apiKeys.forget));
      running.add(result);
      const ended = () => running.delete(result);
      result.then(ended, ended);
      return result;
    },
    async ready() {
      try {
        return await isMigrated(requests.reader);
      } catch {
        return false;
      }
    },
    close() {
      closed ??= close();
      return closed;
    },
  };
}

/** Single records and lists, each from where they are to come from. */
function reads(primary: Reads, single: Reads, lists: Reads): Reads {
  return {
    licenses: { ...single.licenses, list: lists.licenses.list, after: lists.licenses.after },
    activations: single.activations,
    generators: { ...single.generators, list: lists.generators.list },
    software: { ...single.software, list: lists.software.list },
    releases: { ...single.releases, list: lists.releases.list },
    downloads: lists.downloads,
    // Asked for what was written a moment ago, or whether bytes may go: a copy may not know yet.
    apiKeys: primary.apiKeys,
    users: primary.users,
    staged: primary.staged,
    artifacts: primary.artifacts,
  };
}

/** Reads from a copy; from the original where the copy is away, or cannot answer just now. */
function preferring(copy: Connection, original: Connection): Connection {
  return {
    execute: (text, parameters, kind) =>
      copy.execute(text, parameters, kind).catch((error) => {
        if (!(error instanceof StoreUnavailable)) throw error;
        return original.execute(text, parameters, kind);
      }),
  };
}

const RETRY_MS = 20;

/** Does again what lost against others, after a while that grows and is never the same for two. */
async function retrying<T>(patience: number, run: () => Promise<T>): Promise<T> {
  const until = performance.now() + patience;
  for (let attempt = 0; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof Retry)) throw error;
      if (performance.now() > until)
        throw new StoreUnavailable('others kept changing the same', { cause: error });
      await setTimeout(Math.random() * RETRY_MS * Math.min(attempt + 1, 10));
    }
  }
}

async function runOnce(
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
    await transaction.end('rollback').catch(() => {});
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

  constructor(connection: PostgresConnection, isolation: 'read committed' | 'serializable') {
    this.#connection = connection;
    this.#isolation = isolation;
  }

  async execute(text: string, parameters: readonly unknown[], kind?: Kind): Promise<Executed> {
    if (this.#state === 'changed alone' && !kind?.reads) {
      throw new Error('a change that was to be the only one of its command was followed by another');
    }
    if (this.#state === 'none' && this.#isolation === 'read committed' && (kind?.reads || kind?.alone)) {
      const done = await this.#connection.execute(text, parameters, kind);
      if (kind.alone && done.affected > 0) this.#state = 'changed alone';
      return done;
    }
    if (this.#state === 'begun') return this.#connection.execute(text, parameters, kind);
    this.#state = 'begun';
    // Both at once: it travels with the statement.
    const [, done] = await Promise.all([
      this.#connection.execute(`begin isolation level ${this.#isolation}`, []),
      this.#connection.execute(text, parameters, kind),
    ]);
    return done;
  }

  async end(how: 'commit' | 'rollback'): Promise<void> {
    if (how === 'rollback' && this.#state === 'changed alone') {
      throw new Error('a command that has made its only change can not be refused any more');
    }
    if (this.#state !== 'begun') return;
    this.#state = 'none';
    if (how === 'commit') await this.#connection.commit();
    else await this.#connection.execute('rollback', []);
  }
}
