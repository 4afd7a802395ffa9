import { withDefaults } from '../../domain/fields.ts';
import type { License, LicenseChanges, LicenseName } from '../../domain/license.ts';
import { done, type Outcome, refused } from '../../domain/refusal.ts';
import type { Transaction } from '../../store/store.ts';
import { type Context, defineCommand } from '../command.ts';
import { unlessTaken } from '../unless-taken.ts';
import { checkProduct, findLicense } from './licenses.ts';

export interface UpdateLicense {
  named: LicenseName;
  changes: LicenseChanges;
}

/** Changes what was sent. An update that sends no field changes nothing, `updated_at` included. */
export const updateLicense = defineCommand({
  name: 'update-license',
  guarded: true,
  audit: 'always',
  run: async (transaction, { named, changes }: UpdateLicense, context): Promise<Outcome<License>> => {
    const found = await findLicense(transaction, named, context.actor);
    if (!found.ok || Object.keys(changes).length === 0) return found;
    return changeLicense(transaction, named, found.value, changes, context);
  },
});

/** Changes a license that was found, and records it. */
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
  const { licenseKey, ...others } = withDefaults(changes, { validFor: 0, activationsLimit: 0 });
  const key = licenseKey === undefined ? {} : { key: licenseKey };
  const changed = { ...others, ...key, updatedAt: now, updatedBy: actor.userId };
  const updated = await unlessTaken(refused('license_key_exists', { named: licenseKey ?? '' }), () =>
    licenses.update(license, changed),
  );
  if (!updated.ok) return updated;
  const { value } = updated;
  if (!value) return refused('license_not_found', { named });
  record({ action: 'license.update', id: license.id, before: license, after: { ...license, ...changed } });
  return done(value);
}
