import type { Actor } from '../domain/actor.ts';
import type { Fact } from '../domain/audit.ts';
import { type Clock, toDatetime } from '../domain/datetime.ts';
import { isRefused, type Outcome, type Refused, refused } from '../domain/refusal.ts';
import type { Artifacts } from '../storage/storage.ts';
import type { Conditions, RunJob, Store } from '../store/store.ts';
import type { Sender } from '../webhooks/webhooks.ts';
import { createLastAccess, type LastAccess } from './api-keys/last-access.ts';
import { entriesOf } from './audit/policy.ts';
import type { AnyCommand, Command } from './command.ts';
import { type CommandInput, type CommandName, type CommandResult, commands } from './commands.ts';
import { isChanged } from './etags.ts';
import { tellRefusal } from './events/limit-reached.ts';
import { tellFacts } from './events/policy.ts';
import type { Signer } from './keys/create-signer.ts';
import type { Leases } from './leases/leases.ts';
import type { Revocations } from './leases/revocations.ts';
import { createLastSeen, type LastSeen } from './licenses/last-seen.ts';
import type { DownloadTokens } from './releases/download-tokens.ts';
import { unlessRepeated } from './repeated-requests.ts';
import { countRenewals } from './reports/renewals.ts';
import { createUsageCounter, type UsageCounter } from './reports/usage.ts';
import { createVersionCounter, type VersionCounter } from './reports/version-checks.ts';

/**
 * Executes a command: the only way to change anything, for HTTP, CLI and jobs alike. Resolves when the change is durable.
 * @param conditions with `request`, the command must have `repeat`
 * @throws StoreUnavailable if the store cannot be reached in time
 */
export type Execute = <N extends CommandName>(
  name: N,
  input: CommandInput<N>,
  actor: Actor,
  conditions?: Conditions,
) => Promise<CommandResult<N>>;

/** What commands and queries work with. */
export interface Services {
  store: Store;
  execute: Execute;
  clock: Clock;
  // The next four collect in memory, and the server flushes them: the use of commands and queries, the versions that
  // programs run, and when activations were last seen and API keys last used.
  usage: UsageCounter;
  versions: VersionCounter;
  lastSeen: LastSeen;
  lastAccess: LastAccess;
  leases: Leases;
  revocations: Revocations;
  /** The files of releases. */
  artifacts: Artifacts;
  downloadTokens: DownloadTokens;
  /** Signs leases. */
  signer: Signer;
  /** Sends events to their receivers. */
  webhooks: Sender;
}

/** Executes commands on a store, and counts those that declare `usage`. */
export function createExecute(
  store: Store,
  clock: Clock,
): Pick<Services, 'execute' | 'usage' | 'versions' | 'lastSeen' | 'lastAccess'> {
  const execute: Execute = async (name, input, actor, { expects, request } = {}) => {
    const { guarded = false, usage: counted }: AnyCommand = commands[name];
    const now = toDatetime(clock());
    const result = await store.run({ name, input, actor, now, guarded, expects, request });
    if (isRefused(result))
      await tellRefusal(store.read, execute, (result as Refused).refusal).catch(() => {});
    else if (counted) usage.count(counted);
    return result as CommandResult<typeof name>;
  };
  const usage = createUsageCounter(execute, clock);
  return {
    execute,
    usage,
    versions: createVersionCounter(execute, clock),
    lastSeen: createLastSeen(execute, clock),
    lastAccess: createLastAccess(execute, clock),
  };
}

/** Runs a command in a transaction of the store, and writes its events and audit entries in the same transaction. */
export const runJob: RunJob = async (transaction, job) => {
  const { name, input, actor, now, expects, request } = job;
  if (expects && (await isChanged(transaction, expects)))
    return refused('record_changed', { kind: expects.kind });
  const command = commands[name as CommandName] as Command<string, unknown, Outcome<unknown>>;
  const facts: Fact[] = [];
  const record = (fact: Fact) => void facts.push(fact);
  const run = () => command.run(transaction, input, { actor, now, record });
  const { repeat } = command;
  if (request && !repeat) throw new Error(`${name} has no answer for a repeated request`);
  const result = await (request && repeat
    ? unlessRepeated(transaction.repeatedChanges, actor.userId, request, now, {
        recall: (note) => repeat.recall(transaction, note),
        run,
        note: repeat.note,
      })
    : run());
  if (isRefused(result)) return result;
  await tellFacts(transaction, facts, now);
  const rows = entriesOf(command.audit, facts, actor, now);
  if (rows.length > 0) await transaction.audit.insert(rows);
  await countRenewals(transaction, facts, now);
  return result;
};
