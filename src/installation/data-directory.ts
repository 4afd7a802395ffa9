import { chmodSync, lstatSync, readdirSync, readFileSync, type Stats, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { makeFolder } from '../disk/folder.ts';
import { masterKeyFile } from '../store/keys/master-key.ts';
import { ownerOfNewFiles } from './disk-space.ts';
import { databaseFile } from './engines.ts';

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
  makeFolder(dataDir);
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

/** A command runs as root in the data directory of another user. */
export class OwnedByAnother extends Error {
  override name = 'OwnedByAnother';
}

/**
 * Refuses to go on as root if another user owns the data directory: root's key files, release files and backups would be
 * closed to a server of that user.
 * @throws OwnedByAnother
 */
export function refuseForeignDirectory(dataDir: string): void {
  const problem = ownerNotice(dataDir);
  if (problem !== null) throw new OwnedByAnother(problem);
}

/**
 * Returns what is wrong, and what to do, if this user is root, and the data directory is another user's, who could not open
 * the files that root creates there; null otherwise. The owner of the database, or of the master key, comes before the owner
 * of the folder: a server that runs as root in a mounted folder owns its files, but not the folder.
 */
export function ownerNotice(dataDir: string): string | null {
  if (process.getuid?.() !== 0) return null;
  const ownerOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.uid;
  const folder = ownerOf(dataDir);
  if (!folder) return null;
  const owner = ownerOf(databaseFile(dataDir)) ?? ownerOf(masterKeyFile(dataDir)) ?? folder;
  try {
    // Some file systems, such as NFS with root squash, give root's new files to another user.
    if (ownerOfNewFiles(dataDir) === owner) return null;
  } catch {
    // Root can create no file, so it cannot create one that is closed to the owner.
    return null;
  }
  const [path, user] = [resolve(dataDir), userOf(owner)];
  return `${path} belongs to the user ${user.name}, who could not open the files that root creates in it: run "${user.sudo} latchkey …", or, if the server runs as root, "chown -R root ${path}"`;
}

/** Returns the name of a user, or the id of one without a name, and the beginning of a command that runs as the user. */
function userOf(uid: number): { name: string; sudo: string } {
  let users = '';
  try {
    users = readFileSync('/etc/passwd', 'utf8');
  } catch {
    // Some images have no such file.
  }
  const name = users
    .split('\n')
    .find((line) => line.split(':')[2] === String(uid))
    ?.split(':')[0];
  return { name: name ?? String(uid), sudo: `sudo -u ${name ?? `'#${uid}'`}` };
}
