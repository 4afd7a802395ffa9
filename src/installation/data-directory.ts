import { chmodSync, lstatSync, mkdirSync, readdirSync, type Stats, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The file in the data directory that a start may write secrets to. */
export const FIRST_START_FILE = 'first-start.txt';
/** Matches the files that Latchkey creates in a data directory. */
const OURS = /^(latchkey\.db|master\.key|artifacts$|backups$|first-start\.txt$)/;
const OTHERS = 0o077;

/** Whether a folder or file gives permissions to other users. Windows has no such modes. */
export const isOpenToOthers = ({ mode }: Pick<Stats, 'mode'>): boolean =>
  process.platform !== 'win32' && (mode & OTHERS) !== 0;

/** Whether other users of the machine can open a data directory; `closed` if they could until now. */
export type DirectoryAccess = 'private' | 'closed' | 'open';

/**
 * Creates the data directory if it is missing. Removes other users' permissions from an existing one, if this user owns it
 * and it contains only Latchkey's files, owned by this user. Leaves any other directory as it is: it may be a folder that
 * others use, or a volume that a server accesses as another user.
 */
export function makeDataDirectory(dataDir: string): DirectoryAccess {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const stats = statSync(dataDir);
  if (!isOpenToOthers(stats)) return 'private';
  if (stats.uid !== process.getuid?.()) return 'open';
  const isOurs = (name: string) => {
    const found = OURS.test(name) && lstatSync(join(dataDir, name), { throwIfNoEntry: false });
    // SQLite may remove a file meanwhile.
    return found === undefined || (found !== false && found.uid === stats.uid);
  };
  try {
    if (!readdirSync(dataDir).every(isOurs)) return 'open';
    chmodSync(dataDir, stats.mode & 0o7777 & ~OTHERS);
  } catch {
    // The directory is on a read-only file system, or may not be read. Whatever needs it says so.
    return 'open';
  }
  // Some file systems ignore modes.
  return isOpenToOthers(statSync(dataDir)) ? 'open' : 'closed';
}

/** The message about the access to a data directory; null if the directory was private already. */
export function accessNotice(dataDir: string, access: DirectoryAccess): string | null {
  const path = resolve(dataDir);
  if (access === 'private') return null;
  return access === 'closed'
    ? `other users of this machine could open ${path}: its mode is now 700`
    : `other users of this machine can open ${path}: run "chmod 700 ${path}", unless this is intended`;
}
