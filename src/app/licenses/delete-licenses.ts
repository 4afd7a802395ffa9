import { done, type Outcome } from '../../domain/refusal.ts';
import { defineCommand } from '../command.ts';
import { deleteLicense } from './delete-license.ts';

export interface DeleteLicenses {
  ids: readonly number[];
  /** Skips licenses that are gone already, instead of refusing all. */
  skipGone?: boolean | null;
}

/** Deletes many licenses with their activations, all or none. Returns the ids of those that were gone already. */
export const deleteLicenses = defineCommand({
  name: 'delete-licenses',
  guarded: true,
  audit: 'always',
  run: async (
    transaction,
    { ids, skipGone }: DeleteLicenses,
    context,
  ): Promise<Outcome<{ gone: number[] }>> => {
    const gone: number[] = [];
    for (const id of [...new Set(ids)].sort((one, other) => one - other)) {
      const deleted = await deleteLicense.run(transaction, { named: { id } }, context);
      if (deleted.ok) continue;
      if (!skipGone || deleted.refusal.code !== 'license_not_found') return deleted;
      gone.push(id);
    }
    return done({ gone });
  },
});
