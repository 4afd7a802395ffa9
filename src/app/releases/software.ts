import type { Actor } from '../../domain/actor.ts';
import { reference } from '../../domain/fields.ts';
import { done, type Outcome, refused } from '../../domain/refusal.ts';
import { checkProducts, reachesSoftware, type Software } from '../../domain/software.ts';
import type { ListedById, PageById, Reads } from '../../store/store.ts';

const id = reference();

/** The software of an id as it was sent, if it exists for this actor. */
export async function findSoftware(
  reads: Pick<Reads, 'software'>,
  named: string,
  actor: Actor,
): Promise<Outcome<Software>> {
  const read = id.read(named);
  const software = read.ok ? await reads.software.find(read.value) : null;
  return software && reachesSoftware(actor, software)
    ? done(software)
    : refused('software_not_found', { named });
}

/** The same, for an actor who wants to change it: all of its products must be his. */
export async function findOwnSoftware(
  reads: Pick<Reads, 'software'>,
  named: string,
  actor: Actor,
): Promise<Outcome<Software>> {
  const found = await findSoftware(reads, named, actor);
  if (!found.ok || checkProducts(actor, found.value.productIds).ok) return found;
  return refused('software_of_other_products');
}

/** Newest first; for an actor that is limited to products, only what one of them covers. */
export const listSoftware = (reads: Reads, page: PageById, actor: Actor): Promise<ListedById<Software>> =>
  reads.software.list(page, actor.products);
