import { done, type Outcome } from '../domain/refusal.ts';
import type { Command } from './command.ts';
import { findGenerator } from './generators.ts';

/** Deletes a generator; the licenses that it made stay. */
export const deleteGenerator: Command<{ named: string }, Outcome<null>> = async (
  transaction,
  { named },
  { actor },
) => {
  const found = await findGenerator(transaction, named, actor);
  if (!found.ok) return found;
  await transaction.generators.delete(found.value.id);
  return done(null);
};
