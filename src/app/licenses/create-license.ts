import { expiry, type License, type LicenseSource, type NewLicense } from '../../domain/license.ts';
import { type Outcome, refused } from '../../domain/refusal.ts';
import { defineCommand } from '../command.ts';
import { unlessTaken } from '../unless-taken.ts';
import { checkProduct } from './licenses.ts';

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
    const made = { key: licenseKey, expiresAt: expiresAt.value, createdAt: now, createdBy: actor.userId };
    const license = await unlessTaken(refused('license_key_exists', { named: licenseKey }), () =>
      licenses.insert({ ...input, ...made }),
    );
    if (license.ok) record({ action: 'license.create', id: license.value.id, after: license.value });
    return license;
  },
});
