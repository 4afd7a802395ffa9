import type { Actor } from '../domain/actor.ts';
import type { Fact, Usage } from '../domain/audit.ts';
import type { Datetime } from '../domain/datetime.ts';
import type { Transaction } from '../store/store.ts';

/** The circumstances of a command. */
export interface Context {
  actor: Actor;
  /** The same instant throughout the command. */
  now: Datetime;
  /** Reports a change. The command's `audit` decides whether to record the fact. Facts of a refused command are dropped. */
  record(fact: Fact): void;
}

/**
 * Which facts of a command become audit entries: `always` all; `people` only facts by people, because programs act many
 * times a minute, and `usage` counts those; `never` none, for the given reason. Facts with `always` set are recorded in
 * any case.
 */
export type AuditPolicy = 'always' | 'people' | { readonly never: string };

/** How to answer a repeated request of a user (`execute.ts`). */
interface Repeat<Value> {
  /** Returns what to keep of the result, as JSON. It is stored in plain text, so it must not contain keys or secrets. */
  note(value: Value): unknown;
  /** Returns the result of the earlier request; null if the record was deleted since. Null makes the change run again. */
  recall(transaction: Transaction, note: unknown): Promise<Value | null>;
}
type ValueOf<Result> = Result extends { ok: true; value: infer Value } ? Value : never;

/** A kind of change. */
export interface Command<Name extends string, Input, Result> {
  readonly name: Name;
  /**
   * Set if each statement checks its own conditions, so that the command is correct concurrently with any other. Other
   * commands read first and write later: PostgreSQL isolates them. If a guarded command gets `expects`, `etags.ts` must
   * lock the record.
   */
  readonly guarded?: boolean;
  readonly audit: AuditPolicy;
  /** The daily counter that counts successful runs. */
  readonly usage?: Usage;
  /** Set for a change that must not happen twice when a client repeats its request. */
  readonly repeat?: Repeat<ValueOf<Result>> | undefined;
  /**
   * Runs in one transaction, which rolls back on `{ ok: false }` and on errors. Input and result are plain data, which
   * can be sent to another thread.
   */
  readonly run: (transaction: Transaction, input: Input, context: Context) => Promise<Result>;
}
export type AnyCommand = Command<string, never, unknown>;

export type InputOf<C extends AnyCommand> = Parameters<C['run']>[1];
export type ResultOf<C extends AnyCommand> = Awaited<ReturnType<C['run']>>;

/** `Execute` for one command, for functions in its own file: importing the table of commands would be a cycle. */
export type Executes<C extends AnyCommand> = (
  name: C['name'],
  input: InputOf<C>,
  actor: Actor,
) => Promise<ResultOf<C>>;

/** Declares a command. `declared-commands.ts` lists all commands. @param repeat typed by the result of `run` */
export const defineCommand = <const Name extends string, Input, Result>(
  command: Command<Name, Input, Result>,
  repeat?: Repeat<ValueOf<Result>>,
): Command<Name, Input, Result> => ({ ...command, repeat });
