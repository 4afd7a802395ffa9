import type { LicensedActivation } from '../../domain/activation.ts';
import { mayActivate } from '../../domain/license.ts';
import { done, type Outcome, refused } from '../../domain/refusal.ts';
import type { Transaction } from '../../store/store.ts';
import { type Context, defineCommand } from '../command.ts';
import { factOf, findActivation } from './activations.ts';

/** Makes a deactivated activation valid again, if its license has a seat for it. */
export const reactivateActivation = defineCommand({
  name: 'reactivate-activation',
  guarded: true,
  audit: 'always',
  usage: 'activations',
  run: async (transaction, { id }: { id: number }, context): Promise<Outcome<LicensedActivation>> => {
    const found = await findActivation(transaction, { id }, context.actor);
    if (!found.ok) return found;
    if (found.value.activation.deactivatedAt === null) return refused('activation_already_active');
    const allowed = mayActivate(found.value.license, context.now);
    return allowed.ok ? reactivate(transaction, found.value, context) : allowed;
  },
});

/** Makes an activation valid again that was found deactivated, of a license that may be activated. */
export async function reactivate(
  { activations, licenses }: Transaction,
  { activation, license }: LicensedActivation,
  { now, record }: Context,
): Promise<Outcome<LicensedActivation>> {
  // First the activation, then the seat: a concurrent reactivation of it must not make the license look full.
  const won = await activations.reactivate(activation.id, now);
  if (!won) return refused('activation_already_active');
  const timesActivated = await licenses.takePlace(license);
  if (timesActivated === null)
    return refused('activation_limit_reached', { limit: license.activationsLimit });
  record(factOf('activation.reactivate', activation));
  return done({
    activation: { ...activation, deactivatedAt: null, updatedAt: now },
    license: { ...license, timesActivated },
  });
}
