import { createHmac } from 'node:crypto';
import { StoreDamaged, StoreUnavailable } from '../errors.ts';
import { decrypt, encrypt } from './aes-gcm.ts';
import { deriveKey, type KeyBundle, keyIdOf, type SealingKey } from './key-bundle.ts';

/**
 * The keys of a database at work. License keys are encrypted with AES-256-GCM and looked up by HMAC-SHA-256, each under a
 * key of its own.
 *
 * Sealed license key: version (1 byte) | id of the sealing key (4) | nonce (12) | ciphertext | tag (16). In version 2 the
 * additional data is the first five bytes and the `key_hash` of the row, so that the sealed key opens in no other row. In
 * version 1 it is the first five bytes alone: there the hash of the opened key is compared with that of the row.
 */
export interface Keyring {
  /** 32 bytes by which a license is looked up. Without the keys of the database, they tell nothing of the license key. */
  hash(licenseKey: string): Buffer;
  /** @param keyHash `key_hash` of the row that the sealed key is for */
  seal(licenseKey: string, keyHash: Uint8Array): Buffer;
  /**
   * @param keyHash `key_hash` of the row that the sealed key was read from
   * @throws UnknownSealingKey; StoreDamaged where the bytes were changed, or come from another row
   */
  open(sealed: Uint8Array, keyHash: Uint8Array): string;
  /** The same license key under the key that seals now; null where it is under that key already. @throws as open does */
  reseal(sealed: Uint8Array, keyHash: Uint8Array): Buffer | null;
  /** The HMAC that authenticates the audit trail, 32 bytes. */
  mac(text: string): Buffer;
  /** A keyed hash of an account or a browser that signs in, 64 hex digits: the same on every node. */
  signInTag(text: string): string;
  /** Encrypts a secret of a user. A rotation of the master key does not concern it. @param context names its owner */
  sealSecret(text: string, context: string): Buffer;
  /** @throws where the bytes were changed, or the owner is another */
  openSecret(sealed: Uint8Array, context: string): string;
  readonly keys: KeyBundle;
  /** Id of the key that seals now: 8 hex digits. */
  readonly keyId: string;
  /** Replaces the sealing keys after a step of a rotation. Keys for everything else stay. */
  adopt(keys: KeyBundle): void;
}

/** A license key was sealed under a key that this process does not hold, because it has missed a rotation. */
export class UnknownSealingKey extends StoreUnavailable {
  override name = 'UnknownSealingKey';
  constructor() {
    super(
      'a license key was sealed under another master key than this process has: restart it with the new master key ("latchkey master-key status" shows rotations)',
    );
  }
}

const [UNBOUND, BOUND] = [1, 2];
const ID_AT = 1;
const HEADER_BYTES = 5;

export function createKeyring(keys: KeyBundle): Keyring {
  let held = keys;
  const secretKey = deriveKey(keys.root, 'user secrets');
  const signInKey = deriveKey(keys.root, 'sign-in tag');
  const hmac = (key: Uint8Array, text: string) => createHmac('sha256', key).update(text).digest();
  const hash = (licenseKey: string) => hmac(held.data['license key hash'], licenseKey);

  const keyring: Keyring = {
    hash,
    seal(licenseKey, keyHash) {
      const { id, key } = held.sealing;
      const header = Buffer.from([BOUND, 0, 0, 0, 0]);
      header.writeUInt32BE(id, ID_AT);
      return Buffer.concat([header, encrypt(key, licenseKey, Buffer.concat([header, keyHash]))]);
    },
    open(sealed, keyHash) {
      const { key } = sealingKeyFor(sealed);
      const header = sealed.subarray(0, HEADER_BYTES);
      const isBound = sealed[0] === BOUND;
      try {
        const context = isBound ? Buffer.concat([header, keyHash]) : header;
        const licenseKey = decrypt(key, sealed.subarray(HEADER_BYTES), context);
        if (isBound || hash(licenseKey).equals(keyHash)) return licenseKey;
      } catch (cause) {
        throw damaged(cause);
      }
      throw damaged();
    },
    reseal: (sealed, keyHash) =>
      sealingKeyFor(sealed).id === held.sealing.id
        ? null
        : keyring.seal(keyring.open(sealed, keyHash), keyHash),
    mac: (text) => hmac(held.data['audit trail'], text),
    signInTag: (text) => hmac(signInKey, text).toString('hex'),
    sealSecret: (text, context) => encrypt(secretKey, text, Buffer.from(context)),
    openSecret: (sealed, context) => decrypt(secretKey, sealed, Buffer.from(context)),
    get keys() {
      return held;
    },
    get keyId() {
      return keyIdOf(held.sealing);
    },
    adopt(other) {
      held = other;
    },
  };

  function sealingKeyFor(sealed: Uint8Array): SealingKey {
    if ((sealed[0] !== BOUND && sealed[0] !== UNBOUND) || sealed.length < HEADER_BYTES) throw damaged();
    const id = Buffer.from(sealed.buffer, sealed.byteOffset, HEADER_BYTES).readUInt32BE(ID_AT);
    const known = held.opening.find((one) => one.id === id);
    if (!known) throw new UnknownSealingKey();
    return known;
  }

  return keyring;
}

const damaged = (cause?: unknown) =>
  new StoreDamaged('an encrypted license key was changed, or moved from another license', { cause });
