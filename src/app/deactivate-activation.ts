import type { LicensedActivation } from '../domain/activation.ts';
import { done, type Outcome, refused } from '../domain/refusal.ts';
import { findActivation } from './activations.ts';
import type { Command } from './command.ts';

/** Ends an activation and frees its place, whatever the state of its license. */
export const deactivateActivation: Command<{ token: string }, Outcome<LicensedActivation>> = async (
  transaction,
  { token },
  { actor, now },
) => {
  const found = await findActivation(transaction, token, actor);
  if (!found.ok) return found;
  const { activation, license } = found.value;
  const won = await transaction.activations.deactivate(activation.id, now);
  if (!won) return refused({ reason: 'activation_already_deactivated' });
  const timesActivated = await transaction.licenses.freePlace(license.id);
  return done({
    activation: { ...activation, deactivatedAt: now, updatedAt: now },
    license: { ...license, timesActivated },
  });
};
