import { setImmediate } from 'node:timers/promises';
import type { Activation } from '../../domain/activation.ts';
import { type Actor, reaches } from '../../domain/actor.ts';
import { MAX_REFERENCE, withDefaults } from '../../domain/fields.ts';
import {
  CLEARED,
  expiry,
  type License,
  type LicenseChanges,
  type LicenseFilter,
  type LicenseName,
  type LicenseSource,
  licenseRef,
  type NewLicense,
} from '../../domain/licenses/license.ts';
import { done, invalid, notFound, type Outcome, refused } from '../../domain/refusal.ts';
import { TERMS_DEFAULTS } from '../../domain/terms.ts';
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
import { allAsHeld, asHeld } from './held-seats.ts';
import { endLapsed } from './seats.ts';

/** Finds a license by its key, `hashed-{hash}` or id, if it exists for this actor. */
export async function findLicense(reads: Reads, named: LicenseName, actor: Actor): Promise<Outcome<License>> {
  const license = await reads.licenses.find(typeof named === 'string' ? licenseRef(named) : named);
  return license && reaches(actor, license) ? done(license) : notFound('license', named);
}

/** A license with its newest valid activations. */
export interface FoundLicense extends LicenseWithActivations {
  /** The other valid activations, read in chunks: they may not all fit into memory. Null if there are none. */
  rest: AsyncIterable<Activation[]> | null;
}

/** Whether an activation is valid. If its seat has lapsed it is not, even before that is recorded. */
export const isValid = ({ deactivatedAt }: Activation): boolean => deactivatedAt === null;

/** Finds a license with its valid activations. */
export async function getLicense(reads: Reads, named: string, actor: Actor): Promise<Outcome<FoundLicense>> {
  const found = await reads.licenses.findWithActivations(licenseRef(named));
  if (!found || !reaches(actor, found.license)) return notFound('license', named);
  const { license, activations } = found;
  const rest = activations.length < ACTIVATIONS_AT_ONCE ? null : restOf(reads, found);
  return done({ license, activations: activations.filter(isValid), rest });
}

async function* restOf(
  reads: Reads,
  { license, activations }: LicenseWithActivations,
): AsyncGenerator<Activation[]> {
  let chunk = activations;
  while (chunk.length === ACTIVATIONS_AT_ONCE) {
    chunk = await reads.activations.before(license.id, chunk.at(-1)?.id ?? 0);
    yield chunk.filter(isValid);
    await setImmediate();
  }
}

/** Returns a page of licenses, newest first. An actor limited to products gets only licenses of these products. */
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

export const createLicense = defineCommand(
  {
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
        licenses.insert({
          ...withDefaults(input, TERMS_DEFAULTS),
          ...created,
          key: licenseKey,
          expiresAt: expiresAt.value,
        }),
      );
      if (license.ok) record({ action: 'license.create', id: license.value.id, after: license.value });
      return license;
    },
  },
  {
    note: ({ id }) => id,
    recall: ({ licenses }, id) => licenses.find({ id: Number(id) }),
  },
);

/** Changes the values sent. If none are sent, nothing changes, not even `updated_at`. */
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
    if (!found.ok) return found;
    if (Object.keys(changes).length === 0) return done(await asHeld(transaction, found.value, context.now));
    return changeLicense(transaction, named, found.value, changes, context);
  },
});

/** Changes a license that was just read. */
export async function changeLicense(
  transaction: Transaction,
  named: LicenseName,
  license: License,
  changes: LicenseChanges,
  context: Context,
): Promise<Outcome<License>> {
  const { actor, now, record } = context;
  if (changes.productId !== undefined) {
    const product = checkProduct(actor, changes.productId);
    if (!product.ok) return product;
  }
  const { activations, licenses } = transaction;
  const { licenseKey, ...values } = withDefaults(changes, CLEARED);
  if (values.seatTtl === 0 && license.seatTtl > 0) {
    // The license floats no longer: free the lapsed seats, and hold the others until they are deactivated.
    await endLapsed(transaction, license, MAX_REFERENCE, context);
    await activations.keepForGood(license.id);
  }
  const key = licenseKey === undefined ? {} : { key: licenseKey };
  const changed = { ...values, ...key, updatedAt: now, updatedBy: actor.userId };
  const updated = await unlessTaken(refused('license_key_exists', { named: licenseKey ?? '' }), () =>
    licenses.update(license, changed),
  );
  if (!updated.ok) return updated;
  if (!updated.value) return notFound('license', named);
  const after = await asHeld(transaction, updated.value, now);
  // Other fields may have changed since the license was read: only `changed` are changes of this command.
  const was = Object.fromEntries(Object.keys(changed).map((name) => [name, license[name as keyof License]]));
  record({ action: 'license.update', id: license.id, before: { ...after, ...was }, after });
  return done(after);
}

/** Maximum number of activations that one step of a deletion deletes, so that other commands wait little. */
export const ACTIVATIONS_PER_STEP = 1_000;

/** The result of a step. Until the deletion is done, the licenses still exist, with fewer activations. */
interface Step {
  isDone: boolean;
}

/** Deletes a license with its activations; one with more than ACTIVATIONS_PER_STEP in several steps (`inSteps`). */
export const deleteLicense = defineCommand({
  name: 'delete-license',
  guarded: true,
  audit: 'always',
  run: async (transaction, { named }: { named: LicenseName }, context): Promise<Outcome<Step>> => {
    const found = await findLicense(transaction, named, context.actor);
    return found.ok ? deleteFound(transaction, [found.value], context) : found;
  },
});

/**
 * Deletes many licenses, all or none; with `skipGone`, all licenses that still exist. Takes several steps (`inSteps`)
 * if they have many activations. Returns in `gone` the ids of licenses that no longer existed.
 */
export const deleteLicenses = defineCommand({
  name: 'delete-licenses',
  guarded: true,
  audit: 'always',
  run: async (
    transaction,
    { ids, skipGone }: { ids: readonly number[]; skipGone?: boolean | null },
    context,
  ): Promise<Outcome<Step & { gone: number[] }>> => {
    const there: License[] = [];
    const gone: number[] = [];
    for (const id of [...new Set(ids)].sort((one, other) => one - other)) {
      const found = await findLicense(transaction, { id }, context.actor);
      if (found.ok) there.push(found.value);
      else if (skipGone) gone.push(id);
      else return found;
    }
    const step = await deleteFound(transaction, there, context);
    return step.ok ? done({ ...step.value, gone }) : step;
  },
});

/** Runs one step: deletes activations if there are many, else the licenses with the remaining activations. */
async function deleteFound(
  transaction: Transaction,
  found: readonly License[],
  { actor, now, record }: Context,
): Promise<Outcome<Step>> {
  const { activations, licenses } = transaction;
  const ids = found.map(({ id }) => id);
  const held = await allAsHeld(transaction, found, now);
  if ((await activations.discard(ids, ACTIVATIONS_PER_STEP, now)) === ACTIVATIONS_PER_STEP)
    return done({ isDone: false });
  for (const license of held) {
    if (!(await licenses.delete(license, actor.userId, now))) return notFound('license', { id: license.id });
    record({ action: 'license.delete', id: license.id, before: license });
  }
  return done({ isDone: true });
}

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
