import { reaches } from '../../domain/actor.ts';
import { done, type Outcome, refused } from '../../domain/refusal.ts';
import type { Command } from '../command.ts';
import { changeOfActivation } from './activations.ts';

/** Deletes an activation; where it was valid, its place is free again. */
export const deleteActivation: Command<{ id: number }, Outcome<null>> = async (
  transaction,
  { id },
  { actor, record },
) => {
  const found = await transaction.activations.find(id);
  const gone = refused('activation_not_found', { named: String(id) });
  if (!found || !reaches(actor, found.license)) return gone;
  const deleted = await transaction.activations.delete(id);
  if (!deleted) return gone;
  const wasValid = deleted.deactivatedAt === null;
  if (wasValid) await transaction.licenses.freePlace(found.license.id);
  record(changeOfActivation('activation.delete', found.activation, { was_valid: wasValid }));
  return done(null);
};
