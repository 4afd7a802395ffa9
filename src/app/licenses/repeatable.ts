import type { LicensedActivation } from '../../domain/activation.ts';
import type { Datetime } from '../../domain/datetime.ts';
import type { Outcome } from '../../domain/refusal.ts';
import type { RepeatableRequest, Transaction } from '../../store/store.ts';
import { unlessRepeated } from '../repeated-requests.ts';
import { asHeld } from './held-seats.ts';

type Note = { activationId: number; isNew: boolean };

/**
 * Runs a request, unless an earlier request had the same idempotency key. In that case it returns the current state of the
 * activation that the earlier request returned, with the same token and the same `isNew`. The database stores only a
 * reference to the activation, because an answer contains a token. Deleting the activation frees the key.
 */
export const once = <Done extends LicensedActivation & { isNew?: boolean }>(
  { requests, activations }: Transaction,
  licenseId: number,
  request: RepeatableRequest,
  now: Datetime,
  run: () => Promise<Outcome<Done>>,
): Promise<Outcome<Done | (LicensedActivation & { isNew: boolean })>> =>
  unlessRepeated<Done | (LicensedActivation & { isNew: boolean }), Note>(requests, licenseId, request, now, {
    async recall({ activationId, isNew }) {
      const found = await activations.find(activationId);
      return found && { ...found, license: await asHeld({ activations }, found.license, now), isNew };
    },
    run,
    note: ({ activation, isNew = false }) => ({ activationId: activation.id, isNew }),
  });
