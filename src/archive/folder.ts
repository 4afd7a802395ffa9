import { existsSync, readdirSync, statSync } from 'node:fs';
import { type FileHandle, link, mkdir, open, rename, rm, unlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { syncFolder } from '../disk/folder.ts';
import { ArchiveRefused, type FoundArchive, type NewArchive } from './archive.ts';
import { takeLock } from './lock.ts';
import { createTar, openTar } from './tar.ts';

const NAME = /^latchkey-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.tar$/;
const PARTIAL = '.partial';
const LOCK = '.latchkey-backup.lock';

/** `latchkey-20261121T223000Z.tar` */
const nameOf = (at: number): string =>
  `latchkey-${new Date(at).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z.tar`;

function whenOf(name: string): number | null {
  const found = NAME.exec(name);
  if (!found) return null;
  const [year, month, ...rest] = found.slice(1).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const when = Date.UTC(year, month - 1, ...rest);
  return nameOf(when) === name ? when : null;
}

/**
 * Begins an archive. Only one is made in a folder at a time; what killed processes have left of others is removed.
 * @param to a file, where it ends in `.tar` and is no folder; else a folder, made where it is missing, for a file that is
 *   named by the time
 * @param at milliseconds since the epoch
 * @throws ArchiveRefused, and errors of the system
 */
export async function beginArchive(to: string, at: number): Promise<NewArchive> {
  const isFile = to.endsWith('.tar') && !statSync(to, { throwIfNoEntry: false })?.isDirectory();
  const path = resolve(isFile ? to : join(to, nameOf(at)));
  const [folder, partial] = [dirname(path), path + PARTIAL];
  const unused = () => {
    if (existsSync(path)) throw new ArchiveRefused('file_exists', `${path} exists already`);
  };
  unused();
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const letGo = takeLock(join(folder, LOCK));
  if (!letGo) throw new ArchiveRefused('under_way', `another backup is being made in ${folder}`);
  const naming = <T>(act: Promise<T>): Promise<T> =>
    act.catch((error) => {
      // Errors of writing do not say of what.
      if (error.syscall === 'write' || error.syscall === 'fsync') error.path = partial;
      throw error;
    });
  let file: FileHandle | null = null;
  const closeFile = async () => {
    await file?.close();
    file = null;
  };
  try {
    for (const name of readdirSync(folder))
      if (name.endsWith(PARTIAL) && whenOf(name.slice(0, -PARTIAL.length)) !== null)
        await rm(join(folder, name));
    await rm(partial, { force: true });
    file = await open(partial, 'wx', 0o600);
    const tar = createTar(file, at);
    return {
      path,
      add: (...entry) => naming(tar.add(...entry)),
      async finish() {
        const bytes = await naming(tar.finish());
        await closeFile();
        return bytes;
      },
      reread: () => openTar(partial),
      async keep() {
        unused();
        await giveName(partial, path);
        await syncFolder(folder);
      },
      async close() {
        await closeFile();
        await rm(partial, { force: true });
        letGo();
      },
    };
  } catch (error) {
    await closeFile();
    letGo();
    throw error;
  }
}

async function giveName(from: string, to: string): Promise<void> {
  try {
    // A link, not a rename: it fails where somebody has put a file there meanwhile.
    await link(from, to);
    await unlink(from);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw new ArchiveRefused('file_exists', `${to} exists already`);
    // Some file systems have no links.
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(code)) throw error;
    await rename(from, to);
  }
}

/** Those of a folder that are named by their time, the newest first; none where there is no folder. */
export function findArchives(folder: string): FoundArchive[] {
  const found = namesIn(folder).flatMap((name) => {
    const when = whenOf(name);
    const path = join(folder, name);
    const about = when === null ? undefined : statSync(path, { throwIfNoEntry: false });
    return when !== null && about?.isFile() ? [{ path, when, bytes: about.size }] : [];
  });
  return found.sort((one, other) => other.when - one.when);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
