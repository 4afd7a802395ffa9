import { setImmediate } from 'node:timers/promises';
import type { Activation } from '../../domain/activation.ts';
import { type Actor, reaches } from '../../domain/actor.ts';
import { type License, type LicenseFilter, type LicenseName, licenseRef } from '../../domain/license.ts';
import { done, invalid, type Outcome, type Refused, refused } from '../../domain/refusal.ts';
import {
  ACTIVATIONS_AT_ONCE,
  type LicenseWithActivations,
  type ListedById,
  type PageById,
  type Reads,
} from '../../store/store.ts';

const notFound = (named: LicenseName): Refused => refused('license_not_found', { named });

/** The license named by its key, by `hashed-{hash}` or by its id, if it exists for this actor. */
export async function findLicense(reads: Reads, named: LicenseName, actor: Actor): Promise<Outcome<License>> {
  const license = await reads.licenses.find(typeof named === 'string' ? licenseRef(named) : named);
  return license && reaches(actor, license) ? done(license) : notFound(named);
}

/** The same with its newest valid activations; `restOfActivations` has the others. */
export async function getLicense(
  reads: Reads,
  named: string,
  actor: Actor,
): Promise<Outcome<LicenseWithActivations>> {
  const found = await reads.licenses.findWithActivations(licenseRef(named));
  return found && reaches(actor, found.license) ? done(found) : notFound(named);
}

/** What `getLicense` has not answered, some at a time: a license may have more than memory should hold. */
export async function* restOfActivations(
  reads: Reads,
  { license, activations }: LicenseWithActivations,
): AsyncGenerator<Activation[]> {
  let some = activations;
  while (some.length === ACTIVATIONS_AT_ONCE) {
    some = await reads.activations.before(license.id, some.at(-1)?.id ?? 0);
    yield some;
    // Others get their turn.
    await setImmediate();
  }
}

/** Refuses a product that would put a record out of the actor's own reach. */
export function checkProduct(actor: Actor, productId: number | null): Outcome<null> {
  const { products } = actor;
  if (products === null || reaches(actor, { productId })) return done(null);
  return invalid('productId', 'product_out_of_reach', { products });
}

/** Newest first; for an actor that is limited to products, only theirs. */
export function listLicenses(
  reads: Reads,
  filter: LicenseFilter,
  page: PageById,
  actor: Actor,
): Promise<ListedById<License>> {
  return reads.licenses.list({ ...filter, ...(actor.products && { products: actor.products }) }, page);
}
