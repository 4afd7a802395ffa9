import { findNamedSoftware } from '../../app/releases/software.ts';
import { type Created, required, text } from '../../domain/fields.ts';
import { notFound } from '../../domain/refusal.ts';
import type { Release } from '../../domain/releases/release.ts';
import type { Software } from '../../domain/releases/software.ts';
import { version } from '../../domain/releases/version.ts';
import type { Reads } from '../../store/store.ts';
import { orFail } from '../failure.ts';
import { flagsOf } from '../flags.ts';
import { printable } from '../table.ts';

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
  (await findNamedSoftware(reads, named)) ?? orFail(notFound('software', named));

/**
 * Finds a release by the flags that name it.
 * @returns `named` for commands, `name` for messages
 * @throws Failure
 */
export async function findRelease(reads: Reads, flags: Created<typeof nameFlags>) {
  const software = await softwareNamed(reads, flags.software);
  const release = await releaseNamed(reads, software, flags.version);
  return {
    software,
    release,
    named: { software: String(software.id), release: String(release.id) },
    name: `${printable(release.version)} of ${printable(software.slug)}`,
  };
}

/** Finds a release by its version. @throws Failure */
export async function releaseNamed(reads: Reads, { id }: Software, named: string): Promise<Release> {
  return (await reads.releases.findByVersion(id, named)) ?? orFail(notFound('release', named));
}
