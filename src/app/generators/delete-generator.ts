import { done, type Outcome } from '../../domain/refusal.ts';
import { defineCommand } from '../command.ts';
import { findGenerator } from './generators.ts';

/** Deletes a generator; the licenses that it made stay. */
export const deleteGenerator = defineCommand({
  name: 'delete-generator',
  audit: 'always',
  run: async (transaction, { named }: { named: string }, { actor, record }): Promise<Outcome<null>> => {
    const found = await findGenerator(transaction, named, actor);
    if (!found.ok) return found;
    const { id } = found.value;
    await transaction.generators.delete(id);
    record({ action: 'generator.delete', id, before: found.value });
    return done(null);
  },
});
