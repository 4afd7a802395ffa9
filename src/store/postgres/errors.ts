import pg from 'pg';
import { StoreDamaged, StoreUnavailable, UniqueViolation } from '../store.ts';

/** Nothing was changed, and the same may succeed when it is done again. */
export class Retry extends Error {
  override name = 'Retry';
  /** How often at most: what fails so even then is a fault of ours. */
  readonly tries: number;
  constructor(
    message: string,
    { tries = Number.POSITIVE_INFINITY, ...options }: ErrorOptions & { tries?: number } = {},
  ) {
    super(message, options);
    this.tries = tries;
  }
}

/** What an error of the driver means, and whether its connection can still be used. */
export interface Meaning {
  error: unknown;
  broken: boolean;
}

/** By SQLSTATE: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const UNIQUE_VIOLATION = '23505';
const RETRY = new Set(['40001' /* serialization_failure */, '40P01' /* deadlock_detected */]);
/** What was there when it was looked up has been deleted. */
const FOREIGN_KEY_VIOLATION = '23503';
const FOREIGN_KEY_TRIES = 3;
const DAMAGED = new Set(['XX001' /* data_corrupted */, 'XX002' /* index_corrupted */]);
/** The server, or this one of several, cannot serve us now; by code, or by the class that codes begin with. */
const GONE =
  /^(08|28|3D|53|57P|25006|25P0[34])/; /* connection, authorization, database, resources, operator, read-only: no primary any more, transaction timeouts of the operator */
/** query_canceled */
const TOO_SLOW = '57014';
const BUSY = new Set([TOO_SLOW, '55P03' /* lock_not_available */, '58030' /* io_error */]);
const NOT_SUPPORTED = '0A000';
/** Whether a statement was ended because it took too long. */
export const isTooSlow = (error: unknown): boolean =>
  error instanceof StoreUnavailable && (error.cause as { code?: unknown } | undefined)?.code === TOO_SLOW;

/** What a pooler between us and the server makes of statements that are kept prepared, and of settings. */
const NOT_PREPARED = new Set(['26000', '42P05']);
const NO_SETTING = /unsupported startup parameter/;

export function meaningOf(error: unknown): Meaning {
  if (!(error instanceof pg.DatabaseError) || error.code === undefined) return notTheServers(error);
  const { code, message } = error;
  const cause = { cause: error };
  if (code === UNIQUE_VIOLATION)
    return { error: new UniqueViolation('unique value exists', cause), broken: false };
  if (code === FOREIGN_KEY_VIOLATION)
    return { error: new Retry(message, { ...cause, tries: FOREIGN_KEY_TRIES }), broken: false };
  if (RETRY.has(code)) return { error: new Retry(message, cause), broken: false };
  if (NOT_PREPARED.has(code) || NO_SETTING.test(message)) {
    const advice = 'a pooler seems to be before the database: set LATCHKEY_DATABASE_POOLER=yes';
    return { error: new StoreUnavailable(advice, cause), broken: true };
  }
  if (GONE.test(code)) return { error: new StoreUnavailable(message, cause), broken: true };
  if (BUSY.has(code)) return { error: new StoreUnavailable(message, cause), broken: false };
  if (DAMAGED.has(code)) return { error: new StoreDamaged(message, cause), broken: false };
  if (code === NOT_SUPPORTED) {
    // After a migration by another version: a new connection prepares the statement anew.
    if (error.routine === 'RevalidateCachedQuery') return { error: new Retry(message, cause), broken: true };
    // A standby, which has no serializable transactions, before it is promoted.
    return { error: new StoreUnavailable(message, cause), broken: true };
  }
  return { error, broken: false };
}

/** An error of the network, of the driver, or of ours. */
function notTheServers(error: unknown): Meaning {
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
