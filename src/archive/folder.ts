import { accessSync, constants, existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { makeFolder, syncFolder } from '../disk/folder.ts';
import { lockFile } from '../disk/lock.ts';
import { ArchiveRefused, type FoundArchive, type NewArchive } from './archive.ts';
import { createTar, openTar } from './tar.ts';

const NAME = /^latchkey-(?:rows-)?(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.tar$/;
const PARTIAL = '.partial';
const LOCK = '.latchkey-backup.lock';

/**
 * The name for an archive that was begun at this time: `latchkey-20261121T223000Z.tar`, or `latchkey-rows-…` without
 * release files.
 */
const nameOf = (at: number, hasFiles: boolean): string =>
  `latchkey-${hasFiles ? '' : 'rows-'}${new Date(at).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z.tar`;

/** What the name of an archive says; null if the name has another form. */
function partsOf(name: string): Pick<FoundArchive, 'when' | 'hasFiles'> | null {
  const when = Date.parse(name.replace(NAME, '$1-$2-$3T$4:$5:$6Z'));
  const hasFiles = !name.startsWith('latchkey-rows-');
  return NAME.test(name) && when >= 0 && nameOf(when, hasFiles) === name ? { when, hasFiles } : null;
}

/**
 * Begins an archive. Removes the unfinished archives that killed processes left in the folder.
 * @param to a file, if it ends in `.tar` and is not a folder. Otherwise a folder, which is created if it is missing, for
 *   a file named by the time
 * @param at milliseconds since the epoch
 * @param hasFiles whether the archive will contain release files
 * @throws ArchiveRefused, and errors of the system
 */
export async function beginArchive(to: string, at: number, hasFiles = true): Promise<NewArchive> {
  const isFile = to.endsWith('.tar') && !statSync(to, { throwIfNoEntry: false })?.isDirectory();
  const path = resolve(isFile ? to : join(to, nameOf(at, hasFiles)));
  const [folder, partial] = [dirname(path), path + PARTIAL];
  const refuseTaken = () => {
    if (existsSync(path)) throw new ArchiveRefused('file_exists', `${path} already exists`);
  };
  refuseTaken();
  makeFolder(folder);
  const lockPath = join(folder, LOCK);
  // The lock is SQLite's, whose errors do not name the file that cannot be written.
  for (const one of [folder, lockPath]) if (existsSync(one)) accessSync(one, constants.W_OK);
  const lock = lockFile(lockPath);
  if (!lock) throw new ArchiveRefused('under_way', `another backup is being made in ${folder}`);
  const release = () => {
    rmSync(lockPath, { force: true });
    lock.close();
  };
  try {
    for (const name of readdirSync(folder))
      if (name.endsWith(PARTIAL) && partsOf(name.slice(0, -PARTIAL.length))) rmSync(join(folder, name));
    rmSync(partial, { force: true });
    const file = await open(partial, 'wx', 0o600);
    const tar = createTar(file, at);
    const named = <T>(written: Promise<T>): Promise<T> =>
      written.catch((error) => {
        // Errors of writing do not name the file.
        if (error.syscall === 'write' || error.syscall === 'fsync') error.path = partial;
        throw error;
      });
    return {
      path,
      add: (...entry) => named(tar.add(...entry)),
      async finish() {
        await named(tar.end());
        return openTar(partial);
      },
      async keep() {
        refuseTaken();
        await rename(partial, path);
        await syncFolder(folder);
      },
      async close() {
        await file.close();
        rmSync(partial, { force: true });
        release();
      },
    };
  } catch (error) {
    release();
    throw error;
  }
}

/** Returns the archives in a folder whose names contain a time, newest first. Returns none if the folder does not exist. */
export function findArchives(folder: string): FoundArchive[] {
  const names = statSync(folder, { throwIfNoEntry: false }) ? readdirSync(folder) : [];
  const found = names.flatMap((name) => {
    const parts = partsOf(name);
    const path = join(folder, name);
    const about = parts ? statSync(path, { throwIfNoEntry: false }) : undefined;
    return parts && about?.isFile() ? [{ path, ...parts, bytes: about.size }] : [];
  });
  return found.sort((one, other) => other.when - one.when);
}

/**
 * Returns the newest archive with release files in a folder. Ignores archives dated in the future, which were made with a
 * wrong clock.
 */
export const newestArchive = (folder: string, now: number): FoundArchive | undefined =>
  findArchives(folder).find(({ when, hasFiles }) => hasFiles && when <= now);
