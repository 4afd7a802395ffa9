import {
  ArchiveDamaged,
  type ArchiveReader,
  type FoundArchive,
  type NewArchive,
} from '../../archive/archive.ts';
import { type BackedUp, backUp, isoTime, type Watched } from './back-up.ts';
import { FORM, type Head, type Manifest } from './backup-format.ts';
import { headOf, openBackup } from './open-backup.ts';
import { type Verified, verifyBackup } from './verify-backup.ts';

export interface MadeBackup {
  head: Head;
  manifest: Manifest;
  verified: Verified;
  bytes: number;
}

/**
 * Makes a backup, reads all of it back, and only then gives it its name.
 * @param on what makes it
 * @throws FileLost, ArchiveDamaged, ArchiveRefused, StoreUnavailable, StorageUnavailable, errors of the system, or what
 *   the signal was aborted with
 */
export async function makeBackup(
  from: BackedUp,
  archive: NewArchive,
  on: Pick<Head, 'latchkey' | 'engine'> & { at: number },
  watched: Watched,
): Promise<MadeBackup> {
  const { latchkey, engine, at } = on;
  const head: Head = { form: FORM, latchkey, engine, begun_at: isoTime(at) };
  const manifest = await backUp(from, archive, head, watched);
  const bytes = await archive.finish();
  const reader = await archive.reread();
  try {
    const verified = await verifyBackup(await openBackup(reader), watched, null);
    const [problem] = verified.problems;
    if (problem) throw new ArchiveDamaged(`what was read back is not what was written: ${problem}`);
    watched.signal.throwIfAborted();
    await archive.keep();
    return { head, manifest, verified, bytes };
  } finally {
    await reader.close();
  }
}

export type LookedAt = FoundArchive & ({ head: Head; problem: null } | { head: null; problem: string });

/** The heads of archives, or why they have none. */
export async function headsOf(
  found: readonly FoundArchive[],
  open: (path: string) => Promise<ArchiveReader>,
): Promise<LookedAt[]> {
  const heads: LookedAt[] = [];
  for (const one of found) {
    try {
      const archive = await open(one.path);
      heads.push({ ...one, head: await headOf(archive).finally(archive.close), problem: null });
    } catch (error) {
      heads.push({ ...one, head: null, problem: (error as Error).message });
    }
  }
  return heads;
}

/**
 * Those of a folder that are not kept, when one was made just now: of the others that are whole, as far as a look tells,
 * all but the newest. What cannot be read is left to people; and so are those of the future, which a wrong clock has made:
 * they must not take the places of others.
 * @param at when this one was begun, in milliseconds since the epoch
 */
export async function outdated(
  found: readonly FoundArchive[],
  { made, at }: { made: string; at: number },
  keep: number,
  open: (path: string) => Promise<ArchiveReader>,
): Promise<string[]> {
  const others = await headsOf(
    found.filter(({ path, when }) => path !== made && when <= at),
    open,
  );
  return others
    .filter(({ head }) => head !== null)
    .slice(keep - 1)
    .map(({ path }) => path);
}
