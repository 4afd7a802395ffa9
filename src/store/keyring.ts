import { createHmac, hash, hkdfSync, randomBytes } from 'node:crypto';
import { createGcm } from './gcm.ts';

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
  /** Several in one go, which costs a quarter. */
  sealAll(licenseKeys: readonly string[]): Buffer[];
  /** @throws when the bytes were not sealed under this master key, or were changed */
  open(sealed: Uint8Array): string;
  /** Several in one go, which costs half. @throws as open does */
  openAll(sealed: readonly Uint8Array[]): string[];
  /** 32 bytes that only who has the master key can make of a text: the audit trail shows by it that nobody else wrote it. */
  mac(text: string): Buffer;
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
  const gcm = createGcm(encryptionKey, header);
  const nonces = randomPieces(NONCE_END - ID_END);

  const sealAll = (licenseKeys: readonly string[]): Buffer[] => {
    const sealed = licenseKeys.map((licenseKey) => {
      const piece = Buffer.allocUnsafe(NONCE_END + Buffer.byteLength(licenseKey) + TAG_BYTES);
      header.copy(piece);
      nonces().copy(piece, ID_END);
      piece.write(licenseKey, NONCE_END);
      return piece;
    });
    gcm.seal(sealed.map((piece) => piece.subarray(ID_END)));
    return sealed;
  };
  const pieceOf = (sealed: Uint8Array): Uint8Array => {
    if (sealed[0] === VERSION && id.equals(sealed.subarray(1, ID_END))) return sealed.subarray(ID_END);
    throw new Error('a license key was sealed under another master key');
  };
  const openAll = (sealed: readonly Uint8Array[]): string[] =>
    gcm.open(sealed.map(pieceOf)).map((key) => {
      if (key === null) throw new Error('a sealed license key was changed');
      return key.toString('utf8');
    });

  return {
    fingerprint: derive('fingerprint', 16).toString('hex'),
    hash: createHash(hashKey),
    mac: createHash(derive('audit trail')),
    seal: (licenseKey) => sealAll([licenseKey])[0] as Buffer,
    sealAll,
    open: (sealed) => openAll([sealed])[0] as string,
    openAll,
  };
}

const HASH_BLOCK = 64;
/** UTF-16 units of a text that is hashed in place; no license key has more. */
const IN_PLACE = 512;

/**
 * HMAC-SHA-256 (RFC 2104) under one key, of two plain hashes: `createHmac` makes a native object for each text, and a hash
 * as a buffer another (measured for 100,000 keys: 255 ms against 90).
 */
function createHash(key: Buffer): (text: string) => Buffer {
  const padded = (fill: number, room: number) => {
    const block = Buffer.alloc(HASH_BLOCK + room, fill);
    key.forEach((byte, i) => {
      block[i] = byte ^ fill;
    });
    return block;
  };
  const inner = padded(0x36, IN_PLACE * 3);
  const outer = padded(0x5c, 32);
  return (text) => {
    if (text.length > IN_PLACE) return createHmac('sha256', key).update(text).digest();
    const end = HASH_BLOCK + inner.write(text, HASH_BLOCK);
    outer.write(hash('sha256', inner.subarray(0, end), 'latin1'), HASH_BLOCK, 'latin1');
    return Buffer.from(hash('sha256', outer, 'latin1'), 'latin1');
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
