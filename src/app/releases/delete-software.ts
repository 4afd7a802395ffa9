import { done, type Outcome } from '../../domain/refusal.ts';
import { defineCommand } from '../command.ts';
import { findOwnSoftware } from './software.ts';

/** Deletes software with its releases. Returns the keys of bytes that no release uses any more. */
export const deleteSoftware = defineCommand({
  name: 'delete-software',
  audit: 'always',
  run: async (
    transaction,
    { named }: { named: string },
    { actor, record },
  ): Promise<Outcome<{ unused: string[] }>> => {
    const found = await findOwnSoftware(transaction, named, actor);
    if (!found.ok) return found;
    const { id } = found.value;
    await transaction.software.delete(id);
    record({ action: 'software.delete', id, before: found.value });
    return done({ unused: await transaction.artifacts.dropUnused() });
  },
});
