import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { syncFolderNow } from '../../disk/folder.ts';
import { fingerprintOf, MASTER_KEY_BYTES } from './key-bundle.ts';

const FILE = 'master.key';

export const masterKeyFile = (dataDir: string): string => join(dataDir, FILE);
/** The key that a rotation is about to put in its place. */
export const nextMasterKeyFile = (dataDir: string): string => join(dataDir, `${FILE}.next`);
/** Where it goes when another takes its place. */
export const retiredMasterKeyFile = (dataDir: string, fingerprint: string): string =>
  join(dataDir, `${FILE}.retired-${fingerprint.slice(0, 8)}`);

/** The key file is there and holds no key. */
export class MasterKeyUnreadable extends Error {
  override name = 'MasterKeyUnreadable';
}

/** Of a folder the system says what it is, but not which. */
function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw Object.assign(error as Error, { path: file });
  }
}

/** Null where there is no key file. @throws MasterKeyUnreadable */
export const readMasterKey = (dataDir: string): Uint8Array | null =>
  readMasterKeyFile(masterKeyFile(dataDir));
export const readNextMasterKey = (dataDir: string): Uint8Array | null =>
  readMasterKeyFile(nextMasterKeyFile(dataDir));

/** The same of a key file wherever it is. */
export function readMasterKeyFile(file: string): Uint8Array | null {
  if (!existsSync(file)) return null;
  const text = readText(file).trim();
  if (!/^[0-9a-fA-F]{64}$/.test(text))
    throw new MasterKeyUnreadable(`${file} does not hold 64 hex digits: put it back from your backup`);
  return Buffer.from(text, 'hex');
}

/**
 * Makes a key file that only its owner reads. Of two processes that do so at once, both get the same key.
 * @param masterKey what it is to hold; a new key where none is given
 */
export const makeMasterKey = (dataDir: string, masterKey?: Uint8Array): Uint8Array =>
  makeKey(masterKeyFile(dataDir), masterKey);
/** The same for the next one; where there is one already, it is taken. */
export const makeNextMasterKey = (dataDir: string): Uint8Array => makeKey(nextMasterKeyFile(dataDir));

function makeKey(file: string, masterKey: Uint8Array = randomBytes(MASTER_KEY_BYTES)): Uint8Array {
  // By chance: in containers that start on one folder each process has the same number.
  const whole = `${file}.${randomBytes(6).toString('hex')}`;
  const opened = openSync(whole, 'wx', 0o600);
  try {
    // All of it or an error: half a key, on a disk that is filling up, would stop every later start.
    writeFileSync(opened, `${Buffer.from(masterKey).toString('hex')}\n`);
    fsyncSync(opened);
    // A link, not a rename: it fails where another process was first, and never shows half a file.
    linkSync(whole, file);
  } catch (error) {
    unless(error, 'EEXIST');
  } finally {
    closeSync(opened);
    rmSync(whole, { force: true });
  }
  // The key is used from here on: its name must not get lost either.
  syncFolderNow(dirname(file));
  return readMasterKeyFile(file) as Uint8Array;
}

/**
 * Puts the next key in the place of the one in the file, which is kept beside it under a name of its own: at every moment
 * one of the two is the key file. Does nothing where that was done.
 * @param next what the key file is to hold in the end
 */
export function exchangeMasterKey(dataDir: string, next: Uint8Array): void {
  const file = masterKeyFile(dataDir);
  const old = readMasterKey(dataDir);
  if (old !== null && isSame(old, next)) return;
  // Written once more where somebody has removed it meanwhile: nothing else opens the database.
  const waiting = makeKey(nextMasterKeyFile(dataDir), next);
  // Of a rotation that has come after this one.
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
    // Another process has done it meanwhile.
    unless(error, 'ENOENT');
  }
  syncFolderNow(dataDir);
}

const isSame = (one: Uint8Array, other: Uint8Array): boolean => Buffer.from(one).equals(other);

function unless(error: unknown, code: string): void {
  if ((error as NodeJS.ErrnoException).code !== code) throw error;
}
