import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { MASTER_KEY_BYTES } from './keyring.ts';

const FILE = 'master.key';

export const masterKeyFile = (dataDir: string): string => join(dataDir, FILE);

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
export function makeMasterKey(
  dataDir: string,
  masterKey: Uint8Array = randomBytes(MASTER_KEY_BYTES),
): Uint8Array {
  const file = masterKeyFile(dataDir);
  const whole = `${file}.${process.pid}`;
  const opened = openSync(whole, 'w', 0o600);
  try {
    // All of it or an error: half a key, on a disk that is filling up, would stop every later start.
    writeFileSync(opened, `${Buffer.from(masterKey).toString('hex')}\n`);
    fsyncSync(opened);
    // A link, not a rename: it fails where another process was first, and never shows half a file.
    linkSync(whole, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    closeSync(opened);
    rmSync(whole, { force: true });
  }
  return readMasterKey(dataDir) as Uint8Array;
}
