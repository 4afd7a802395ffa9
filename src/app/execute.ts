import { randomBytes } from 'node:crypto';
import type { Actor } from '../domain/actor.ts';
import { toDatetime } from '../domain/datetime.ts';
import type { Artifacts } from '../storage/storage.ts';
import type { RunJob, Store } from '../store/store.ts';
import type { Command } from './command.ts';
import { type CommandInput, type CommandName, type CommandResult, commands, GUARDED } from './commands.ts';
import type { DownloadTokens } from './download-tokens.ts';

/**
 * The only way to change anything, for HTTP, CLI and jobs alike.
 * Resolves when the change is durable. Throws StoreUnavailable where the store cannot be reached in time.
 */
export type Execute = <N extends CommandName>(
  name: N,
  input: CommandInput<N>,
  actor: Actor,
) => Promise<CommandResult<N>>;

/** Milliseconds since the epoch. */
export type Clock = () => number;

/** What work is done with, whoever asks for it. */
export interface Services {
  store: Store;
  execute: Execute;
  clock: Clock;
  /** The bytes of releases. */
  artifacts: Artifacts;
  downloadTokens: DownloadTokens;
}

export function createExecute(store: Store, clock: Clock): Execute {
  return async <N extends CommandName>(name: N, input: CommandInput<N>, actor: Actor) =>
    (await store.run({
      ...{ name, input, actor, now: toDatetime(clock()) },
      guarded: GUARDED.has(name),
    })) as CommandResult<N>;
}

/** What a store calls, where its transaction is. */
export const runJob: RunJob = (transaction, { name, input, actor, now }) => {
  const command = commands[name as CommandName] as Command<unknown, unknown>;
  return command(transaction, input, { actor, now, randomHex });
};

function randomHex(digits: number): string {
  return randomBytes(digits / 2).toString('hex');
}
