import type { License, LicenseChanges, LicenseName } from '../../domain/license.ts';
import { done, type Outcome, refused } from '../../domain/refusal.ts';
import { type Transaction, UniqueViolation } from '../../store/store.ts';
import type { Command, Context } from '../command.ts';
import { checkProduct, findLicense } from './licenses.ts';

export interface UpdateLicense {
  named: LicenseName;
  changes: LicenseChanges;
}

/** Changes what was sent. An update that sends no field changes nothing, `updated_at` included. */
export const updateLicense: Command<UpdateLicense, Outcome<License>> = async (
  transaction,
  { named, changes },
  context,
) => {
  const found = await findLicense(transaction, named, context.actor);
  if (!found.ok || Object.keys(changes).length === 0) return found;
  return changeLicense(transaction, named, found.value, changes, context);
};

/** Changes a license that was found, and records it. */
export async function changeLicense(
  transaction: Transaction,
  named: LicenseName,
  license: License,
  changes: LicenseChanges,
  { actor, now, record }: Pick<Context, 'actor' | 'now' | 'record'>,
): Promise<Outcome<License>> {
  if (changes.productId !== undefined) {
    const product = checkProduct(actor, changes.productId);
    if (!product.ok) return product;
  }

  const { licenseKey, status, validFor, activationsLimit, ...clearable } = changes;
  const changed: Partial<License> = {
    ...clearable,
    ...(licenseKey != null && { key: licenseKey }),
    ...(status != null && { status }),
    ...(validFor !== undefined && { validFor: validFor ?? 0 }),
    ...(activationsLimit !== undefined && { activationsLimit: activationsLimit ?? 0 }),
    updatedAt: now,
    updatedBy: actor.userId,
  };
  try {
    const updated = await transaction.licenses.update(license, changed);
    if (!updated) return refused('license_not_found', { named });
    const subject = { type: 'license', id: license.id } as const;
    record({ action: 'license.update', subject, before: license, after: { ...license, ...changed } });
    return done(updated);
  } catch (error) {
    if (!(error instanceof UniqueViolation)) throw error;
    return refused('license_key_exists', { named: licenseKey ?? '' });
  }
}
