import { createHmac } from 'node:crypto';
import { StoreDamaged, StoreUnavailable } from '../errors.ts';
import { decrypt, encrypt } from './aes-gcm.ts';
import { deriveKey, type KeyBundle, keyIdOf, type SealingKey } from './key-bundle.ts';

/** A license key or a token was sealed under a key that this process does not hold, because it has missed a rotation. */
export class UnknownSealingKey extends StoreUnavailable {
  override name = 'UnknownSealingKey';
  constructor() {
    super(
      'a license key or an activation token was sealed under another master key than this process has: restart it with the new master key ("latchkey master-key status" shows rotations)',
    );
  }
}

/** Shorter than a hash: so no blind index can be presented as a hash, and both can be told apart in a row. */
const KEY_INDEX_BYTES = 24;
/** Characters of base64url: 24 bytes. */
const TAG_LENGTH = 32;
/** The first character of a token's blind index. */
const TOKEN_INDEX_MARK = '.';

/** Whether a text has the form of a token's blind index: a stored index must not be usable as a token. */
export const isTokenIndex = (text: string): boolean => text.startsWith(TOKEN_INDEX_MARK);

const [UNBOUND, BOUND] = [1, 2];
const ID_AT = 1;
const HEADER_BYTES = 5;

/**
 * The keys of a database at work. License keys and activation tokens are encrypted with AES-256-GCM, and found by a blind
 * index: an HMAC-SHA-256 that nobody can present. Every purpose has a key of its own.
 *
 * Sealed text: version (1 byte) | id of the sealing key (4) | nonce (12) | ciphertext | tag (16). In version 2 the
 * additional data is the first five bytes and the blind index in the row, so that the text opens in no other row. In
 * version 1 of license keys it is the first five bytes alone: there the hash of the opened key is compared with that of
 * the row.
 */
export function createKeyring(keys: KeyBundle) {
  let held = keys;
  const secretKey = deriveKey(keys.root, 'user secrets');
  const signInKey = deriveKey(keys.root, 'sign-in tag');
  const deviceKey = deriveKey(keys.root, 'device');
  const keyIndexKey = deriveKey(keys.root, 'license key index');
  const tokenIndexKey = deriveKey(keys.root, 'activation token index');
  const hmac = (key: Uint8Array, data: string | Uint8Array) =>
    createHmac('sha256', key).update(data).digest();
  const tag = (key: Uint8Array, text: string) =>
    createHmac('sha256', key).update(text).digest('base64url').slice(0, TAG_LENGTH);

  /** The hash that clients name a license by, 32 bytes. It is a credential, so it is not stored. */
  const hash = (licenseKey: string): Buffer => hmac(held.data['license key hash'], licenseKey);

  function heldKeyOf(sealed: Uint8Array): SealingKey | undefined {
    // Reads from any Uint8Array without a new Buffer around it.
    const id = Buffer.prototype.readUInt32BE.call(sealed, ID_AT);
    return held.opening.find((one) => one.id === id);
  }

  function sealingKeyFor(sealed: Uint8Array): SealingKey {
    if ((sealed[0] !== BOUND && sealed[0] !== UNBOUND) || sealed.length < HEADER_BYTES) throw damaged();
    const known = heldKeyOf(sealed);
    if (!known) throw new UnknownSealingKey();
    return known;
  }

  const isUnderHeldKey = (sealed: Uint8Array): boolean =>
    sealed[0] === BOUND && sealed.length >= HEADER_BYTES && heldKeyOf(sealed) !== undefined;

  /** @param index blind index of the row that the sealed text is for */
  function seal(text: string, index: Uint8Array): Buffer {
    const { id, key } = held.sealing;
    const header = Buffer.from([BOUND, 0, 0, 0, 0]);
    header.writeUInt32BE(id, ID_AT);
    return Buffer.concat([header, encrypt(key, text, header, index)]);
  }

  /**
   * @param index blind index of the row that the sealed text was read from
   * @throws UnknownSealingKey; StoreDamaged where the bytes were changed, or come from another row
   */
  function open(sealed: Uint8Array, index: Uint8Array): string {
    const { key } = sealingKeyFor(sealed);
    const header = sealed.subarray(0, HEADER_BYTES);
    const isBound = sealed[0] === BOUND;
    try {
      const encrypted = sealed.subarray(HEADER_BYTES);
      const text = isBound ? decrypt(key, encrypted, header, index) : decrypt(key, encrypted, header);
      if (isBound || hash(text).equals(index)) return text;
    } catch (cause) {
      throw damaged(cause);
    }
    throw damaged();
  }

  /** Encrypts a secret other than a license key or token. @param context names the owner of the secret */
  const sealSecret = (text: string, context: string): Buffer => seal(text, Buffer.from(context));

  /**
   * Decrypts a secret.
   * @throws UnknownSealingKey; another error if the bytes were changed, or the secret has another owner
   */
  function openSecret(sealed: Uint8Array, context: string): string {
    if (isUnderHeldKey(sealed)) return open(sealed, Buffer.from(context));
    try {
      // As earlier versions sealed secrets: without a header, under a key that no rotation changes.
      return decrypt(secretKey, sealed, Buffer.from(context));
    } catch (error) {
      throw sealed[0] === BOUND ? new UnknownSealingKey() : error;
    }
  }

  return {
    hash,
    /** The blind index of a license, KEY_INDEX_BYTES long. @param hash as `hash` returns it */
    keyIndex: (hash: Uint8Array): Buffer => hmac(keyIndexKey, hash).subarray(0, KEY_INDEX_BYTES),
    /** The blind index of an activation, as text. No token that is stored in clear has this form. */
    tokenIndex: (token: string): string => TOKEN_INDEX_MARK + tag(tokenIndexKey, token),
    seal,
    open,
    /**
     * Encrypts a sealed text again under the current sealing key; null if it is under that key already.
     * @throws as `open` does
     */
    reseal: (sealed: Uint8Array, index: Uint8Array): Buffer | null =>
      sealingKeyFor(sealed).id === held.sealing.id ? null : seal(open(sealed, index), index),
    /** The HMAC that authenticates the audit trail, 32 bytes. */
    mac: (text: string): Buffer => hmac(held.data['audit trail'], text),
    /** A keyed hash of an account or a browser that signs in, 64 hex digits: the same on every node. */
    signInTag: (text: string): string => hmac(signInKey, text).toString('hex'),
    /** A keyed hash of the text that identifies a device: 32 characters of base64url, different for each license. */
    deviceTag: (licenseId: number, device: string): string => tag(deviceKey, `${licenseId} ${device}`),
    sealSecret,
    openSecret,
    /** Like `reseal`, for a secret. */
    resealSecret: (sealed: Uint8Array, context: string): Buffer | null =>
      isUnderHeldKey(sealed) && sealingKeyFor(sealed).id === held.sealing.id
        ? null
        : sealSecret(openSecret(sealed, context), context),
    get keys(): KeyBundle {
      return held;
    },
    /** Id of the current sealing key: 8 hex digits. */
    get keyId(): string {
      return keyIdOf(held.sealing);
    },
    /** Replaces the sealing keys after a step of a rotation. Keys for everything else stay. */
    adopt(other: KeyBundle): void {
      held = other;
    },
  };
}

export type Keyring = ReturnType<typeof createKeyring>;

const damaged = (cause?: unknown) =>
  new StoreDamaged('an encrypted license key or token was changed, or moved from another row', { cause });
