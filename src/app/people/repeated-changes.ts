import type { Outcome } from '../../domain/refusal.ts';
import type { Job, RepeatableRequest, Transaction } from '../../store/store.ts';
import type { Command } from '../command.ts';
import { unlessRepeated } from '../repeated-requests.ts';

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
  return unlessRepeated(transaction.repeatedChanges, actor.userId, request, now, {
    recall: (note) => repeat.recall(transaction, note),
    run,
    note: repeat.note,
  });
}
