import type { Actor } from '../domain/actor.ts';
import type { Generator } from '../domain/generator.ts';
import { done, type Outcome, refused } from '../domain/refusal.ts';
import type { Reads } from '../store/store.ts';

/** The id as it was sent, and as a number; null where it is none. */
export interface GeneratorRef {
  id: number | null;
  named: string;
}

/**
 * The generator of an id, if it exists for this actor. A generator has no product, so for an actor that is limited
 * to products there is none.
 */
export async function findGenerator(
  reads: Reads,
  { id, named }: GeneratorRef,
  actor: Actor,
): Promise<Outcome<Generator>> {
  const generator = id === null || actor.products !== null ? null : await reads.generators.find(id);
  return generator ? done(generator) : refused({ reason: 'generator_not_found', named });
}
