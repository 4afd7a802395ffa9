import type { Actor } from '../../domain/actor.ts';
import type { Datetime } from '../../domain/datetime.ts';
import { reference, withDefaults } from '../../domain/fields.ts';
import { done, invalid, notFound, type Outcome, refused } from '../../domain/refusal.ts';
import {
  type NewRelease,
  RELEASE_DEFAULTS,
  type Release,
  type ReleaseChanges,
} from '../../domain/releases/release.ts';
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
import { defineCommand } from '../command.ts';
import { unlessTaken } from '../unless-taken.ts';
import { findOwnSoftware, findSoftware } from './software.ts';

/** The ids of software and of its release, as sent. */
export interface ReleaseName {
  software: string;
  release: string;
}

/** A received file with its name and media type. */
export interface Upload extends Received {
  name: string;
  type: string;
}

/** An upload that is in the storage under its key. */
export type PlacedFile = Omit<Upload, 'file'>;

/** A release, and the storage keys of files that no release uses any more. */
export interface WrittenRelease {
  release: Release;
  unused: string[];
}

const id = reference();

/** Finds a release whose software the actor may change. */
export async function findOwnRelease(
  reads: Pick<Reads, 'software' | 'releases'>,
  { software, release: named }: ReleaseName,
  actor: Actor,
): Promise<Outcome<Release>> {
  const found = await findOwnSoftware(reads, software, actor);
  if (!found.ok) return found;
  const read = id.read(named);
  const release = read.ok ? await reads.releases.find(read.value) : null;
  return release?.softwareId === found.value.id ? done(release) : notFound('release', named);
}

/** Returns a page of releases, highest version first. */
export async function listReleases(
  reads: Reads,
  software: string,
  page: Page,
  actor: Actor,
): Promise<Outcome<Listed<Release>>> {
  const found = await findSoftware(reads, software, actor);
  return found.ok ? done(await reads.releases.list(found.value.id, page)) : found;
}

/** Returns a page of the releases of one channel or all, highest version first. */
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
 * Refuses a version that another release of the software has, before the file is uploaded. The write checks this again.
 * @param own id of the release itself, in an update
 */
export async function checkVersion(
  { releases }: Pick<Reads, 'releases'>,
  softwareId: number,
  named: string | null | undefined,
  own?: number,
): Promise<Outcome<null>> {
  const existing = named == null ? null : await releases.findByVersion(softwareId, named);
  return existing === null || existing.id === own
    ? done(null)
    : refused('release_version_exists', { named: named as string });
}

/** Refuses to publish a release without a file. */
function checkFile(status: Release['status'], hasFile: boolean): Outcome<null> {
  return status !== 'published' || hasFile ? done(null) : invalid('file', 'file_to_publish');
}

/**
 * Writes a release with its file. Identical files share one artifact.
 * @param write inserts or updates the row, and returns its id; gets the `columns` of the new file, if there is one
 */
async function writeRelease(
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

export interface CreateRelease {
  /** The id as sent. */
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
    const created = await writeRelease(transaction, input.version, file, now, (columns) =>
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
    if (!created.ok) return created;
    const { release } = created.value;
    record({ action: 'release.create', id: release.id, after: release });
    return created;
  },
});

export interface UpdateRelease {
  named: ReleaseName;
  changes: ReleaseChanges;
  /** The file that replaces the present one; null if none was sent. */
  file: PlacedFile | null;
}

/** Changes the values sent. If none are sent, nothing changes, not even `updated_at`. */
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
    const before = found.value;
    if (Object.keys(changes).length === 0 && !file) return done({ release: before, unused: [] });

    const status = changes.status ?? before.status;
    if (changes.yankReason && status !== 'yanked') return invalid('yankReason', 'only_if_yanked');
    const hasFile = checkFile(status, file !== null || before.file !== null);
    if (!hasFile.ok) return hasFile;
    const isFirstTime = changes.status === 'published' && before.publishedAt === null;
    const version = changes.version ?? before.version;
    const written = await writeRelease(transaction, version, file, now, async (columns) => {
      await transaction.releases.update(before.id, {
        ...withDefaults(changes, RELEASE_DEFAULTS),
        ...(status !== 'yanked' && { yankReason: null }),
        ...(isFirstTime && { publishedAt: now }),
        ...columns,
        updatedAt: now,
        updatedBy: actor.userId,
      });
      return before.id;
    });
    if (!written.ok) return written;
    record({ action: 'release.update', id: before.id, before, after: written.value.release });
    return written;
  },
});

/** Deletes a release. Returns the storage keys of files that no release uses any more. */
export const deleteRelease = defineCommand({
  name: 'delete-release',
  audit: 'always',
  run: async (
    transaction,
    { named }: { named: ReleaseName },
    { actor, record },
  ): Promise<Outcome<{ unused: string[] }>> => {
    const found = await findOwnRelease(transaction, named, actor);
    if (!found.ok) return found;
    const { id } = found.value;
    await transaction.releases.delete(id);
    record({ action: 'release.delete', id, before: found.value });
    return done({ unused: await transaction.artifacts.dropUnused() });
  },
});
