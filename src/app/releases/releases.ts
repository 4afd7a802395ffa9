import type { Actor } from '../../domain/actor.ts';
import type { Datetime } from '../../domain/datetime.ts';
import { reference } from '../../domain/fields.ts';
import { done, invalid, type Outcome, refused } from '../../domain/refusal.ts';
import type { Release } from '../../domain/release.ts';
import type { Received } from '../../storage/storage.ts';
import type {
  Found,
  Listed,
  Page,
  Reads,
  ReleaseFileRow,
  ReleasePage,
  Transaction,
} from '../../store/store.ts';
import { unlessTaken } from '../unless-taken.ts';
import { findOwnSoftware, findSoftware } from './software.ts';

/** A release by the ids of its software and its own, as they were sent. */
export interface ReleaseName {
  software: string;
  release: string;
}

/** A file that came in, and what its uploader says of it. */
export interface Upload extends Received {
  name: string;
  type: string;
}

/** The same without its place among incoming files: the storage has the bytes under their key. */
export type PlacedFile = Omit<Upload, 'file'>;

/** A release that was written, and the keys of bytes that nothing refers to since. */
export interface WrittenRelease {
  release: Release;
  unused: string[];
}

const id = reference();

/** The release of an id as it was sent, where its software is the actor's to change. */
export async function findOwnRelease(
  reads: Pick<Reads, 'software' | 'releases'>,
  { software, release: named }: ReleaseName,
  actor: Actor,
): Promise<Outcome<Release>> {
  const found = await findOwnSoftware(reads, software, actor);
  if (!found.ok) return found;
  const read = id.read(named);
  const release = read.ok ? await reads.releases.find(read.value) : null;
  return release?.softwareId === found.value.id ? done(release) : refused('release_not_found', { named });
}

/** Highest version first. */
export async function listReleases(
  reads: Reads,
  software: string,
  page: Page,
  actor: Actor,
): Promise<Outcome<Listed<Release>>> {
  const found = await findSoftware(reads, software, actor);
  return found.ok ? done(await reads.releases.list(found.value.id, page)) : found;
}

/** Highest version first, of one channel or all. */
export async function searchReleases(
  reads: Reads,
  software: string,
  page: ReleasePage,
  actor: Actor,
): Promise<Outcome<Found<Release, string>>> {
  const found = await findSoftware(reads, software, actor);
  return found.ok ? done(await reads.releases.search(found.value.id, page)) : found;
}

/**
 * Writes a release with its file. The same bytes become the same artifact.
 * @param write inserts or updates the row, and returns its id; `columns` are those of the new file, if there is one
 */
export async function writeRelease(
  { artifacts, releases }: Transaction,
  version: string,
  file: PlacedFile | null,
  now: Datetime,
  write: (columns: ReleaseFileRow | null) => Promise<number>,
): Promise<Outcome<WrittenRelease>> {
  const written = await unlessTaken(refused('release_version_exists', { named: version }), async () => {
    if (!file) return write(null);
    const { name, type, ...bytes } = file;
    const { id: artifactId } = await artifacts.findOrInsert({ ...bytes, createdAt: now });
    return write({ artifactId, fileName: name, fileType: type });
  });
  if (!written.ok) return written;
  const unused = await artifacts.dropUnused();
  const release = await releases.find(written.value);
  if (!release) throw new Error('a release that was just written is missing');
  return done({ release, unused });
}

/**
 * Refuses a version that another release of the software has, before its file is taken in; whoever writes one learns of
 * those made meanwhile. @param own the release that may have it
 */
export async function checkVersion(
  { releases }: Pick<Reads, 'releases'>,
  softwareId: number,
  named: string | null | undefined,
  own?: number,
): Promise<Outcome<null>> {
  const there = named == null ? null : await releases.findByVersion(softwareId, named);
  return there === null || there.id === own
    ? done(null)
    : refused('release_version_exists', { named: named as string });
}

/** Refuses what would be offered without anything to download. */
export function checkFile(status: Release['status'], hasFile: boolean): Outcome<null> {
  return status !== 'published' || hasFile ? done(null) : invalid('file', 'file_to_publish');
}
