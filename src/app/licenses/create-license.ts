import { expiry, type License, type LicenseSource, type NewLicense } from '../../domain/license.ts';
import { done, type Outcome, refused } from '../../domain/refusal.ts';
import { UniqueViolation } from '../../store/store.ts';
import type { Command } from '../command.ts';
import { checkProduct } from './licenses.ts';

export const createLicense: Command<NewLicense & { source: LicenseSource }, Outcome<License>> = async (
  { licenses },
  { licenseKey, ...input },
  { actor, now, record },
) => {
  const product = checkProduct(actor, input.productId);
  if (!product.ok) return product;
  const expiresAt = expiry(input.expiresAt, input.validFor, now);
  if (!expiresAt.ok) return expiresAt;
  try {
    const row = {
      ...input,
      key: licenseKey,
      expiresAt: expiresAt.value,
      createdAt: now,
      createdBy: actor.userId,
    };
    const license = await licenses.insert(row);
    record({ action: 'license.create', subject: { type: 'license', id: license.id }, after: license });
    return done(license);
  } catch (error) {
    if (!(error instanceof UniqueViolation)) throw error;
    return refused('license_key_exists', { named: licenseKey });
  }
};
