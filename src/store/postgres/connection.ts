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
import { type Connection, type Executed, type Kind, statement } from '../sql/statement.ts';
import { type PoolFigures, StoreUnavailable } from '../store.ts';
import { meaningOf, Retry } from './errors.ts';
import { appendOnly, counting } from './triggers.ts';

/** Compiles the shared queries to SQL. It runs nothing itself. */
export const postgresDb = new Kysely<Schema>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

/** Never back: an id of a deleted row is not used again. */
const ADVANCE = `
  select setval(its_ids, greatest(max(id), pg_sequence_last_value(its_ids)))
  from $table, (select pg_get_serial_sequence('$table', 'id')::regclass as its_ids) as sequence group by its_ids`;

const JSON_TYPES = { text: sql`text`, number: sql`bigint`, datetime: sql`timestamp(0)` };

export const postgresMigrationTools: EngineTools = {
  types: {
    id: 'bigint',
    // By default: a copy of another database keeps its ids.
    identity: (column) => column.primaryKey().generatedByDefaultAsIdentity(),
    bigint: 'bigint',
    datetime: sql`timestamp(0)`,
    bytes: sql`bytea`,
  },
  table: (builder) => builder,
  // Changes wait for no disk and no standby.
  scratch: (builder) => builder.modifyFront(sql`unlogged`),
  counting,
  lowered: (column) => sql<string>`(lower(${sql.ref(column)} collate "C"))`,
  // `for update` would also lock out activations, which refer to a license.
  lockRows: sql`for no key update`,
  fromJson: (column, name, type) => {
    const value = sql`(${sql.ref(column)}::json ->> ${sql.lit(name)})`;
    return type === 'bytes' ? sql`decode(${value}, 'hex')` : sql`cast(${value} as ${JSON_TYPES[type]})`;
  },
  advanceIds: (table) => statement(ADVANCE.replaceAll('$table', table)),
  appendOnly,
};

