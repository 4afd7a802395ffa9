import { randomBytes } from 'node:crypto';
import type { Actor } from '../domain/actor.ts';
import { type Change, detailsOf } from '../domain/audit.ts';
import { type Datetime, toDatetime } from '../domain/datetime.ts';
import type { Artifacts } from '../storage/storage.ts';
import type { AuditRow, RunJob, Store } from '../store/store.ts';
import type { Command } from './command.ts';
import { type CommandInput, type CommandName, type CommandResult, commands, GUARDED } from './commands.ts';
import type { DownloadTokens } from './releases/download-tokens.ts';

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
export const runJob: RunJob = async (transaction, { name, input, actor, now }) => {
  const command = commands[name as CommandName] as Command<unknown, unknown>;
  const changes: Change[] = [];
  const record = (change: Change) => void changes.push(change);
  const result = await command(transaction, input, { actor, now, randomHex, record });
  // What is refused is rolled back, and tells of nothing.
  if (changes.length > 0 && (result as { ok?: boolean } | null)?.ok !== false) {
    const rows = changes.flatMap((change) => entryOf(change, actor, now) ?? []);
    if (rows.length > 0) await transaction.audit.insert(rows);
  }
  return result;
};

function entryOf(change: Change, actor: Actor, at: Datetime): AuditRow | null {
  const details = detailsOf(change);
  const { userId, via, apiKeyId, origin } = actor;
  const { action, subject } = change;
  return details && { at, action, userId, via, apiKeyId, origin, subject, details };
}

function randomHex(digits: number): string {
  return randomBytes(digits / 2).toString('hex');
}
