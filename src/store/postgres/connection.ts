import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
} from 'kysely';
import pg from 'pg';
import type { EngineTools } from '../migrations/migration.ts';
import type { Schema } from '../sql/schema.ts';
import type { Connection, Executed, Kind } from '../sql/statement.ts';
import { StoreUnavailable } from '../store.ts';
import { appendOnly } from './append-only.ts';
import { counting } from './counting.ts';
import { meaningOf, Retry } from './errors.ts';

/** Compiles the shared queries to PostgreSQL's SQL. It runs nothing itself. */
export const postgresDb = new Kysely<Schema>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

export const postgresMigrationTools: EngineTools = {
  types: {
    id: 'bigint',
    // By default: a copy of another database brings its own ids.
    identity: (column) => column.primaryKey().generatedByDefaultAsIdentity(),
    bigint: 'bigint',
    datetime: sql`timestamp(0)`,
    bytes: sql`bytea`,
  },
  table: (builder) => builder,
  // Writing it waits for no disk and no standby.
  scratch: (builder) => builder.modifyFront(sql`unlogged`),
  counting,
  lowered: (column) => sql<string>`(lower(${sql.ref(column)} collate "C"))`,
  appendOnly,
};

/** Datetimes as text and 64-bit integers as numbers, as the schema has them (references stay below 2^53). */
const PARSERS: ReadonlyMap<number, (text: string) => unknown> = new Map<number, (text: string) => unknown>([
  [pg.types.builtins.INT8, Number],
  [pg.types.builtins.NUMERIC, Number],
  [pg.types.builtins.TIMESTAMP, (text) => text],
]);
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format: 'text' | 'binary') =>
    PARSERS.get(oid) ?? pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};

export interface PoolOptions {
  url: string;
  /** Connections at most. */
  max: number;
  /** Milliseconds that a statement may take. */
  timeout: number;
  /** Milliseconds of it that it may wait for others to let go of what it wants. */
  patience?: number;
  /** A pooler is between, which gives each transaction another connection of the server. */
  pooler: boolean;
  /** Is told of a process of the server that has not answered in time, and may still be at work. */
  onSilent?(processId: number): void;
}

/** Milliseconds to wait for a free connection, or for a new one to come about. */
const CONNECT_MS = 1_500;
/** How much later than the server's own the limit on this side is, for where the server says nothing any more. */
const SILENCE_MS = 1_000;

/** Whatever the database, or its user, has for a custom: a date that begins with its day compares as one of the past. */
const DATES = 'datestyle=ISO';
/** Nor what a transaction is where nothing is said of it. */
const ISOLATION = 'default_transaction_isolation=read\\ committed';
/** Milliseconds for a statement that works on many rows. */
const SLOW_MS = 600_000;
/** Milliseconds after which a connection at rest is asked whether it is still there. */
const PROBE_MS = 10_000;

export const clientOptions = ({ url, timeout, patience = timeout, pooler }: Omit<PoolOptions, 'max'>) =>
  ({
    connectionString: url,
    application_name: 'latchkey',
    types,
    keepAlive: true,
    keepAliveInitialDelayMillis: PROBE_MS,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: timeout + SILENCE_MS,
    // A pooler refuses settings that it does not know, and does not keep order among the statements of a connection.
    ...(!pooler && {
      statement_timeout: timeout,
      lock_timeout: patience,
      options: `-c ${DATES} -c ${ISOLATION}`,
      pipeline: true,
    }),
  }) satisfies pg.ClientConfig & { pipeline?: boolean };

/** Times that a read is tried which keeps losing against others, as in deadlocks with a migration. */
const READ_TRIES = 5;

