import type { LicenseName } from '../../domain/license.ts';
import { done, type Outcome, refused } from '../../domain/refusal.ts';
import type { Command } from '../command.ts';
import { findLicense } from './licenses.ts';

/** Deletes a license and its activations with it. */
export const deleteLicense: Command<{ named: LicenseName }, Outcome<null>> = async (
  transaction,
  { named },
  { actor, record },
) => {
  const found = await findLicense(transaction, named, actor);
  if (!found.ok) return found;
  const deleted = await transaction.licenses.delete(found.value);
  if (!deleted) return refused('license_not_found', { named });
  const subject = { type: 'license', id: found.value.id } as const;
  record({ action: 'license.delete', subject, before: found.value });
  return done(null);
};
