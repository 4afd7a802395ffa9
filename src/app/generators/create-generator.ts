import { checkTemplate, type Generator, type NewGenerator } from '../../domain/generator.ts';
import { done, type Outcome, refused } from '../../domain/refusal.ts';
import type { Command } from '../command.ts';

export const createGenerator: Command<NewGenerator, Outcome<Generator>> = async (
  { generators },
  input,
  { actor, now, record },
) => {
  if (actor.products !== null) return refused('products_only');
  const row = {
    ...input,
    separator: input.separator ?? '',
    activationsLimit: input.activationsLimit ?? 0,
    expiresIn: input.expiresIn ?? 0,
    createdAt: now,
    createdBy: actor.userId,
  };
  const checked = checkTemplate(row);
  if (!checked.ok) return checked;
  const generator = await generators.insert(row);
  record({ action: 'generator.create', subject: { type: 'generator', id: generator.id }, after: generator });
  return done(generator);
};
