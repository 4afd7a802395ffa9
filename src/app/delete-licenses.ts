import { done, type Outcome } from '../domain/refusal.ts';
import type { Command } from './command.ts';
import { deleteLicense } from './delete-license.ts';

/** Deletes many licenses and their activations: all of them or none. */
export const deleteLicenses: Command<{ ids: readonly number[] }, Outcome<null>> = async (
  transaction,
  { ids },
  context,
) => {
  for (const id of [...new Set(ids)].sort((one, other) => one - other)) {
    const deleted = await deleteLicense(transaction, { named: { id } }, context);
    if (!deleted.ok) return deleted;
  }
  return done(null);
};
