import type { Actor } from '../../domain/actor.ts';
import { done, type Outcome } from '../../domain/refusal.ts';
import type { Release } from '../../domain/release.ts';
import type { Artifacts, Received } from '../../storage/storage.ts';
import type { Services } from '../execute.ts';
import type { CreateRelease } from './create-release.ts';
import type { PlacedFile, ReleaseName, Upload, WrittenRelease } from './releases.ts';
import type { UpdateRelease } from './update-release.ts';

/** Makes a release, of a file that came in where there is one; nothing stays of that where none is made. */
export const storeRelease = (
  services: Services,
  input: Omit<CreateRelease, 'file'>,
  upload: Upload | null,
  actor: Actor,
): Promise<Outcome<Release>> =>
  withFile(services, upload, (file) => services.execute('create-release', { ...input, file }, actor));

/** Changes a release, and its file where one came in; nothing stays of that where it is refused. */
export const replaceRelease = (
  services: Services,
  input: Omit<UpdateRelease, 'file'>,
  upload: Upload | null,
  actor: Actor,
): Promise<Outcome<Release>> =>
  withFile(services, upload, (file) => services.execute('update-release', { ...input, file }, actor));

export async function removeRelease(
  { execute, artifacts }: Services,
  named: ReleaseName,
  actor: Actor,
): Promise<Outcome<null>> {
  return withoutUnused(artifacts, await execute('delete-release', { named }, actor));
}

export async function removeSoftware(
  { execute, artifacts }: Services,
  named: string,
  actor: Actor,
): Promise<Outcome<null>> {
  return withoutUnused(artifacts, await execute('delete-software', { named }, actor));
}

/** Puts the bytes where they stay before a release refers to them, so that none ever refers to what is not there. */
async function withFile(
  { artifacts, store }: Services,
  upload: Upload | null,
  write: (file: PlacedFile | null) => Promise<Outcome<WrittenRelease>>,
): Promise<Outcome<Release>> {
  if (!upload) return releaseOf(artifacts, await write(null));
  const { file: _, ...placed } = upload;
  try {
    await artifacts.place(upload);
  } catch (error) {
    await artifacts.discard(upload);
    // They may have got there all the same.
    await removeAll(artifacts, [upload.key]);
    throw error;
  }
  // Where this throws, nobody can tell whether the release was written: the bytes stay until that is known.
  const outcome = await write(placed);
  const kept = outcome.ok ? outcome.value.release.file?.key : undefined;
  // Refused, or the same bytes were there already, under another key.
  if (kept !== upload.key) {
    if (kept !== undefined) await mend({ artifacts, store }, kept, upload);
    await removeAll(artifacts, [upload.key]);
  }
  return releaseOf(artifacts, outcome);
}

/**
 * Where bytes that ought to be under a key have got lost, those of an upload of the same take their place, if that can
 * be done now: the release is written either way, and doctor tells of what it lacks.
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
    // Who deletes the last release of it meanwhile has removed the bytes before they were here.
    if (!(await store.read.artifacts.isUsed(key))) await artifacts.remove(key);
  } catch {}
}

async function releaseOf(artifacts: Artifacts, outcome: Outcome<WrittenRelease>): Promise<Outcome<Release>> {
  if (!outcome.ok) return outcome;
  await removeAll(artifacts, outcome.value.unused);
  return done(outcome.value.release);
}

async function withoutUnused(
  artifacts: Artifacts,
  outcome: Outcome<{ unused: string[] }>,
): Promise<Outcome<null>> {
  if (!outcome.ok) return outcome;
  await removeAll(artifacts, outcome.value.unused);
  return done(null);
}

/** What cannot be removed now is left to a later sweep, or to doctor: what was asked for is done all the same. */
async function removeAll(artifacts: Artifacts, keys: readonly string[]): Promise<void> {
  await Promise.allSettled(keys.map((key) => artifacts.remove(key)));
}
