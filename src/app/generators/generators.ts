import type { Actor } from '../../domain/actor.ts';
import { reference } from '../../domain/fields.ts';
import type { Generator } from '../../domain/generator.ts';
import { done, type Outcome, refused } from '../../domain/refusal.ts';
import type { ListedById, PageById, Reads } from '../../store/store.ts';

const id = reference();

/**
 * The generator of an id as it was sent, if it exists for this actor. A generator has no product, so for an actor that
 * is limited to products there is none.
 */
export async function findGenerator(reads: Reads, named: string, actor: Actor): Promise<Outcome<Generator>> {
  const read = id.read(named);
  const generator = read.ok && actor.products === null ? await reads.generators.find(read.value) : null;
  return generator ? done(generator) : refused('generator_not_found', { named });
}

/** Newest first. */
export async function listGenerators(
  reads: Reads,
  page: PageById,
  actor: Actor,
): Promise<ListedById<Generator>> {
  return actor.products === null ? reads.generators.list(page) : { items: [], total: 0, more: false };
}
