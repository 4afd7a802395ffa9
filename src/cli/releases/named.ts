import { findSoftware } from '../../app/releases/software.ts';
import { required, text } from '../../domain/fields.ts';
import { refusal } from '../../domain/refusal.ts';
import type { Release } from '../../domain/release.ts';
import type { Software } from '../../domain/software.ts';
import { version } from '../../domain/version.ts';
import type { Reads } from '../../store/store.ts';
import { failureOf } from '../failure.ts';
import type { Meanings } from '../flags.ts';
import { OWNER } from '../open.ts';

/** How a release is named. */
export const nameShape = {
  software: required(text({ min: 1, max: 255 })),
  version: required(version),
};
export const NAME_MEANINGS: Meanings<typeof nameShape> = {
  software: ['name', 'The software, by its slug or id'],
  version: ['version', 'The version, like 1.4.0'],
};

/**
 * The software of a slug or an id.
 * @throws Failure
 */
export async function softwareNamed(reads: Reads, named: string): Promise<Software> {
  const bySlug = await reads.software.findBySlug(named);
  if (bySlug) return bySlug;
  const byId = await findSoftware(reads, named, OWNER);
  if (!byId.ok) throw failureOf(byId.refusal);
  return byId.value;
}

/**
 * Refuses what the command would, too, but only when the file has been taken in.
 * @param own the release that may have the version, by its id
 * @throws Failure
 */
export async function refuseTakenVersion(
  reads: Reads,
  { id }: Pick<Software, 'id'>,
  version: string,
  own: number | null = null,
): Promise<void> {
  const other = await reads.releases.findByVersion(id, version);
  if (other && other.id !== own) throw failureOf(refusal('release_version_exists', { named: version }));
}

/** @throws Failure */
export async function releaseNamed(reads: Reads, { id }: Software, named: string): Promise<Release> {
  const release = await reads.releases.findByVersion(id, named);
  if (!release) throw failureOf(refusal('release_not_found', { named }));
  return release;
}
