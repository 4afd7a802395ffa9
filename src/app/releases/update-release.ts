import { withDefaults } from '../../domain/fields.ts';
import { done, invalid, type Outcome } from '../../domain/refusal.ts';
import { RELEASE_DEFAULTS, type ReleaseChanges } from '../../domain/release.ts';
import { defineCommand } from '../command.ts';
import {
  checkFile,
  findOwnRelease,
  type PlacedFile,
  type ReleaseName,
  type WrittenRelease,
  writeRelease,
} from './releases.ts';

export interface UpdateRelease {
  named: ReleaseName;
  changes: ReleaseChanges;
  /** Replaces the present file; null if none was sent. */
  file: PlacedFile | null;
}

/** Changes what was sent. An update that sends no field changes nothing, `updated_at` included. */
export const updateRelease = defineCommand({
  name: 'update-release',
  audit: 'always',
  run: async (
    transaction,
    { named, changes, file }: UpdateRelease,
    { actor, now, record },
  ): Promise<Outcome<WrittenRelease>> => {
    const found = await findOwnRelease(transaction, named, actor);
    if (!found.ok) return found;
    const release = found.value;
    if (Object.keys(changes).length === 0 && !file) return done({ release, unused: [] });

    const status = changes.status ?? release.status;
    if (changes.yankReason && status !== 'yanked') return invalid('yankReason', 'only_if_yanked');
    const hasFile = checkFile(status, file !== null || release.file !== null);
    if (!hasFile.ok) return hasFile;
    const isFirstTime = changes.status === 'published' && release.publishedAt === null;
    const version = changes.version ?? release.version;
    const written = await writeRelease(transaction, version, file, now, async (columns) => {
      await transaction.releases.update(release.id, {
        ...withDefaults(changes, RELEASE_DEFAULTS),
        ...(status !== 'yanked' && { yankReason: null }),
        ...(isFirstTime && { publishedAt: now }),
        ...columns,
        updatedAt: now,
        updatedBy: actor.userId,
      });
      return release.id;
    });
    if (!written.ok) return written;
    record({ action: 'release.update', id: release.id, before: release, after: written.value.release });
    return written;
  },
});