/** Connections to one server. */
export class Pool {
  readonly #pool: pg.Pool;
  readonly #options: PoolOptions;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#pool = new pg.Pool({ ...clientOptions(options), max: options.max, idleTimeoutMillis: 60_000 });
    // Of a connection that was idle: the pool has let go of it, and whoever comes next gets another.
    this.#pool.on('error', () => {});
    // Of one that is lent out: whoever has it finds out by the next statement. Unheard it would end the process.
    this.#pool.on('connect', (client) => {
      client.on('error', () => {});
      // One of the few settings that a pooler keeps for whom it is; what fails here fails again with the first statement.
      if (options.pooler) client.query(`set ${DATES}`).catch(() => {});
    });
  }

  /** Requests that wait for a connection. */
  get waiting(): number {
    return this.#pool.waitingCount;
  }

  /** @throws StoreUnavailable */
  async connect(): Promise<PostgresConnection> {
    try {
      return new PostgresConnection(await this.#pool.connect(), this.#options);
    } catch (error) {
      throw meaningOf(error).error;
    }
  }

  /** Runs statements that only read, each on whatever connection is free; again, where that was not their fault. */
  readonly reader: Connection = {
    execute: async (text, parameters, kind) => {
      for (let attempt = 1; ; attempt++) {
        const connection = await this.connect();
        try {
          // What one connection prepared before a migration, others did, too: once that fails, it is done without.
          return await connection.execute(text, parameters, attempt === 1 ? kind : undefined);
        } catch (error) {
          const isRetry = error instanceof Retry;
          if (isRetry && attempt === READ_TRIES) throw new StoreUnavailable(error.message, { cause: error });
          // A server that has gone away is asked once more: all that were connected to it find out one by one.
          const hasGone = connection.isBroken && !connection.isSilent;
          if (!isRetry && (attempt > 1 || !hasGone)) throw error;
        } finally {
          connection.release();
        }
      }
    },
  };

  async end(): Promise<void> {
    await this.#pool.end();
  }
}

/** One connection, for as long as it is not released. */
export class PostgresConnection implements Connection {
  readonly #client: pg.PoolClient;
  readonly #pooler: boolean;
  readonly #onSilent: PoolOptions['onSilent'];
  #broken = false;
  #silent = false;
  #last: Promise<unknown> = Promise.resolve();

  constructor(client: pg.PoolClient, { pooler, onSilent }: Pick<PoolOptions, 'pooler' | 'onSilent'>) {
    this.#client = client;
    this.#pooler = pooler;
    this.#onSilent = onSilent;
  }

  /** It cannot be used any more. */
  get isBroken(): boolean {
    return this.#broken;
  }
  /** It is broken because nothing was heard on it any more. */
  get isSilent(): boolean {
    return this.#silent;
  }

  /** @throws UniqueViolation, StoreUnavailable, StoreDamaged, Retry */
  async execute(text: string, parameters: readonly unknown[] = [], kind?: Kind): Promise<Executed> {
    // Behind a pooler the next transaction may be on a connection that knows nothing of what was prepared.
    const name = this.#pooler ? null : kind?.name;
    const values = parameters.map(toBuffer);
    const { rows, rowCount } = await this.#query({
      ...{ text, values, ...(name && { name }) },
      ...(kind?.slow && { query_timeout: SLOW_MS }),
    });
    return { rows, affected: rowCount ?? 0 };
  }

  /** Gives the rest of the transaction the time that many rows want. */
  async allowSlow(): Promise<void> {
    await this.execute(`set local statement_timeout = ${SLOW_MS}`);
  }

  /** @throws Retry where the server has rolled back instead, as it does after a statement that failed */
  async commit(): Promise<void> {
    const { command } = await this.#query({ text: 'commit' });
    if (command !== 'COMMIT') throw new Retry('the transaction was rolled back');
  }

  async #query(config: pg.QueryConfig): Promise<pg.QueryResult> {
    const send = async () => {
      if (this.#broken) throw new StoreUnavailable('the connection is lost');
      return this.#client.query(config);
    };
    // Without pipelining the driver wants one statement to be answered before it is given the next.
    const query = this.#pooler ? this.#last.then(send) : send();
    this.#last = query.catch(() => {});
    try {
      return await query;
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error;
      const meaning = meaningOf(error);
      this.#broken ||= meaning.broken;
      this.#silent ||= (error as Error).message === READ_TIMEOUT;
      throw meaning.error;
    }
  }

  release(): void {
    this.#client.release(this.#broken);
    const { processID } = this.#client as pg.PoolClient & { processID?: number };
    if (this.#silent && !this.#pooler && processID) this.#onSilent?.(processID);
  }
}

/** What the driver says where the server says nothing. */
const READ_TIMEOUT = 'Query read timeout';

/** The driver takes bytes for bytes only in a Buffer. */
const toBuffer = (value: unknown): unknown =>
  value instanceof Uint8Array && !Buffer.isBuffer(value)
    ? Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    : value;
