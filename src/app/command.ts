import type { Actor } from '../domain/actor.ts';
import type { Change } from '../domain/audit.ts';
import type { Datetime } from '../domain/datetime.ts';
import type { Transaction } from '../store/store.ts';

/** What a command knows besides its input. */
export interface Context {
  actor: Actor;
  /** One instant for all of the command. */
  now: Datetime;
  /** A secure random string of hex digits. */
  randomHex(digits: number): string;
  /** Tells the audit trail of a change; written where the command is done, and only then. */
  record(change: Change): void;
}

/**
 * One change that can happen, run by the store in one transaction. It answers plain data (it may cross to another
 * thread) and leaves no trace where it answers `{ ok: false }` or throws.
 */
export type Command<Input, Result> = (
  transaction: Transaction,
  input: Input,
  context: Context,
) => Promise<Result>;
