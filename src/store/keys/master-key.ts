import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { syncFolderNow } from '../../disk/folder.ts';
import { fingerprintOf, MASTER_KEY_BYTES } from './key-bundle.ts';

const FILE = 'master.key';

export const masterKeyFile = (dataDir: string): string => join(dataDir, FILE);
/** The file of the key that a rotation will put in place of the current one. */
export const nextMasterKeyFile = (dataDir: string): string => join(dataDir, `${FILE}.next`);
/** Where a rotation keeps the old key. */
export const retiredMasterKeyFile = (dataDir: string, fingerprint: string): string =>
  join(dataDir, `${FILE}.retired-${fingerprint.slice(0, 8)}`);

/** The key file exists, but holds no key. */
export class MasterKeyUnreadable extends Error {
  override name = 'MasterKeyUnreadable';
}

/** Reads a file. Adds the path to errors that lack it, such as the error for reading a folder. */
function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw Object.assign(error as Error, { path: file });
  }
}

/** Reads the master key; null if there is no key file. @throws MasterKeyUnreadable */
export const readMasterKey = (dataDir: string): Uint8Array | null =>
  readMasterKeyFile(masterKeyFile(dataDir));
export const readNextMasterKey = (dataDir: string): Uint8Array | null =>
  readMasterKeyFile(nextMasterKeyFile(dataDir));

/** Reads any key file; null if it does not exist. @throws MasterKeyUnreadable */
export function readMasterKeyFile(file: string): Uint8Array | null {
  // Not existsSync, which returns false if the folder is not accessible.
  if (!lstatSync(file, { throwIfNoEntry: false })) return null;
  if (!statSync(file, { throwIfNoEntry: false }))
    throw new MasterKeyUnreadable(
      `${file} is a link to a file that does not exist: put that file back, or remove the link`,
    );
  const text = readText(file).trim();
  if (!/^[0-9a-fA-F]{64}$/.test(text))
    throw new MasterKeyUnreadable(`${file} does not hold 64 hex digits: put it back from your backup`);
  return Buffer.from(text, 'hex');
}

/** Makes a key file that only its owner can read; by default with a new key. Concurrent processes get the same key. */
export const makeMasterKey = (dataDir: string, masterKey?: Uint8Array): Uint8Array =>
  makeKey(masterKeyFile(dataDir), masterKey);
/** Makes the file of the next key; returns the key in it if the file exists already. */
export const makeNextMasterKey = (dataDir: string): Uint8Array => makeKey(nextMasterKeyFile(dataDir));

function makeKey(file: string, masterKey: Uint8Array = randomBytes(MASTER_KEY_BYTES)): Uint8Array {
  // Random: containers that share a folder may have the same process id.
  const whole = `${file}.${randomBytes(6).toString('hex')}`;
  const opened = openSync(whole, 'wx', 0o600);
  try {
    // Writes all of it or throws: half a key on a full disk would stop every later start.
    writeFileSync(opened, `${Buffer.from(masterKey).toString('hex')}\n`);
    fsyncSync(opened);
    // Unlike a rename, a link fails if another process was first. It never shows half a file.
    linkSync(whole, file);
  } catch (error) {
    // Errors of writing do not name the file.
    unless(Object.assign(error as Error, { path: file }), 'EEXIST');
  } finally {
    closeSync(opened);
    rmSync(whole, { force: true });
  }
  // From here on the key is used, so its name must survive a power cut, too.
  syncFolderNow(dirname(file));
  return readMasterKeyFile(file) as Uint8Array;
}

/**
 * Replaces the key file by the next key, and keeps the old one beside it. At every moment one of the two is the key
 * file. Does nothing if this is done already.
 * @param next the key that the file holds afterwards
 */
export function exchangeMasterKey(dataDir: string, next: Uint8Array): void {
  const file = masterKeyFile(dataDir);
  const old = readMasterKey(dataDir);
  if (old !== null && isSame(old, next)) return;
  // Writes the next key again where its file was removed: nothing else opens the database.
  const waiting = makeKey(nextMasterKeyFile(dataDir), next);
  // The file belongs to a later rotation.
  if (!isSame(waiting, next)) return;
  try {
    if (old !== null) linkSync(file, retiredMasterKeyFile(dataDir, fingerprintOf(old)));
  } catch (error) {
    unless(error, 'EEXIST');
  }
  syncFolderNow(dataDir);
  try {
    renameSync(nextMasterKeyFile(dataDir), file);
  } catch (error) {
    // Another process has renamed it.
    unless(error, 'ENOENT');
  }
  syncFolderNow(dataDir);
}

const isSame = (one: Uint8Array, other: Uint8Array): boolean => Buffer.from(one).equals(other);

function unless(error: unknown, code: string): void {
  if ((error as NodeJS.ErrnoException).code !== code) throw error;
}
