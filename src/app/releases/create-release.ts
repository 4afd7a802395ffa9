import { type Outcome, refused } from '../../domain/refusal.ts';
import { type NewRelease, RELEASE_DEFAULTS } from '../../domain/release.ts';
import { UniqueViolation } from '../../store/store.ts';
import type { Command } from '../command.ts';
import { checkFile, fileColumns, type Upload, type WrittenRelease, written } from './releases.ts';
import { findOwnSoftware } from './software.ts';

export interface CreateRelease {
  /** Id as it was sent. */
  software: string;
  input: NewRelease;
  file: Omit<Upload, 'file'> | null;
}

export const createRelease: Command<CreateRelease, Outcome<WrittenRelease>> = async (
  transaction,
  { software, input, file },
  { actor, now, record },
) => {
  const found = await findOwnSoftware(transaction, software, actor);
  if (!found.ok) return found;
  const status = input.status ?? RELEASE_DEFAULTS.status;
  const hasFile = checkFile(status, file !== null);
  if (!hasFile.ok) return hasFile;
  try {
    const id = await transaction.releases.insert({
      ...input,
      softwareId: found.value.id,
      channel: input.channel ?? RELEASE_DEFAULTS.channel,
      rollout: input.rollout ?? RELEASE_DEFAULTS.rollout,
      status,
      yankReason: null,
      publishedAt: status === 'published' ? now : null,
      createdAt: now,
      createdBy: actor.userId,
      ...(file
        ? await fileColumns(transaction, file, now)
        : { artifactId: null, fileName: null, fileType: null }),
    });
    const made = await written(transaction, id);
    const subject = { type: 'release', id } as const;
    if (made.ok) record({ action: 'release.create', subject, after: made.value.release });
    return made;
  } catch (error) {
    if (!(error instanceof UniqueViolation)) throw error;
    return refused('release_version_exists', { named: input.version });
  }
};
