import type { Actor } from '../domain/actor.ts';
import type { Datetime } from '../domain/datetime.ts';
import type { Transaction } from '../store/store.ts';

/** What a command knows besides its input. */
export interface Context {
  actor: Actor;
  /** One instant for all of the command. */
  now: Datetime;
  /** A secure random string of hex digits. */
  randomHex(digits: number): string;
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
