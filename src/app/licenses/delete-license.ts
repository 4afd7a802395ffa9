import type { LicenseName } from '../../domain/license.ts';
import { done, type Outcome, refused } from '../../domain/refusal.ts';
import { defineCommand } from '../command.ts';
import { findLicense } from './licenses.ts';

/** Deletes a license with its activations. */
export const deleteLicense = defineCommand({
  name: 'delete-license',
  guarded: true,
  audit: 'always',
  run: async (transaction, { named }: { named: LicenseName }, { actor, record }): Promise<Outcome<null>> => {
    const found = await findLicense(transaction, named, actor);
    if (!found.ok) return found;
    const deleted = await transaction.licenses.delete(found.value);
    if (!deleted) return refused('license_not_found', { named });
    record({ action: 'license.delete', id: found.value.id, before: found.value });
    return done(null);
  },
});
