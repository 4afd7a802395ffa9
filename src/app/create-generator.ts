import { checkTemplate, type Generator, type NewGenerator } from '../domain/generator.ts';
import { done, type Outcome, refused } from '../domain/refusal.ts';
import type { Command } from './command.ts';

export const createGenerator: Command<NewGenerator, Outcome<Generator>> = async (
  { generators },
  input,
  { actor, now },
) => {
  if (actor.products !== null) return refused({ reason: 'products_only' });
  const row = {
    ...input,
    separator: input.separator ?? '',
    activationsLimit: input.activationsLimit ?? 0,
    expiresIn: input.expiresIn ?? 0,
    createdAt: now,
    createdBy: actor.userId,
  };
  const checked = checkTemplate(row);
  return checked.ok ? done(await generators.insert(row)) : checked;
};
