import { done, type Outcome } from '../../domain/refusal.ts';
import type { Command } from '../command.ts';
import { deleteLicense } from './delete-license.ts';

export interface DeleteLicenses {
  ids: readonly number[];
  /** Those that are gone already do not keep the others from being deleted. */
  skipGone?: boolean | null;
}

/** Deletes many licenses and their activations, all of them or none: the ids of those that were gone already. */
export const deleteLicenses: Command<DeleteLicenses, Outcome<{ gone: number[] }>> = async (
  transaction,
  { ids, skipGone },
  context,
) => {
  const gone: number[] = [];
  for (const id of [...new Set(ids)].sort((one, other) => one - other)) {
    const deleted = await deleteLicense(transaction, { named: { id } }, context);
    if (deleted.ok) continue;
    if (!skipGone || deleted.refusal.code !== 'license_not_found') return deleted;
    gone.push(id);
  }
  return done({ gone });
};
