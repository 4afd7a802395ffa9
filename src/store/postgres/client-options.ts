import pg from 'pg';

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
  /** Maximum number of connections. */
  max: number;
  /** Milliseconds that a statement may take. */
  timeout: number;
  /** Milliseconds that a statement may wait for a lock. By default, as long as it may take. */
  patience?: number;
  /** Milliseconds to wait for a free connection, or for a new one; `CONNECT_MS` by default. */
  connectTimeout?: number | undefined;
  /** Whether to refuse connections to a standby: it would answer from outdated data, and for as long as they last. */
  refusesStandby?: boolean;
  /** Whether a pooler is in front of the server, which gives each transaction another connection. */
  pooler: boolean;
  /**
   * Called with the id of the server process of a connection that has not answered in time. The process may still be
   * running.
   */
  onSilent?(processId: number): void;
}

/** Milliseconds to wait for a free connection, or for a new one to be established. */
const CONNECT_MS = 1_500;
/** Milliseconds after the server's time limit until the client gives up on a silent server. */
const SILENCE_MS = 1_000;

/** Set for each connection, because a database or a user may have other defaults. */
export const DATES = 'datestyle=ISO';
const ISOLATION = 'default_transaction_isolation=read\\ committed';
/** Milliseconds after which an idle connection is probed. */
const PROBE_MS = 10_000;

/** Options of the driver for one connection. */
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
      // A node that dies without a word must not keep its locks until the server gives up its connection.
      idle_in_transaction_session_timeout: timeout,
      options: `-c ${DATES} -c ${ISOLATION}`,
      pipeline: true,
    }),
  }) satisfies pg.ClientConfig & { pipeline?: boolean };
