import { withDefaults } from '../../domain/fields.ts';
import {
  checkTemplate,
  GENERATOR_DEFAULTS,
  type Generator,
  type NewGenerator,
} from '../../domain/generator.ts';
import { done, type Outcome, refused } from '../../domain/refusal.ts';
import { defineCommand } from '../command.ts';

export const createGenerator = defineCommand({
  name: 'create-generator',
  audit: 'always',
  run: async ({ generators }, input: NewGenerator, { actor, now, record }): Promise<Outcome<Generator>> => {
    if (actor.products !== null) return refused('products_only');
    const row = { ...withDefaults(input, GENERATOR_DEFAULTS), createdAt: now, createdBy: actor.userId };
    const checked = checkTemplate(row);
    if (!checked.ok) return checked;
    const generator = await generators.insert(row);
    record({ action: 'generator.create', id: generator.id, after: generator });
    return done(generator);
  },
});
