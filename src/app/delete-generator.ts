import { done, type Outcome } from '../domain/refusal.ts';
import type { Command } from './command.ts';
import { findGenerator, type GeneratorRef } from './generators.ts';

/** Deletes a generator; the licenses that it made stay. */
export const deleteGenerator: Command<{ ref: GeneratorRef }, Outcome<null>> = async (
  transaction,
  { ref },
  { actor },
) => {
  const found = await findGenerator(transaction, ref, actor);
  if (!found.ok) return found;
  await transaction.generators.delete(found.value.id);
  return done(null);
};
