import type { LicensedActivation } from '../../domain/activation.ts';
import { addDays, type Datetime } from '../../domain/datetime.ts';
import { done, type Outcome, refused } from '../../domain/refusal.ts';
import type { RepeatableRequest, Transaction } from '../../store/store.ts';
import { defineCommand } from '../command.ts';
import { DISCARDED_AT_ONCE } from '../discarding.ts';
import { asHeld } from './held-seats.ts';

/** Days for which a key of a request is known. */
const KEY_DAYS = 1;
const forgottenAt = (now: Datetime): Datetime => addDays(now, -KEY_DAYS) as Datetime;

/**
 * Does what a request asks for, unless an earlier request with its key did: then the result has the same activation and
 * token, as they are now, and says as before whether the activation is new. Only a reference to the activation is stored,
 * because an answer holds a token.
 *
 * The key of a refused request is free again: a refusal has changed nothing, and the user may have corrected its cause, for
 * example freed a seat. If the activation was deleted since, the key is free, too.
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
  const found = earlier && (await activations.find(earlier.activationId));
  if (found)
    return done({
      ...found,
      license: await asHeld({ activations }, found.license, now),
      isNew: earlier.isNew,
    });
  const acted = await act();
  if (!acted.ok) return acted;
  const { activation, isNew = false } = acted.value;
  await requests.end(licenseId, request.key, activation.id, isNew);
  return acted;
}

/** Deletes keys of requests that are older than a day. Returns how many. */
export const discardRequests = defineCommand({
  name: 'discard-requests',
  guarded: true,
  audit: { never: 'they have expired' },
  run: ({ requests }, _input: null, { now }): Promise<number> =>
    requests.discard(forgottenAt(now), DISCARDED_AT_ONCE),
});
