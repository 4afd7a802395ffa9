import { checkTemplate, type Generator, type GeneratorChanges } from '../../domain/generator.ts';
import { done, type Outcome } from '../../domain/refusal.ts';
import type { Command } from '../command.ts';
import { findGenerator } from './generators.ts';

/** Changes what was sent; keys generated before stay as they are. */
export const updateGenerator: Command<
  { named: string; changes: GeneratorChanges },
  Outcome<Generator>
> = async (transaction, { named, changes }, { actor, now, record }) => {
  const found = await findGenerator(transaction, named, actor);
  if (!found.ok || Object.keys(changes).length === 0) return found;

  const { name, charset, chunks, chunkLength, separator, activationsLimit, expiresIn, ...nullable } = changes;
  const changed: Partial<Generator> = {
    ...nullable,
    ...(name != null && { name }),
    ...(charset != null && { charset }),
    ...(chunks != null && { chunks }),
    ...(chunkLength != null && { chunkLength }),
    ...(separator !== undefined && { separator: separator ?? '' }),
    ...(activationsLimit !== undefined && { activationsLimit: activationsLimit ?? 0 }),
    ...(expiresIn !== undefined && { expiresIn: expiresIn ?? 0 }),
    updatedAt: now,
    updatedBy: actor.userId,
  };
  const generator = { ...found.value, ...changed };
  const checked = checkTemplate(generator);
  if (!checked.ok) return checked;
  await transaction.generators.update(generator.id, changed);
  const subject = { type: 'generator', id: generator.id } as const;
  record({ action: 'generator.update', subject, before: found.value, after: generator });
  return done(generator);
};
