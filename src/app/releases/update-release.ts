import { done, invalid, type Outcome, refused } from '../../domain/refusal.ts';
import { RELEASE_DEFAULTS, type ReleaseChanges } from '../../domain/release.ts';
import { UniqueViolation } from '../../store/store.ts';
import type { Command } from '../command.ts';
import {
  checkFile,
  fileColumns,
  findOwnRelease,
  type ReleaseName,
  type Upload,
  type WrittenRelease,
  written,
} from './releases.ts';

export interface UpdateRelease {
  named: ReleaseName;
  changes: ReleaseChanges;
  /** Takes the place of the file that there is; null where none was sent. */
  file: Omit<Upload, 'file'> | null;
}

/** Changes what was sent. An update that sends no field changes nothing, `updated_at` included. */
export const updateRelease: Command<UpdateRelease, Outcome<WrittenRelease>> = async (
  transaction,
  { named, changes, file },
  { actor, now, record },
) => {
  const found = await findOwnRelease(transaction, named, actor);
  if (!found.ok) return found;
  const release = found.value;
  if (Object.keys(changes).length === 0 && !file) return done({ release, unused: [] });

  const { version, channel, status, rollout, yankReason, ...nullable } = changes;
  const becomes = status ?? release.status;
  if (yankReason && becomes !== 'yanked') return invalid('yankReason', 'only_if_yanked');
  const hasFile = checkFile(becomes, file !== null || release.file !== null);
  if (!hasFile.ok) return hasFile;
  try {
    await transaction.releases.update(release.id, {
      ...nullable,
      ...(version != null && { version }),
      ...(channel != null && { channel }),
      ...(status != null && { status }),
      ...(rollout !== undefined && { rollout: rollout ?? RELEASE_DEFAULTS.rollout }),
      ...(becomes !== 'yanked' ? { yankReason: null } : yankReason !== undefined && { yankReason }),
      ...(status === 'published' && release.publishedAt === null && { publishedAt: now }),
      ...(file && (await fileColumns(transaction, file, now))),
      updatedAt: now,
      updatedBy: actor.userId,
    });
    const changed = await written(transaction, release.id);
    const subject = { type: 'release', id: release.id } as const;
    if (changed.ok)
      record({ action: 'release.update', subject, before: release, after: changed.value.release });
    return changed;
  } catch (error) {
    if (!(error instanceof UniqueViolation)) throw error;
    return refused('release_version_exists', { named: version ?? release.version });
  }
};
