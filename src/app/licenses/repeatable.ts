import type { LicensedActivation } from '../../domain/activation.ts';
import { addDays, type Datetime } from '../../domain/datetime.ts';
import { done, type Outcome, refused } from '../../domain/refusal.ts';
import type { RepeatableRequest, Transaction } from '../../store/store.ts';
import { defineCommand } from '../command.ts';
import { DISCARDED_AT_ONCE } from '../discarding.ts';
import { asHeld } from './held-seats.ts';

/** Days for which the idempotency key of a request is kept. */
const KEY_DAYS = 1;
const forgottenAt = (now: Datetime): Datetime => addDays(now, -KEY_DAYS) as Datetime;

/**
 * Runs a request, unless an earlier request had the same idempotency key. In that case it returns the current state of the
 * activation that the earlier request returned, with the same token and the same `isNew`. The database stores only a
 * reference to the activation, because an answer contains a token.
 *
 * A refused request frees its key: the refusal changed nothing, and the user may have corrected the cause, for example by
 * freeing a seat. Deleting the activation frees the key, too.
 */
export async function once<Done extends LicensedActivation & { isNew?: boolean }>(
  { requests, activations }: Transaction,
  licenseId: number,
  request: RepeatableRequest,
  now: Datetime,
  act: () => Promise<Outcome<Done>>,
): Promise<Outcome<Done | (LicensedActivation & { isNew: boolean })>> {
  const earlier = await requests.begin(licenseId, request, forgottenAt(now), now);
  if (earlier && !earlier.isSame) return refused('idempotency_key_reused');
  const found = earlier && (await activations.find(earlier.result.activationId));
  if (found)
    return done({
      ...found,
      license: await asHeld({ activations }, found.license, now),
      isNew: earlier.result.isNew,
    });
  const acted = await act();
  if (!acted.ok) return acted;
  const { activation, isNew = false } = acted.value;
  await requests.end(licenseId, request.key, { activationId: activation.id, isNew });
  return acted;
}

/** Deletes some idempotency keys that are older than a day. Returns how many. */
export const discardRequests = defineCommand({
  name: 'discard-requests',
  guarded: true,
  audit: { never: 'they have expired' },
  run: ({ requests }, _input: null, { now }): Promise<number> =>
    requests.discard(forgottenAt(now), DISCARDED_AT_ONCE),
});
