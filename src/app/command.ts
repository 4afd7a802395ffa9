import type { Actor } from '../domain/actor.ts';
import type { Fact, Usage } from '../domain/audit.ts';
import type { Datetime } from '../domain/datetime.ts';
import type { Transaction } from '../store/store.ts';

/** What a command knows besides its input. */
export interface Context {
  actor: Actor;
  /** One instant for the whole command. */
  now: Datetime;
  /** A secure random string of hex digits. */
  randomHex(digits: number): string;
  /** Reports what the command has done. Policy decides who learns of it; a refused command has done nothing. */
  record(fact: Fact): void;
}

/**
 * Which facts of a command become entries of the audit trail: all of them, those of people (programs do the same many
 * times a minute, and `usage` counts them), or none, with the reason.
 */
export type AuditPolicy = 'always' | 'people' | { readonly never: string };

/** One change that can happen, with everything that others need to know of it. */
export interface Command<Name extends string, Input, Result> {
  /** What `execute` calls it. */
  readonly name: Name;
  /**
   * Set if each statement of the command changes only what is still as it must be, so that the command is correct beside
   * any others. Other commands read first and write later: an engine that runs many at once isolates them.
   */
  readonly guarded?: boolean;
  readonly audit: AuditPolicy;
  /** The daily counter that each success adds to. */
  readonly usage?: Usage;
  /**
   * Runs in one transaction. Returns plain data, which may cross to another thread. Leaves no trace if it returns
   * `{ ok: false }` or throws.
   */
  readonly run: (transaction: Transaction, input: Input, context: Context) => Promise<Result>;
}
export type AnyCommand = Command<string, never, unknown>;

export type InputOf<C extends AnyCommand> = Parameters<C['run']>[1];
export type ResultOf<C extends AnyCommand> = Awaited<ReturnType<C['run']>>;

/** `Execute` for one command only: for functions in the file of that command, which cannot import the table. */
export type Executes<C extends AnyCommand> = (
  name: C['name'],
  input: InputOf<C>,
  actor: Actor,
) => Promise<ResultOf<C>>;

/** Declares a command. `commands.ts` lists all of them. */
export const defineCommand = <const Name extends string, Input, Result>(
  command: Command<Name, Input, Result>,
): Command<Name, Input, Result> => command;