/** Returns datetimes as text and 64-bit integers as numbers (references stay below 2^53). */
const PARSERS = new Map<number, (text: string) => unknown>([
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
  /** Milliseconds that a statement may wait for a lock. By default, as long as it may take. */
  patience?: number;
  /** Milliseconds to wait for a free connection, or for a new one; `CONNECT_MS` by default. */
  connectTimeout?: number | undefined;
  /** Whether a pooler is in front of the server, which gives each transaction another connection. */
  pooler: boolean;
  /** Called with the server process of a connection that has not answered in time. It may still be running. */
  onSilent?(processId: number): void;
}

/** Milliseconds to wait for a free connection, or for a new one to be established. */
const CONNECT_MS = 1_500;
/** Milliseconds after the server's time limit until the client gives up on a silent server. */
const SILENCE_MS = 1_000;

/** Set for each connection, because a database or a user may have other defaults. */
const DATES = 'datestyle=ISO';
const ISOLATION = 'default_transaction_isolation=read\\ committed';
/** Milliseconds for a statement that works on many rows. */
const SLOW_MS = 600_000;
/** Milliseconds after which an idle connection is probed. */
const PROBE_MS = 10_000;

export const clientOptions = ({
  url,
  timeout,
  patience = timeout,
  connectTimeout = CONNECT_MS,
  pooler,
}: Omit<PoolOptions, 'max'>) =>
  ({
    connectionString: url,
    application_name: 'latchkey',
    types,
    keepAlive: true,
    keepAliveInitialDelayMillis: PROBE_MS,
    connectionTimeoutMillis: connectTimeout,
    query_timeout: timeout + SILENCE_MS,
    // A pooler refuses settings that it does not know, and does not keep the order of pipelined statements.
    ...(!pooler && {
      statement_timeout: timeout,
      lock_timeout: patience,
      options: `-c ${DATES} -c ${ISOLATION}`,
      pipeline: true,
    }),
  }) satisfies pg.ClientConfig & { pipeline?: boolean };

/** Attempts of a read that loses deadlocks, for example with a migration. */
const READ_TRIES = 5;

/** A pool of connections to one server. */
export class Pool {
  readonly #pool: pg.Pool;
  readonly #options: PoolOptions;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#pool = new pg.Pool({ ...clientOptions(options), max: options.max, idleTimeoutMillis: 60_000 });
    // An idle connection failed. The pool has removed it.
    this.#pool.on('error', () => {});
    // A connection in use failed: its next statement fails. Without a listener, the process would end.
    this.#pool.on('connect', (client) => {
      client.on('error', () => {});
      // Poolers keep this setting for each client. If it fails, the first statement fails, too.
      if (options.pooler) client.query(`set ${DATES}`).catch(() => {});
    });
  }

  /** Number of requests that wait for a connection. */
  get waiting(): number {
    return this.#pool.waitingCount;
  }

  figures(name: PoolFigures['name']): PoolFigures {
    const { totalCount: open, idleCount: idle } = this.#pool;
    return { name, max: this.#options.max, open, idle, waiting: this.waiting };
  }

  /** @throws StoreUnavailable */
  async connect(): Promise<PostgresConnection> {
    try {
      return new PostgresConnection(await this.#pool.connect(), this.#options);
    } catch (error) {
      throw meaningOf(error).error;
    }
  }

  /** Runs reads, each on any free connection. Retries those that fail because of their connection or a deadlock. */
  readonly reader: Connection = {
    execute: async (text, parameters, kind) => {
      for (let attempt = 1; ; attempt++) {
        const connection = await this.connect();
        try {
          // After a migration, prepared statements fail on all connections, so the retry does not use one.
          return await connection.execute(text, parameters, attempt === 1 ? kind : undefined);
        } catch (error) {
          const isRetry = error instanceof Retry;
          if (isRetry && attempt === READ_TRIES) throw new StoreUnavailable(error.message, { cause: error });
          // Retried once: after a restart of the server, each of its connections fails once.
          const hasGone = connection.isBroken && !connection.isSilent;
          if (!isRetry && (attempt > 1 || !hasGone)) throw error;
        } finally {
          connection.release();
        }
      }
    },
  };

  /** Runs statements that are transactions by themselves, each on any free connection. */
  readonly once: Connection = {
    execute: async (text, parameters, kind) => {
      const connection = await this.connect();
      try {
        return await connection.execute(text, parameters, kind);
      } finally {
        connection.release();
      }
    },
  };

  async end(): Promise<void> {
    await this.#pool.end();
  }
}

/** Milliseconds to wait for a connection outside requests. */
const OPEN_MS = 30_000;

/** Opens one connection. `close` rolls back what was not committed. */
export async function openConnection({
  url,
  pooler,
  timeout,
  connectTimeout = OPEN_MS,
}: Omit<PoolOptions, 'max' | 'patience'>) {
  const pool = new Pool({ url, pooler, timeout, connectTimeout, max: 1 });
  const connection = await pool.connect().catch(async (error) => {
    await pool.end();
    throw error;
  });
  const close = async () => {
    await connection.execute('rollback').catch(() => {});
    connection.release();
    await pool.end();
  };
  return { connection, close, [Symbol.asyncDispose]: close };
}

/** One connection, until it is released. */
export class PostgresConnection implements Connection {
  readonly #client: pg.PoolClient;
  readonly #options: Pick<PoolOptions, 'pooler' | 'onSilent'>;
  /** Whether it can no longer be used. */
  isBroken = false;
  /** Whether it is broken because the server has not answered in time. */
  isSilent = false;
  #last: Promise<unknown> = Promise.resolve();

  constructor(client: pg.PoolClient, options: Pick<PoolOptions, 'pooler' | 'onSilent'>) {
    this.#client = client;
    this.#options = options;
  }

  /** @throws UniqueViolation, StoreUnavailable, StoreDamaged, Retry */
  async execute(text: string, parameters: readonly unknown[] = [], kind?: Kind): Promise<Executed> {
    // Behind a pooler, the next transaction may use a connection without the prepared statement.
    const name = this.#options.pooler ? null : kind?.name;
    const values = parameters.map(toBuffer);
    const { rows, rowCount } = await this.#query({
      ...{ text, values, ...(name && { name }) },
      ...(kind?.slow && { query_timeout: SLOW_MS }),
    });
    return { rows, affected: rowCount ?? 0 };
  }

  /** Extends the time limit of statements until the end of the transaction. */
  async allowSlow(): Promise<void> {
    await this.execute(`set local statement_timeout = ${SLOW_MS}`);
  }

  /** @throws Retry where the server has rolled back instead, as it does after a failed statement */
  async commit(): Promise<void> {
    const { command } = await this.#query({ text: 'commit' });
    if (command !== 'COMMIT') throw new Retry('the transaction was rolled back');
  }

  async #query(config: pg.QueryConfig): Promise<pg.QueryResult> {
    const send = async () => {
      if (this.isBroken) throw new StoreUnavailable('the connection is lost');
      return this.#client.query(config);
    };
    // Without pipelining, the driver takes one statement at a time.
    const query = this.#options.pooler ? this.#last.then(send) : send();
    this.#last = query.catch(() => {});
    try {
      return await query;
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error;
      const meaning = meaningOf(error);
      this.isBroken ||= meaning.broken;
      this.isSilent ||= (error as Error).message === READ_TIMEOUT;
      throw meaning.error;
    }
  }

  release(): void {
    this.#client.release(this.isBroken);
    const { processID } = this.#client as pg.PoolClient & { processID?: number };
    if (this.isSilent && !this.#options.pooler && processID) this.#options.onSilent?.(processID);
  }
}

/** The driver's message when the server does not answer in time. */
const READ_TIMEOUT = 'Query read timeout';

/** The driver sends only a Buffer as bytes. */
const toBuffer = (value: unknown): unknown =>
  value instanceof Uint8Array && !Buffer.isBuffer(value)
    ? Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    : value;
