import type { Release } from '../../domain/release.ts';
import type { Software } from '../../domain/software.ts';
import { grouped, pairs, printable, table } from '../table.ts';

/** Releases in a table; times are UTC. */
export const releaseTable = (releases: readonly Release[]): string =>
  table(
    ['VERSION', 'CHANNEL', 'STATUS', 'ROLLOUT', 'PUBLISHED (UTC)', 'BYTES', 'FILE'],
    releases.map(({ version, channel, status, rollout, publishedAt, file }) => [
      version,
      channel,
      status,
      `${rollout} %`,
      publishedAt,
      file && grouped(file.size),
      file?.name ?? null,
    ]),
  );

/** All of one release but its changelog. */
export function releaseWords(release: Release, software: Software): string {
  const { file, publishedAt, createdAt, createdBy, updatedAt, updatedBy } = release;
  return pairs({
    Software: software.slug,
    Version: release.version,
    Id: release.id,
    Status: release.status,
    'Yanked because': release.yankReason,
    Channel: release.channel,
    Rollout: `${release.rollout} %`,
    File: file?.name ?? null,
    'Media type': file?.type ?? null,
    Bytes: file && grouped(file.size),
    'SHA-256': file?.sha256 ?? null,
    Notice: release.upgradeNotice,
    Published: publishedAt === null ? null : `${publishedAt} UTC`,
    Created: `${createdAt} UTC by user ${createdBy}`,
    Updated: updatedAt === null ? null : `${updatedAt} UTC by user ${updatedBy}`,
  });
}

/** In its own lines. */
export const changelogWords = ({ changelog }: Release): string =>
  changelog === null ? 'No changelog.' : changelog.trimEnd().split('\n').map(printable).join('\n');
