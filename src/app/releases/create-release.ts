import { withDefaults } from '../../domain/fields.ts';
import type { Outcome } from '../../domain/refusal.ts';
import { type NewRelease, RELEASE_DEFAULTS } from '../../domain/release.ts';
import { defineCommand } from '../command.ts';
import { checkFile, type PlacedFile, type WrittenRelease, writeRelease } from './releases.ts';
import { findOwnSoftware } from './software.ts';

export interface CreateRelease {
  /** Id as it was sent. */
  software: string;
  input: NewRelease;
  file: PlacedFile | null;
}

export const createRelease = defineCommand({
  name: 'create-release',
  audit: 'always',
  run: async (
    transaction,
    { software, input, file }: CreateRelease,
    { actor, now, record },
  ): Promise<Outcome<WrittenRelease>> => {
    const found = await findOwnSoftware(transaction, software, actor);
    if (!found.ok) return found;
    const values = withDefaults(input, RELEASE_DEFAULTS);
    const hasFile = checkFile(values.status, file !== null);
    if (!hasFile.ok) return hasFile;
    const made = await writeRelease(transaction, input.version, file, now, (columns) =>
      transaction.releases.insert({
        ...values,
        softwareId: found.value.id,
        yankReason: null,
        publishedAt: values.status === 'published' ? now : null,
        createdAt: now,
        createdBy: actor.userId,
        ...(columns ?? { artifactId: null, fileName: null, fileType: null }),
      }),
    );
    if (!made.ok) return made;
    const { release } = made.value;
    record({ action: 'release.create', id: release.id, after: release });
    return made;
  },
});
