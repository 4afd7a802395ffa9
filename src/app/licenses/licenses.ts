import { setImmediate } from 'node:timers/promises';
import type { Activation } from '../../domain/activation.ts';
import { type Actor, reaches } from '../../domain/actor.ts';
import { withDefaults } from '../../domain/fields.ts';
import {
  expiry,
  type License,
  type LicenseChanges,
  type LicenseFilter,
  type LicenseName,
  type LicenseSource,
  licenseRef,
  type NewLicense,
} from '../../domain/license.ts';
import { done, invalid, notFound, type Outcome, refused } from '../../domain/refusal.ts';
import {
  ACTIVATIONS_AT_ONCE,
  type LicenseWithActivations,
  type ListedById,
  type PageById,
  type Reads,
  type Transaction,
} from '../../store/store.ts';
import { type Context, defineCommand } from '../command.ts';
import { unlessTaken } from '../unless-taken.ts';

/** Finds a license by its key, `hashed-{hash}` or id, if it exists for this actor. */
export async function findLicense(reads: Reads, named: LicenseName, actor: Actor): Promise<Outcome<License>> {
  const license = await reads.licenses.find(typeof named === 'string' ? licenseRef(named) : named);
  return license && reaches(actor, license) ? done(license) : notFound('license', named);
}

/** The same with its newest valid activations; `restOfActivations` reads the others. */
export async function getLicense(
  reads: Reads,
  named: string,
  actor: Actor,
): Promise<Outcome<LicenseWithActivations>> {
  const found = await reads.licenses.findWithActivations(licenseRef(named));
  return found && reaches(actor, found.license) ? done(found) : notFound('license', named);
}

/** Reads the valid activations after those of `getLicense` in chunks: they may not all fit into memory. */
export async function* restOfActivations(
  reads: Reads,
  { license, activations }: LicenseWithActivations,
): AsyncGenerator<Activation[]> {
  let chunk = activations;
  while (chunk.length === ACTIVATIONS_AT_ONCE) {
    chunk = await reads.activations.before(license.id, chunk.at(-1)?.id ?? 0);
    yield chunk;
    await setImmediate();
  }
}

/** Newest first. For an actor limited to products, only their licenses. */
export const listLicenses = (
  reads: Reads,
  filter: LicenseFilter,
  page: PageById,
  actor: Actor,
): Promise<ListedById<License>> =>
  reads.licenses.list({ ...filter, ...(actor.products && { products: actor.products }) }, page);

/** Refuses a product that would hide the license from the actor itself. */
function checkProduct(actor: Actor, productId: number | null): Outcome<null> {
  const { products } = actor;
  if (products === null || reaches(actor, { productId })) return done(null);
  return invalid('productId', 'product_out_of_reach', { products });
}

export const createLicense = defineCommand({
  name: 'create-license',
  audit: 'always',
  run: async (
    { licenses },
    { licenseKey, ...input }: NewLicense & { source: LicenseSource },
    { actor, now, record },
  ): Promise<Outcome<License>> => {
    const product = checkProduct(actor, input.productId);
    if (!product.ok) return product;
    const expiresAt = expiry(input.expiresAt, input.validFor, now);
    if (!expiresAt.ok) return expiresAt;
    const created = { createdAt: now, createdBy: actor.userId };
    const license = await unlessTaken(refused('license_key_exists', { named: licenseKey }), () =>
      licenses.insert({ ...input, ...created, key: licenseKey, expiresAt: expiresAt.value }),
    );
    if (license.ok) record({ action: 'license.create', id: license.value.id, after: license.value });
    return license;
  },
});

/** Changes the values sent. Without any, nothing changes, not even `updated_at`. */
export const updateLicense = defineCommand({
  name: 'update-license',
  guarded: true,
  audit: 'always',
  run: async (
    transaction,
    { named, changes }: { named: LicenseName; changes: LicenseChanges },
    context,
  ): Promise<Outcome<License>> => {
    const found = await findLicense(transaction, named, context.actor);
    if (!found.ok || Object.keys(changes).length === 0) return found;
    return changeLicense(transaction, named, found.value, changes, context);
  },
});

/** Changes a license that was just read. */
export async function changeLicense(
  { licenses }: Transaction,
  named: LicenseName,
  license: License,
  changes: LicenseChanges,
  { actor, now, record }: Context,
): Promise<Outcome<License>> {
  if (changes.productId !== undefined) {
    const product = checkProduct(actor, changes.productId);
    if (!product.ok) return product;
  }
  const { licenseKey, ...values } = withDefaults(changes, { validFor: 0, activationsLimit: 0 });
  const key = licenseKey === undefined ? {} : { key: licenseKey };
  const changed = { ...values, ...key, updatedAt: now, updatedBy: actor.userId };
  const updated = await unlessTaken(refused('license_key_exists', { named: licenseKey ?? '' }), () =>
    licenses.update(license, changed),
  );
  if (!updated.ok) return updated;
  if (!updated.value) return notFound('license', named);
  record({ action: 'license.update', id: license.id, before: license, after: { ...license, ...changed } });
  return done(updated.value);
}

/** Deletes a license with its activations. */
export const deleteLicense = defineCommand({
  name: 'delete-license',
  guarded: true,
  audit: 'always',
  run: async (transaction, { named }: { named: LicenseName }, { actor, record }): Promise<Outcome<null>> => {
    const found = await findLicense(transaction, named, actor);
    if (!found.ok) return found;
    const deleted = await transaction.licenses.delete(found.value);
    if (!deleted) return notFound('license', named);
    record({ action: 'license.delete', id: found.value.id, before: found.value });
    return done(null);
  },
});

/** Deletes many licenses, all or none; with `skipGone`, all that still exist. Returns the ids of the deleted before. */
export const deleteLicenses = defineCommand({
  name: 'delete-licenses',
  guarded: true,
  audit: 'always',
  run: async (
    transaction,
    { ids, skipGone }: { ids: readonly number[]; skipGone?: boolean | null },
    context,
  ): Promise<Outcome<{ gone: number[] }>> => {
    const gone: number[] = [];
    for (const id of [...new Set(ids)].sort((one, other) => one - other)) {
      const deleted = await deleteLicense.run(transaction, { named: { id } }, context);
      if (deleted.ok) continue;
      if (!skipGone || deleted.refusal.code !== 'record_not_found') return deleted;
      gone.push(id);
    }
    return done({ gone });
  },
});

/** Reads the whole key of a license for an actor who otherwise sees it masked, and records that. */
export const revealLicenseKey = defineCommand({
  name: 'reveal-license-key',
  guarded: true,
  audit: 'always',
  run: async (transaction, { id }: { id: number }, { actor, record }): Promise<Outcome<string>> => {
    const found = await findLicense(transaction, { id }, actor);
    if (!found.ok) return found;
    record({ action: 'license.reveal', id });
    return done(found.value.key);
  },
});
