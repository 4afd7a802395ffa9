import { createCipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { createGcmOpen, type Sealed } from './gcm.ts';

/**
 * How license keys rest: encrypted with AES-256-GCM, looked up by HMAC-SHA-256, each under a key of its own that is
 * derived from the master key (HKDF-SHA-256).
 *
 * Sealed form: version (1 byte, 1) | key id (4) | nonce (12) | ciphertext | tag (16).
 */
export interface Keyring {
  /** 32 bytes; the same for the same key, and telling nothing without the master key. */
  hash(licenseKey: string): Buffer;
  seal(licenseKey: string): Buffer;
  /** @throws when the bytes were not sealed under this master key, or were changed */
  open(sealed: Uint8Array): string;
  /** Several in one go, which costs half. @throws as open does */
  openAll(sealed: readonly Uint8Array[]): string[];
  /** Tells master keys apart without telling anything of them; kept in the database to refuse a wrong one. */
  readonly fingerprint: string;
}

export const MASTER_KEY_BYTES = 32;

/** A key for one purpose (HKDF-SHA-256): it tells nothing of the master key, nor of those for other purposes. */
export const deriveKey = (masterKey: Uint8Array, purpose: string, bytes = 32): Buffer =>
  Buffer.from(hkdfSync('sha256', masterKey, '', `latchkey ${purpose}`, bytes));

const VERSION = 1;
const ID_END = 5;
const NONCE_END = 17;
const TAG_BYTES = 16;

/** @param masterKey 32 bytes from a secure random source */
export function createKeyring(masterKey: Uint8Array): Keyring {
  if (masterKey.length !== MASTER_KEY_BYTES)
    throw new RangeError(`a master key has ${MASTER_KEY_BYTES} bytes`);
  const derive = (purpose: string, bytes?: number) => deriveKey(masterKey, purpose, bytes);
  const encryptionKey = derive('license key encryption');
  const hashKey = derive('license key hash');
  const id = derive('key id', 4);
  const header = Buffer.concat([Buffer.from([VERSION]), id]);
  const openGcm = createGcmOpen(encryptionKey, header);
  const nonces = randomPieces(NONCE_END - ID_END);

  const partsOf = (sealed: Uint8Array): Sealed => {
    if (sealed[0] !== VERSION || !id.equals(sealed.subarray(1, ID_END))) {
      throw new Error('a license key was sealed under another master key');
    }
    const end = sealed.length - TAG_BYTES;
    return {
      nonce: sealed.subarray(ID_END, NONCE_END),
      ciphertext: sealed.subarray(NONCE_END, end),
      tag: sealed.subarray(end),
    };
  };
  const openAll = (sealed: readonly Uint8Array[]): string[] =>
    openGcm(sealed.map(partsOf)).map((key) => {
      if (key === null) throw new Error('a sealed license key was changed');
      return key.toString('utf8');
    });

  return {
    fingerprint: derive('fingerprint', 16).toString('hex'),
    hash: (licenseKey) => createHmac('sha256', hashKey).update(licenseKey).digest(),
    seal(licenseKey) {
      const nonce = nonces();
      const cipher = createCipheriv('aes-256-gcm', encryptionKey, nonce).setAAD(header);
      const body = [cipher.update(licenseKey, 'utf8'), cipher.final()];
      return Buffer.concat([header, nonce, ...body, cipher.getAuthTag()]);
    },
    open: (sealed) => openAll([sealed])[0] as string,
    openAll,
  };
}

/** Random pieces of some bytes, drawn many at once: one draw for each costs as much as encrypting a key. */
function randomPieces(bytes: number): () => Buffer {
  let pool = Buffer.alloc(0);
  return () => {
    if (pool.length < bytes) pool = randomBytes(bytes * 1024);
    const piece = pool.subarray(0, bytes);
    pool = pool.subarray(bytes);
    return piece;
  };
}
