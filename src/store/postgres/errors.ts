import pg from 'pg';
import { StoreDamaged, StoreUnavailable, UniqueViolation } from '../store.ts';

/** Nothing was changed, and a retry may succeed. */
export class Retry extends Error {
  override name = 'Retry';
  /** Maximum number of attempts. After that, the error is a bug. */
  readonly tries: number;
  constructor(
    message: string,
    { tries = Number.POSITIVE_INFINITY, ...options }: ErrorOptions & { tries?: number } = {},
  ) {
    super(message, options);
    this.tries = tries;
  }
}

/** The store's error for an error of the driver, and whether it broke the connection. */
export interface Meaning {
  error: unknown;
  broken: boolean;
}

/** By SQLSTATE: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const UNIQUE_VIOLATION = '23505';
const RETRY = new Set(['40001' /* serialization_failure */, '40P01' /* deadlock_detected */]);
/** Two transactions insert the same row, or a move has inserted the id that this one has drawn. */
const PRIMARY_KEY = /_pkey$/;
/** A row that another one refers to has been deleted since it was looked up. */
const FOREIGN_KEY_VIOLATION = '23503';
/** Maximum number of attempts after a violation of a key. */
const KEY_TRIES = 3;
const DAMAGED = new Set(['XX001' /* data_corrupted */, 'XX002' /* index_corrupted */]);
/** Codes and classes of codes that mean that the server cannot serve us now. */
const GONE =
  /^(08|28|3D|53|57P|25006|25P0[34])/; /* connection, authorization, database, resources, operator, read-only: no primary any more, transaction timeouts */
/** query_canceled */
const TOO_SLOW = '57014';
const BUSY = new Set([TOO_SLOW, '55P03' /* lock_not_available */, '58030' /* io_error */]);
/** insufficient_privilege */
const NOT_PERMITTED = '42501';
const NOT_SUPPORTED = '0A000';
/** Whether a statement was ended because it took too long. */
export const isTooSlow = (error: unknown): boolean =>
  error instanceof StoreUnavailable && (error.cause as { code?: unknown } | undefined)?.code === TOO_SLOW;

/** Errors that a pooler causes with prepared statements and with settings. */
const NOT_PREPARED = new Set(['26000', '42P05']);
const NO_SETTING = /unsupported startup parameter/;

export function meaningOf(error: unknown): Meaning {
  if (!(error instanceof pg.DatabaseError) || error.code === undefined) return clientError(error);
  const { code, message } = error;
  const cause = { cause: error };
  const unavailable = (broken: boolean) => ({ error: new StoreUnavailable(message, cause), broken });
  const retry = (tries?: number) => new Retry(message, { ...cause, ...(tries && { tries }) });
  if (code === UNIQUE_VIOLATION && !PRIMARY_KEY.test(error.constraint ?? ''))
    return { error: new UniqueViolation('unique value exists', cause), broken: false };
  if (code === UNIQUE_VIOLATION || code === FOREIGN_KEY_VIOLATION)
    return { error: retry(KEY_TRIES), broken: false };
  if (RETRY.has(code)) return { error: retry(), broken: false };
  if (NOT_PREPARED.has(code) || NO_SETTING.test(message)) {
    const advice = 'a pooler seems to be in front of the database: set LATCHKEY_DATABASE_POOLER=yes';
    return { error: new StoreUnavailable(advice, cause), broken: true };
  }
  if (code === NOT_PERMITTED) {
    const advice = `${message}: the user must own the database and its tables`;
    return { error: new StoreUnavailable(advice, cause), broken: false };
  }
  if (GONE.test(code)) return unavailable(true);
  if (BUSY.has(code)) return unavailable(false);
  if (DAMAGED.has(code)) return { error: new StoreDamaged(message, cause), broken: false };
  // A migration has changed the columns: a new connection prepares the statement again.
  if (code === NOT_SUPPORTED && error.routine === 'RevalidateCachedQuery')
    return { error: retry(), broken: true };
  // A standby has no serializable transactions until it is promoted.
  if (code === NOT_SUPPORTED) return unavailable(true);
  return { error, broken: false };
}

/** An error of the network, of the driver, or a bug. */
function clientError(error: unknown): Meaning {
  const { code, message } = error as NodeJS.ErrnoException;
  const isOurs = error instanceof TypeError || error instanceof RangeError;
  const isNetwork =
    !isOurs &&
    ((code !== undefined && /^E[A-Z_]+$/.test(code)) ||
      /connect|terminat|timeout|queryable|ended|SSL|TLS|SASL/i.test(message));
  return {
    error: isNetwork ? new StoreUnavailable(message || String(code), { cause: error }) : error,
    broken: true,
  };
}
