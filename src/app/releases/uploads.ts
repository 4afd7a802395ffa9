import type { Actor } from '../../domain/actor.ts';
import { done, type Outcome } from '../../domain/refusal.ts';
import type { Release } from '../../domain/releases/release.ts';
import type { Artifacts, Received } from '../../storage/storage.ts';
import type { Services } from '../execute.ts';
import type {
  CreateRelease,
  PlacedFile,
  ReleaseName,
  UpdateRelease,
  Upload,
  WrittenRelease,
} from './releases.ts';

/** Creates a release, with the file of an upload if there is one. Removes the file if the release is refused. */
export const storeRelease = (
  services: Services,
  input: Omit<CreateRelease, 'file'>,
  upload: Upload | null,
  actor: Actor,
): Promise<Outcome<Release>> =>
  withFile(services, upload, (file) => services.execute('create-release', { ...input, file }, actor));

/** Changes a release, and its file if there is an upload. Removes the file if the change is refused. */
export const replaceRelease = (
  services: Services,
  input: Omit<UpdateRelease, 'file'>,
  upload: Upload | null,
  actor: Actor,
): Promise<Outcome<Release>> =>
  withFile(services, upload, (file) => services.execute('update-release', { ...input, file }, actor));

/** Deletes a release and its file. */
export const removeRelease = async (
  { execute, artifacts }: Services,
  named: ReleaseName,
  actor: Actor,
): Promise<Outcome<null>> =>
  removeUnused(artifacts, await execute('delete-release', { named }, actor), () => null);

/** Deletes software, its releases and their files. */
export const removeSoftware = async (
  { execute, artifacts }: Services,
  named: string,
  actor: Actor,
): Promise<Outcome<null>> =>
  removeUnused(artifacts, await execute('delete-software', { named }, actor), () => null);

/** Puts the file into the storage before a release refers to it, so that no release ever refers to a missing file. */
async function withFile(
  { artifacts, store }: Services,
  upload: Upload | null,
  write: (file: PlacedFile | null) => Promise<Outcome<WrittenRelease>>,
): Promise<Outcome<Release>> {
  const releaseOf = ({ release }: WrittenRelease) => release;
  if (!upload) return removeUnused(artifacts, await write(null), releaseOf);
  const { file: _, ...placed } = upload;
  try {
    await artifacts.place(upload);
  } catch (error) {
    await artifacts.discard(upload);
    // The storage may have stored the file before the error.
    await removeAll(artifacts, [upload.key]);
    throw error;
  }
  // If this throws, the release may have been written: keep the file.
  const outcome = await write(placed);
  const stored = outcome.ok ? outcome.value.release.file?.key : undefined;
  // The release was refused, or an identical file is stored under another key.
  if (stored !== upload.key) {
    if (stored !== undefined) await mend({ artifacts, store }, stored, upload);
    await removeAll(artifacts, [upload.key]);
  }
  return removeUnused(artifacts, outcome, releaseOf);
}

/**
 * If the stored file has been lost or truncated, replaces it with the upload of the same bytes. Ignores errors: the
 * release is already written, and doctor reports its missing file.
 */
async function mend(
  { artifacts, store }: Pick<Services, 'artifacts' | 'store'>,
  key: string,
  { key: from, size }: Received,
): Promise<void> {
  try {
    if ((await artifacts.size(key)) === size) return;
    const again = await artifacts.receive(await artifacts.open(from, { start: 0, end: size - 1 }), size);
    await artifacts.place({ ...again, key }).finally(() => artifacts.discard(again));
    // If the last release with this file was deleted meanwhile, its file was removed before this one was placed.
    if (!(await store.read.artifacts.isUsed(key))) await artifacts.remove(key);
  } catch {}
}

async function removeUnused<W extends { unused: string[] }, T>(
  artifacts: Artifacts,
  outcome: Outcome<W>,
  pick: (written: W) => T,
): Promise<Outcome<T>> {
  if (!outcome.ok) return outcome;
  await removeAll(artifacts, outcome.value.unused);
  return done(pick(outcome.value));
}

/** Removes files. Ignores errors: a later sweep removes the files, or doctor reports them. */
async function removeAll(artifacts: Artifacts, keys: readonly string[]): Promise<void> {
  await Promise.allSettled(keys.map((key) => artifacts.remove(key)));
}
