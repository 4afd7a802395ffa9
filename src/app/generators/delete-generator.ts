import { done, type Outcome } from '../../domain/refusal.ts';
import type { Command } from '../command.ts';
import { findGenerator } from './generators.ts';

/** Deletes a generator; the licenses that it made stay. */
export const deleteGenerator: Command<{ named: string }, Outcome<null>> = async (
  transaction,
  { named },
  { actor, record },
) => {
  const found = await findGenerator(transaction, named, actor);
  if (!found.ok) return found;
  await transaction.generators.delete(found.value.id);
  const subject = { type: 'generator', id: found.value.id } as const;
  record({ action: 'generator.delete', subject, before: found.value });
  return done(null);
};
