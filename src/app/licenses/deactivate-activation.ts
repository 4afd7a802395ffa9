import type { LicensedActivation } from '../../domain/activation.ts';
import { isPerson } from '../../domain/actor.ts';
import { done, type Outcome, refused } from '../../domain/refusal.ts';
import type { Command } from '../command.ts';
import { changeOfActivation, findActivation } from './activations.ts';

/** Ends an activation and frees its place, whatever the state of its license. Recorded where a person does it. */
export const deactivateActivation: Command<{ token: string }, Outcome<LicensedActivation>> = async (
  transaction,
  { token },
  { actor, now, record },
) => {
  const found = await findActivation(transaction, token, actor);
  if (!found.ok) return found;
  const { activation, license } = found.value;
  const won = await transaction.activations.deactivate(activation.id, now);
  if (!won) return refused('activation_already_deactivated');
  const timesActivated = await transaction.licenses.freePlace(license.id);
  if (isPerson(actor)) record(changeOfActivation('activation.deactivate', activation));
  return done({
    activation: { ...activation, deactivatedAt: now, updatedAt: now },
    license: { ...license, timesActivated },
  });
};
