import { createHmac, hash, randomBytes } from 'node:crypto';
import { StoreUnavailable } from '../errors.ts';
import { createGcm, type Gcm } from './gcm.ts';
import { type KeyBundle, keyIdOf, type SealingKey } from './key-bundle.ts';
import { createSecrets } from './secrets.ts';

/**
 * How license keys rest: encrypted with AES-256-GCM, looked up by HMAC-SHA-256, each under a key of its own.
 *
 * Sealed form: version (1 byte, 1) | key id (4) | nonce (12) | ciphertext | tag (16).
 */
export interface Keyring {
  /** 32 bytes; the same for the same key, and telling nothing without the keys of the database. */
  hash(licenseKey: string): Buffer;
  seal(licenseKey: string): Buffer;
  /** Several in one go, which costs a quarter. */
  sealAll(licenseKeys: readonly string[]): Buffer[];
  /** @throws UnknownSealingKey; another error where the bytes were changed */
  open(sealed: Uint8Array): string;
  /** Several in one go, which costs half. @throws as open does */
  openAll(sealed: readonly Uint8Array[]): string[];
  /** 32 bytes that only who has the keys of the database can make of a text: the audit trail shows by it that nobody else wrote it. */
  mac(text: string): Buffer;
  /** Another secret than a license key, sealed so that no exchange of the master key concerns it. @param of whose it is */
  sealSecret(text: string, of: string): Buffer;
  /** @throws where the bytes were changed, or are another's */
  openSecret(sealed: Uint8Array, of: string): string;
  /**
   * The same license keys under the key that seals now; null for those that are so already. @throws as open does
   * The nonce stays, under which the other key sealed it: so it is known for the same, and never comes twice under one key.
   */
  resealAll(sealed: readonly Uint8Array[]): (Buffer | null)[];
  readonly keys: KeyBundle;
  /** Of the key that seals now, 8 hex digits. */
  readonly keyId: string;
  /** Takes other keys for sealing and opening; a hash stays what it was. */
  adopt(keys: KeyBundle): void;
}

/** A license key was sealed under a key that this process does not hold, because it has missed a rotation. */
export class UnknownSealingKey extends StoreUnavailable {
  override name = 'UnknownSealingKey';
  constructor() {
    super(
      'a license key was sealed under another master key than this process has: restart it with the new master key ("latchkey master-key status" tells of rotations)',
    );
  }
}

const VERSION = 1;
const ID_AT = 1;
const ID_END = 5;
const NONCE_END = 17;
const TAG_BYTES = 16;

/** What a sealed key begins with. */
export function headerOf({ id }: Pick<SealingKey, 'id'>): Buffer {
  const header = Buffer.from([VERSION, 0, 0, 0, 0]);
  header.writeUInt32BE(id, ID_AT);
  return header;
}

const idOf = (sealed: Uint8Array): number => {
  if (sealed[0] !== VERSION || sealed.length < NONCE_END + TAG_BYTES)
    throw new Error('a license key was sealed under another master key');
  const [, a = 0, b = 0, c = 0, d = 0] = sealed;
  return ((a << 24) | (b << 16) | (c << 8) | d) >>> 0;
};

export function createKeyring(keys: KeyBundle): Keyring {
  let held = keys;
  let header = headerOf(held.sealing);
  let gcms = new Map<number, Gcm>();
  const nonces = randomPieces(NONCE_END - ID_END);

  const gcmOf = (id: number): Gcm => {
    let gcm = gcms.get(id);
    if (!gcm) {
      const known = held.opening.find((one) => one.id === id);
      if (!known) throw new UnknownSealingKey();
      gcm = createGcm(known.key, headerOf(known));
      gcms.set(id, gcm);
    }
    return gcm;
  };
  const sealUnder = (licenseKeys: readonly string[], nonceOf: (i: number) => Uint8Array): Buffer[] => {
    const sealed = licenseKeys.map((licenseKey, i) => {
      const piece = Buffer.allocUnsafe(NONCE_END + Buffer.byteLength(licenseKey) + TAG_BYTES);
      header.copy(piece);
      piece.set(nonceOf(i), ID_END);
      piece.write(licenseKey, NONCE_END);
      return piece;
    });
    gcmOf(held.sealing.id).seal(sealed.map((piece) => piece.subarray(ID_END)));
    return sealed;
  };
  const openUnder = (id: number, sealed: readonly Uint8Array[]): string[] =>
    gcmOf(id)
      .open(sealed.map((one) => one.subarray(ID_END)))
      .map((key) => {
        if (key === null) throw new Error('a sealed license key was changed');
        return key.toString('utf8');
      });
  const openAll = (sealed: readonly Uint8Array[]): string[] => {
    const ids = sealed.map(idOf);
    const [first] = ids;
    if (first === undefined) return [];
    // But for the time of a rotation all are under one key.
    if (ids.every((id) => id === first)) return openUnder(first, sealed);
    return sealed.map((one, i) => openUnder(ids[i] as number, [one])[0] as string);
  };

  return {
    hash: createHash(Buffer.from(held.data['license key hash'])),
    mac: createHash(Buffer.from(held.data['audit trail'])),
    seal: (licenseKey) => sealUnder([licenseKey], nonces)[0] as Buffer,
    sealAll: (licenseKeys) => sealUnder(licenseKeys, nonces),
    open: (sealed) => openUnder(idOf(sealed), [sealed])[0] as string,
    openAll,
    ...createSecrets(keys.root),
    resealAll(sealed) {
      const due = sealed.filter((one) => idOf(one) !== held.sealing.id);
      const resealed = sealUnder(openAll(due), (i) => (due[i] as Uint8Array).subarray(ID_END, NONCE_END));
      let at = 0;
      return sealed.map((one) => (one === due[at] ? (resealed[at++] as Buffer) : null));
    },
    get keys() {
      return held;
    },
    get keyId() {
      return keyIdOf(held.sealing);
    },
    adopt(other) {
      held = other;
      header = headerOf(held.sealing);
      gcms = new Map();
    },
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
export function randomPieces(bytes: number): () => Buffer {
  let pool = Buffer.alloc(0);
  return () => {
    if (pool.length < bytes) pool = randomBytes(bytes * 1024);
    const piece = pool.subarray(0, bytes);
    pool = pool.subarray(bytes);
    return piece;
  };
}
