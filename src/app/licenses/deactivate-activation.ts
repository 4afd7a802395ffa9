import type { LicensedActivation } from '../../domain/activation.ts';
import { done, type Outcome, refused } from '../../domain/refusal.ts';
import { defineCommand } from '../command.ts';
import { factOf, findActivation } from './activations.ts';

/** Ends an activation and frees its seat, whatever the state of its license. */
export const deactivateActivation = defineCommand({
  name: 'deactivate-activation',
  guarded: true,
  audit: 'people',
  usage: 'deactivations',
  run: async (
    transaction,
    { token }: { token: string },
    { actor, now, record },
  ): Promise<Outcome<LicensedActivation>> => {
    const found = await findActivation(transaction, token, actor);
    if (!found.ok) return found;
    const { activation, license } = found.value;
    const won = await transaction.activations.deactivate(activation.id, now);
    if (!won) return refused('activation_already_deactivated');
    const timesActivated = await transaction.licenses.freePlace(license.id);
    record(factOf('activation.deactivate', activation));
    return done({
      activation: { ...activation, deactivatedAt: now, updatedAt: now },
      license: { ...license, timesActivated },
    });
  },
});
