import { higherOffer } from '../../app/releases/updates.ts';
import type { Release } from '../../domain/releases/release.ts';
import type { Software } from '../../domain/releases/software.ts';
import type { Reads } from '../../store/store.ts';
import { note } from '../output.ts';
import type { Run } from '../run.ts';
import { type Columns, grouped, history, pairs, printable } from '../table.ts';

const rolloutOf = ({ rollout }: Release): string => `${rollout} %`;

export const RELEASE_COLUMNS: Columns<Release> = {
  VERSION: 'version',
  CHANNEL: 'channel',
  STATUS: 'status',
  ROLLOUT: rolloutOf,
  'PUBLISHED (UTC)': 'publishedAt',
  BYTES: ({ file }) => file && grouped(file.size),
  FILE: ({ file }) => file?.name,
};

/** Returns all fields of a release except its changelog, as text. */
export const releaseWords = (release: Release, software: Software): string =>
  pairs({
    Software: software.slug,
    Version: release.version,
    Id: release.id,
    Status: release.status,
    'Yanked because': release.yankReason,
    Channel: release.channel,
    Rollout: rolloutOf(release),
    File: release.file?.name,
    'Media type': release.file?.type,
    Bytes: release.file && grouped(release.file.size),
    'SHA-256': release.file?.sha256,
    Notice: release.upgradeNotice,
    Published: release.publishedAt && `${release.publishedAt} UTC`,
    ...history(release),
  });

/** Writes a note if a higher version is offered instead of a release. */
export async function noteHigher(run: Run, reads: Reads, release: Release): Promise<void> {
  // The release is written: a failure here must not look like one of the release.
  const higher = await higherOffer(reads, release).catch(() => null);
  if (higher !== null) note(run, `${higher} is higher and stays the one that is offered.`);
}

/** Returns the changelog with its line breaks. */
export const changelogWords = ({ changelog }: Release): string =>
  changelog === null ? 'No changelog.' : changelog.trimEnd().split('\n').map(printable).join('\n');
