import { closeSync, fsyncSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { publicKeyOf, readPrivateKey } from '../app/leases/compact.ts';
import { syncFolderNow } from '../disk/folder.ts';

/**
 * Writes the private half of a root key to a new file that only its owner can read, and reads it back. Leaves no file if
 * that fails.
 * @param pem PKCS #8
 * @param x its public half
 * @throws errors of the system: EEXIST if the file exists, EIO if it does not hold the key
 */
export function writeRootFile(path: string, pem: string, x: string): void {
  const opened = openSync(path, 'wx', 0o600);
  try {
    writeFileSync(opened, pem);
    fsyncSync(opened);
    syncFolderNow(dirname(resolve(path)));
    const key = readPrivateKey(readFileSync(path, 'utf8'));
    if (!key || publicKeyOf(key) !== x)
      throw Object.assign(new Error(`${path} does not hold what was written to it`), { code: 'EIO' });
  } catch (error) {
    rmSync(path, { force: true });
    // Errors of writing do not name the file.
    throw Object.assign(error as Error, { path });
  } finally {
    closeSync(opened);
  }
}

/** Returns the private half of a root key, PKCS #8 in PEM; null if the file does not contain one. @throws system errors */
export function readRootFile(path: string): string | null {
  const text = readFileSync(path, 'utf8');
  return readPrivateKey(text) ? text : null;
}
