import { createHmac, hash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readDefuseKey, writeDefuseKey } from './defuse.ts';
import type { Plugin } from './shop.ts';

/** The secrets with which a plugin encrypts and hashes license keys. */
export interface Secrets {
  /** 32 bytes. */
  encryptionKey: Uint8Array;
  /** HMAC-SHA-256 takes these bytes as its key: the characters of `secret.txt`, line ends included. */
  hashKey: Uint8Array;
}

const DEFUSE_FILE = 'defuse.txt';
const SECRET_FILE = 'secret.txt';

/**
 * Reads `defuse.txt` and `secret.txt` of the plugin's folder (`wp-content/uploads/dlm-files` or `lmfwc-files`).
 * @throws Error that names the file and says what is wrong with it
 */
export async function readSecrets(folder: string): Promise<Secrets> {
  const [defuse, secret] = await Promise.all([
    readFileOf(folder, DEFUSE_FILE),
    readFileOf(folder, SECRET_FILE),
  ]);
  return secretsFrom(defuse.toString('latin1'), secret, {
    defuse: join(folder, DEFUSE_FILE),
    secret: join(folder, SECRET_FILE),
  });
}

/** The secrets from the constants in `wp-config.php`. @throws Error that names the constant */
export const secretsOfConstants = (plugin: Plugin, defuse: string, secret: string): Secrets => {
  const constant = `${plugin.toUpperCase()}_PLUGIN`;
  return secretsFrom(defuse, Buffer.from(secret), {
    defuse: `${constant}_DEFUSE`,
    secret: `${constant}_SECRET`,
  });
};

/** New random secrets. */
export const makeSecrets = (): Secrets => ({
  encryptionKey: randomBytes(32),
  // The plugin uses the hex digits themselves as the key.
  hashKey: Buffer.from(randomBytes(32).toString('hex')),
});

/**
 * Secrets for a shop that is written. Keeps the hash key if it is text, as a plugin's is, so that `hashed-…`
 * addresses stay as they are.
 */
export const secretsFor = (hashKey: Uint8Array): Secrets => {
  const made = makeSecrets();
  const isText = /^[\x20-\x7e\r\n]+$/.test(Buffer.from(hashKey).toString('latin1'));
  return isText ? { ...made, hashKey } : made;
};

/** The contents of the two files. */
export const secretFiles = (secrets: Secrets): Record<typeof DEFUSE_FILE | typeof SECRET_FILE, Buffer> => ({
  [DEFUSE_FILE]: Buffer.from(writeDefuseKey(secrets.encryptionKey)),
  [SECRET_FILE]: Buffer.from(secrets.hashKey),
});

/** The hash of a license key as the plugins store it: 64 hex digits. */
export const keyHashOf = (licenseKey: string, { hashKey }: Pick<Secrets, 'hashKey'>): string =>
  createHmac('sha256', hashKey).update(licenseKey).digest('hex');

/** Names a shop: the same for a database and each of its dumps. A network of sites may share its secrets. */
export const shopId = (plugin: Plugin, prefix: string, { encryptionKey, hashKey }: Secrets): string =>
  hash(
    'sha256',
    JSON.stringify([plugin, prefix, hash('sha256', encryptionKey), hash('sha256', hashKey)]),
  ).slice(0, 16);

function secretsFrom(defuse: string, secret: Buffer, from: { defuse: string; secret: string }): Secrets {
  // A plugin whose secret is missing goes on with an empty one; an empty file is more likely a mistake.
  if (secret.length === 0) throw new Error(`${from.secret} is empty`);
  try {
    return { encryptionKey: readDefuseKey(defuse), hashKey: secret };
  } catch (error) {
    throw new Error(`${from.defuse}: ${(error as Error).message}`);
  }
}

async function readFileOf(folder: string, name: string): Promise<Buffer> {
  try {
    return await readFile(join(folder, name));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
    throw new Error(
      `${join(folder, name)} is missing: name the folder with ${DEFUSE_FILE} and ${SECRET_FILE}`,
    );
  }
}
