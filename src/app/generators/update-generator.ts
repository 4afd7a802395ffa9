import { withDefaults } from '../../domain/fields.ts';
import {
  checkTemplate,
  GENERATOR_DEFAULTS,
  type Generator,
  type GeneratorChanges,
} from '../../domain/generator.ts';
import { done, type Outcome } from '../../domain/refusal.ts';
import { defineCommand } from '../command.ts';
import { findGenerator } from './generators.ts';

export interface UpdateGenerator {
  named: string;
  changes: GeneratorChanges;
}

/** Changes what was sent; keys generated before stay as they are. */
export const updateGenerator = defineCommand({
  name: 'update-generator',
  audit: 'always',
  run: async (
    transaction,
    { named, changes }: UpdateGenerator,
    { actor, now, record },
  ): Promise<Outcome<Generator>> => {
    const found = await findGenerator(transaction, named, actor);
    if (!found.ok || Object.keys(changes).length === 0) return found;
    const { value: before } = found;
    const changed = { ...withDefaults(changes, GENERATOR_DEFAULTS), updatedAt: now, updatedBy: actor.userId };
    const after = { ...before, ...changed };
    const checked = checkTemplate(after);
    if (!checked.ok) return checked;
    await transaction.generators.update(before.id, changed);
    record({ action: 'generator.update', id: before.id, before, after });
    return done(after);
  },
});
