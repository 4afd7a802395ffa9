import { randomBytes } from 'node:crypto';
import type { Actor } from '../domain/actor.ts';
import type { Fact } from '../domain/audit.ts';
import { type Clock, toDatetime } from '../domain/datetime.ts';
import type { Outcome } from '../domain/refusal.ts';
import type { Artifacts } from '../storage/storage.ts';
import type { RepeatableRequest, RunJob, Store } from '../store/store.ts';
import { entriesOf } from './audit/policy.ts';
import type { AnyCommand, Command } from './command.ts';
import { type CommandInput, type CommandName, type CommandResult, commands } from './commands.ts';
import type { Leases } from './leases/leases.ts';
import type { Revocations } from './leases/revocations.ts';
import type { Signer } from './leases/signer.ts';
import { createLastSeen, type LastSeen } from './licenses/last-seen.ts';
import { runOnce } from './people/repeated-changes.ts';
import type { DownloadTokens } from './releases/download-tokens.ts';
import { createUsageCounter, type UsageCounter } from './reports/usage.ts';

/**
 * Executes a command: the only way to change anything, for HTTP, CLI and jobs alike.
 * Resolves when the change is durable. @param request set if the request may be repeated, for a command that has `repeat`
 * @throws StoreUnavailable if the store cannot be reached in time
 */
export type Execute = <N extends CommandName>(
  name: N,
  input: CommandInput<N>,
  actor: Actor,
  request?: RepeatableRequest | null,
) => Promise<CommandResult<N>>;

/** What commands and queries work with. */
export interface Services {
  store: Store;
  execute: Execute;
  clock: Clock;
  /** Counts the use of commands and queries. The server flushes it. */
  usage: UsageCounter;
  /** When activations were last seen. The server flushes it. */
  lastSeen: LastSeen;
  leases: Leases;
  revocations: Revocations;
  /** The files of releases. */
  artifacts: Artifacts;
  downloadTokens: DownloadTokens;
  /** Signs leases. */
  signer: Signer;
}

/** Executes commands on a store, and counts those that declare `usage`. */
export function createExecute(store: Store, clock: Clock): Pick<Services, 'execute' | 'usage' | 'lastSeen'> {
  const execute: Execute = async (name, input, actor, request = null) => {
    const { guarded = false, usage: counted }: AnyCommand = commands[name];
    const result = await store.run({ name, input, actor, now: toDatetime(clock()), guarded, request });
    if (counted && !isRefused(result)) usage.count(counted);
    return result as CommandResult<typeof name>;
  };
  const usage = createUsageCounter(execute, clock);
  return { execute, usage, lastSeen: createLastSeen(execute, clock) };
}

/** Runs a command in a transaction of the store, and writes its audit entries in the same transaction. */
export const runJob: RunJob = async (transaction, job) => {
  const { name, input, actor, now, request } = job;
  const command = commands[name as CommandName] as Command<string, unknown, Outcome<unknown>>;
  const facts: Fact[] = [];
  const record = (fact: Fact) => void facts.push(fact);
  const run = () => command.run(transaction, input, { actor, now, randomHex, record });
  const result = await (request ? runOnce(transaction, command, job, request, run) : run());
  const rows = isRefused(result) ? [] : entriesOf(command.audit, facts, actor, now);
  if (rows.length > 0) await transaction.audit.insert(rows);
  return result;
};

const isRefused = (result: unknown): boolean => (result as { ok?: unknown } | null)?.ok === false;

const randomHex = (digits: number): string => randomBytes(digits / 2).toString('hex');
