import { done, type Outcome, refused } from '../../domain/refusal.ts';
import { defineCommand } from '../command.ts';
import { factOf, findActivation } from './activations.ts';

/** Deletes an activation; the seat of a valid one is free again. */
export const deleteActivation = defineCommand({
  name: 'delete-activation',
  guarded: true,
  audit: 'always',
  run: async (transaction, { id }: { id: number }, { actor, record }): Promise<Outcome<null>> => {
    const found = await findActivation(transaction, { id }, actor);
    if (!found.ok) return found;
    const deleted = await transaction.activations.delete(id);
    if (!deleted) return refused('activation_not_found', { named: String(id) });
    const wasValid = deleted.deactivatedAt === null;
    if (wasValid) await transaction.licenses.freePlace(found.value.license.id);
    record(factOf('activation.delete', found.value.activation, { was_valid: wasValid }));
    return done(null);
  },
});
