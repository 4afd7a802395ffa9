import { findSoftware } from '../../app/releases/software.ts';
import { required, text } from '../../domain/fields.ts';
import { notFound, refusal } from '../../domain/refusal.ts';
import type { Release } from '../../domain/release.ts';
import type { Software } from '../../domain/software.ts';
import { version } from '../../domain/version.ts';
import type { Reads } from '../../store/store.ts';
import { failureOf, orFail } from '../failure.ts';
import { flagsOf } from '../flags.ts';
import { OWNER } from '../open.ts';

/** The flags that name a release. */
export const nameFlags = flagsOf(
  { software: required(text({ min: 1, max: 255 })), version: required(version) },
  { software: ['name', 'Software, by slug or id'], version: ['version', 'Version, like 1.4.0'] },
);

/**
 * Finds software by its slug or its id.
 * @throws Failure
 */
export const softwareNamed = async (reads: Reads, named: string): Promise<Software> =>
  (await reads.software.findBySlug(named)) ?? orFail(await findSoftware(reads, named, OWNER));

/** @throws Failure */
export async function releaseNamed(reads: Reads, { id }: Software, named: string): Promise<Release> {
  const release = await reads.releases.findByVersion(id, named);
  if (!release) throw failureOf(notFound('release', named).refusal);
  return release;
}

/**
 * Refuses a version that another release has. The command refuses it too, but only after the file was received.
 * @param own the id of the release that may have the version
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
