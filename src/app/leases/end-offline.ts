import type { LicensedActivation } from '../../domain/activation.ts';
import { type Actor, reaches } from '../../domain/actor.ts';
import { type Datetime, toDatetime } from '../../domain/datetime.ts';
import { done, type Outcome, refused } from '../../domain/refusal.ts';
import type { Reads } from '../../store/store.ts';
import { defineCommand } from '../command.ts';
import { endActivation } from '../licenses/activations.ts';
import type { OfflineReceipt } from './offline-texts.ts';

/** Finds the activation of a receipt. Refuses a receipt signed by another device key than the activation is bound to. */
export async function findByReceipt(
  { activations }: Pick<Reads, 'activations'>,
  { sub, lic, x }: OfflineReceipt,
  actor: Actor,
): Promise<Outcome<LicensedActivation>> {
  const named = await activations.find(sub);
  const found = named && (await activations.findLeasable(named.activation.token));
  const isBound = found !== null && found.license.id === lic && found.binding?.x === x;
  return isBound && reaches(actor, found.license) ? done(found) : refused('receipt_unknown');
}

interface EndOffline {
  /** A receipt returned by `readReceipt`, which has verified the signature. */
  receipt: OfflineReceipt;
  /** As for `deactivate-activation`. */
  keep?: number;
}

/** Ends the activation of a device that has deleted its lease. Also succeeds if the activation has already ended. */
export const endOffline = defineCommand({
  name: 'end-offline',
  guarded: true,
  audit: 'people',
  usage: 'deactivations',
  run: async (
    transaction,
    { receipt, keep = 0 }: EndOffline,
    context,
  ): Promise<Outcome<LicensedActivation>> => {
    const found = await findByReceipt(transaction, receipt, context.actor);
    if (!found.ok) return found;
    const { activation } = found.value;
    if (activation.deactivatedAt !== null) return found;
    const since = activeSince(activation);
    // The device may have got another lease since, and be using it.
    if (toDatetime(receipt.iat * 1_000) < since) return refused('receipt_outdated', { since });
    const ended = await endActivation(transaction, found.value, keep, context);
    return ended.ok || ended.refusal.code !== 'activation_already_deactivated' ? ended : found;
  },
});

/** Returns when a valid activation was last given to its device, or last used by it. */
const activeSince = ({ createdAt, updatedAt, lastSeenAt }: LicensedActivation['activation']): Datetime =>
  [createdAt, updatedAt, lastSeenAt]
    .filter((at) => at !== null)
    .sort()
    .at(-1) ?? createdAt;
