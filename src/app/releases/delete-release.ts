import { done, type Outcome } from '../../domain/refusal.ts';
import { defineCommand } from '../command.ts';
import { findOwnRelease, type ReleaseName } from './releases.ts';

/** Deletes a release. Returns the keys of bytes that no release uses any more. */
export const deleteRelease = defineCommand({
  name: 'delete-release',
  audit: 'always',
  run: async (
    transaction,
    { named }: { named: ReleaseName },
    { actor, record },
  ): Promise<Outcome<{ unused: string[] }>> => {
    const found = await findOwnRelease(transaction, named, actor);
    if (!found.ok) return found;
    const { id } = found.value;
    await transaction.releases.delete(id);
    record({ action: 'release.delete', id, before: found.value });
    return done({ unused: await transaction.artifacts.dropUnused() });
  },
});
