import type { Actor } from '../../domain/actor.ts';
import { reference, withDefaults } from '../../domain/fields.ts';
import {
  checkTemplate,
  GENERATOR_DEFAULTS,
  type Generator,
  type GeneratorChanges,
  type NewGenerator,
} from '../../domain/generator.ts';
import { done, notFound, type Outcome, refused } from '../../domain/refusal.ts';
import type { ListedById, PageById, Reads } from '../../store/store.ts';
import { defineCommand } from '../command.ts';

const id = reference();

/** Finds a generator by its id as sent. Generators have no product, so actors limited to products find none. */
export async function findGenerator(reads: Reads, named: string, actor: Actor): Promise<Outcome<Generator>> {
  const read = id.read(named);
  const generator = read.ok && actor.products === null ? await reads.generators.find(read.value) : null;
  return generator ? done(generator) : notFound('generator', named);
}

/** Returns a page of generators, newest first; none for an actor limited to products. */
export const listGenerators = async (
  reads: Reads,
  page: PageById,
  actor: Actor,
): Promise<ListedById<Generator>> =>
  actor.products === null ? reads.generators.list(page) : { items: [], total: 0, more: false };

export const createGenerator = defineCommand(
  {
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
  },
  {
    note: ({ id }) => id,
    recall: ({ generators }, id) => generators.find(Number(id)),
  },
);

/** Changes the values sent. Keys generated before stay as they are. */
export const updateGenerator = defineCommand({
  name: 'update-generator',
  audit: 'always',
  run: async (
    transaction,
    { named, changes }: { named: string; changes: GeneratorChanges },
    { actor, now, record },
  ): Promise<Outcome<Generator>> => {
    const found = await findGenerator(transaction, named, actor);
    if (!found.ok || Object.keys(changes).length === 0) return found;
    const before = found.value;
    const changed = { ...withDefaults(changes, GENERATOR_DEFAULTS), updatedAt: now, updatedBy: actor.userId };
    const after = { ...before, ...changed };
    const checked = checkTemplate(after);
    if (!checked.ok) return checked;
    await transaction.generators.update(before, changed);
    record({ action: 'generator.update', id: before.id, before, after });
    return done(after);
  },
});

/** Deletes a generator. Its licenses stay. */
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
