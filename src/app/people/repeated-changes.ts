import { addDays, type Datetime } from '../../domain/datetime.ts';
import { done, type Outcome, refused } from '../../domain/refusal.ts';
import type { Job, RepeatableRequest, Transaction } from '../../store/store.ts';
import { type Command, defineCommand } from '../command.ts';
import { DISCARDED_AT_ONCE } from '../discarding.ts';

/** Days for which the idempotency key of a change is kept. */
const KEY_DAYS = 1;
const forgottenAt = (now: Datetime): Datetime => addDays(now, -KEY_DAYS) as Datetime;

/**
 * Runs a change of a user. If an earlier request with the same idempotency key has made the change, returns the earlier
 * result instead. A refusal frees the key, and so does deleting the record that the change created.
 */
export async function runOnce(
  transaction: Transaction,
  { name, repeat }: Command<string, unknown, Outcome<unknown>>,
  { actor, now }: Job,
  request: RepeatableRequest,
  run: () => Promise<Outcome<unknown>>,
): Promise<Outcome<unknown>> {
  if (!repeat) throw new Error(`${name} has no answer for a repeated request`);
  const { repeatedChanges } = transaction;
  const earlier = await repeatedChanges.begin(actor.userId, request, forgottenAt(now), now);
  if (earlier && !earlier.isSame) return refused('idempotency_key_reused');
  const recalled = earlier && (await repeat.recall(transaction, earlier.result));
  if (recalled) return done(recalled);
  const result = await run();
  if (result.ok) await repeatedChanges.end(actor.userId, request.key, repeat.note(result.value));
  return result;
}

/** Deletes some idempotency keys that are older than a day. Returns how many. */
export const discardRepeatedChanges = defineCommand({
  name: 'discard-repeated-changes',
  guarded: true,
  audit: { never: 'they have expired' },
  run: ({ repeatedChanges }, _input: null, { now }): Promise<number> =>
    repeatedChanges.discard(forgottenAt(now), DISCARDED_AT_ONCE),
});
