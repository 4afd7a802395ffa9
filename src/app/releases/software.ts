import type { Actor } from '../../domain/actor.ts';
import { reference, withDefaults } from '../../domain/fields.ts';
import { done, invalid, notFound, type Outcome, refused } from '../../domain/refusal.ts';
import type { Holder } from '../../domain/releases/download.ts';
import {
  checkProducts,
  type NewSoftware,
  reachesSoftware,
  SOFTWARE_DEFAULTS,
  type Software,
  type SoftwareChanges,
  slugOf,
} from '../../domain/releases/software.ts';
import type { ListedById, PageById, Reads } from '../../store/store.ts';
import { defineCommand } from '../command.ts';
import { unlessTaken } from '../unless-taken.ts';

const id = reference();

/** Finds software by its id as sent, if it exists for this actor. */
export async function findSoftware(
  reads: Pick<Reads, 'software'>,
  named: string,
  actor: Actor,
): Promise<Outcome<Software>> {
  const read = id.read(named);
  const software = read.ok ? await reads.software.find(read.value) : null;
  return software && reachesSoftware(actor, software) ? done(software) : notFound('software', named);
}

/** Finds software by its id or slug. A slug is never all digits, so the two cannot be confused. */
export function findNamedSoftware(
  { software }: Pick<Reads, 'software'>,
  named: string,
): Promise<Software | null> {
  const read = id.read(named);
  return read.ok ? software.find(read.value) : software.findBySlug(named);
}

/**
 * Returns the software named at the activation of a holder; if none was named, the only software that the license covers, else
 * null.
 */
export async function softwareOf(
  { software }: Pick<Reads, 'software'>,
  { activation, license }: Holder,
  actor: Actor,
): Promise<Software | null> {
  const namedId = activation?.softwareId ?? null;
  if (namedId !== null) {
    const named = await software.find(namedId);
    return named && reachesSoftware(actor, named) ? named : null;
  }
  const covering = await software.covering(license.productId, 2);
  const [only] = covering.filter((one) => reachesSoftware(actor, one));
  return covering.length === 1 ? (only ?? null) : null;
}

/** Finds software that the actor may change: all of its products must be the actor's. */
export async function findOwnSoftware(
  reads: Pick<Reads, 'software'>,
  named: string,
  actor: Actor,
): Promise<Outcome<Software>> {
  const found = await findSoftware(reads, named, actor);
  if (!found.ok || checkProducts(actor, found.value.productIds).ok) return found;
  return refused('software_of_other_products');
}

/** Returns a page of software, newest first. An actor limited to products gets only the software of these products. */
export const listSoftware = (reads: Reads, page: PageById, actor: Actor): Promise<ListedById<Software>> =>
  reads.software.list(page, actor.products);

export const createSoftware = defineCommand(
  {
    name: 'create-software',
    audit: 'always',
    run: async (
      { software },
      /** `id`: null or absent for the next free id. */
      { id, ...input }: NewSoftware & { id?: number | null },
      { actor, now, record },
    ): Promise<Outcome<Software>> => {
      const values = withDefaults(input, SOFTWARE_DEFAULTS);
      const products = checkProducts(actor, values.productIds);
      if (!products.ok) return products;
      const slug = input.slug ?? slugOf(input.name);
      if (slug === '') return invalid('slug', 'slug_from_name');
      if (id && (await software.find(id))) return refused('software_id_exists', { id });
      const created = await unlessTaken(refused('software_slug_exists', { named: slug }), () =>
        software.insert({ ...values, ...(id && { id }), slug, createdAt: now, createdBy: actor.userId }),
      );
      if (created.ok) record({ action: 'software.create', id: created.value.id, after: created.value });
      return created;
    },
  },
  {
    note: ({ id }) => id,
    recall: ({ software }, id) => software.find(Number(id)),
  },
);

/** Changes the values sent. If none are sent, nothing changes, not even `updated_at`. */
export const updateSoftware = defineCommand({
  name: 'update-software',
  audit: 'always',
  run: async (
    transaction,
    { named, changes }: { named: string; changes: SoftwareChanges },
    { actor, now, record },
  ): Promise<Outcome<Software>> => {
    const found = await findOwnSoftware(transaction, named, actor);
    if (!found.ok || Object.keys(changes).length === 0) return found;
    const before = found.value;
    const changed = { ...withDefaults(changes, SOFTWARE_DEFAULTS), updatedAt: now, updatedBy: actor.userId };
    const after = { ...before, ...changed };
    const products = changed.productIds ? checkProducts(actor, changed.productIds) : done(null);
    if (!products.ok) return products;
    const written = await unlessTaken(refused('software_slug_exists', { named: after.slug }), () =>
      transaction.software.update(before.id, changed),
    );
    if (!written.ok) return written;
    record({ action: 'software.update', id: before.id, before, after });
    return done(after);
  },
});

/** Deletes software with its releases. Returns the storage keys of files that no release uses any more. */
export const deleteSoftware = defineCommand({
  name: 'delete-software',
  audit: 'always',
  run: async (
    transaction,
    { named }: { named: string },
    { actor, record },
  ): Promise<Outcome<{ unused: string[] }>> => {
    const found = await findOwnSoftware(transaction, named, actor);
    if (!found.ok) return found;
    const { id } = found.value;
    await transaction.software.delete(id);
    record({ action: 'software.delete', id, before: found.value });
    return done({ unused: await transaction.artifacts.dropUnused() });
  },
});
