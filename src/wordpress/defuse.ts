import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hash,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

// The formats of version 2 of the library defuse/php-encryption, with which the plugins encrypt license keys. Both are
// written as hex digits.

const TEXT_HEADER = Buffer.from('def50200', 'hex');
const KEY_HEADER = Buffer.from('def00000', 'hex');
const KEY_BYTES = 32;
const SALT_BYTES = 32;
const IV_BYTES = 16;
const MAC_BYTES = 32;
const CHECKSUM_BYTES = 32;
/** Hex digits of a key file. */
const KEY_DIGITS = 2 * (KEY_HEADER.length + KEY_BYTES + CHECKSUM_BYTES);

/** The 32 bytes of the key in a key file. @throws Error that says what is wrong with it, and does not contain it */
export function readDefuseKey(text: string): Buffer {
  const digits = text.trim();
  if (digits.length !== KEY_DIGITS)
    throw new Error(`the Defuse key has ${digits.length} characters instead of ${KEY_DIGITS}`);
  const bytes = fromHex(digits);
  if (!bytes) throw new Error('the Defuse key has characters that are not hex digits');
  if (!bytes.subarray(0, KEY_HEADER.length).equals(KEY_HEADER))
    throw new Error(`the Defuse key does not begin with ${KEY_HEADER.toString('hex')}`);
  const body = bytes.subarray(0, -CHECKSUM_BYTES);
  if (!hash('sha256', body, 'buffer').equals(bytes.subarray(-CHECKSUM_BYTES)))
    throw new Error('the checksum of the Defuse key is wrong: it was changed or damaged');
  return body.subarray(KEY_HEADER.length);
}

/** The text of a key file. @param key 32 bytes */
export function writeDefuseKey(key: Uint8Array): string {
  const body = Buffer.concat([KEY_HEADER, key]);
  return Buffer.concat([body, hash('sha256', body, 'buffer')]).toString('hex');
}

/** The text in a ciphertext; null if the key is another one, or the ciphertext is damaged. @param sealed hex digits */
export function openDefuse(sealed: string, key: Uint8Array): string | null {
  const bytes = fromHex(sealed);
  if (!bytes || bytes.length < TEXT_HEADER.length + SALT_BYTES + IV_BYTES + MAC_BYTES) return null;
  if (!bytes.subarray(0, TEXT_HEADER.length).equals(TEXT_HEADER)) return null;
  const [signed, mac] = [bytes.subarray(0, -MAC_BYTES), bytes.subarray(-MAC_BYTES)];
  const salt = signed.subarray(TEXT_HEADER.length, TEXT_HEADER.length + SALT_BYTES);
  const [encryption, authentication] = keysOf(key, salt);
  if (!timingSafeEqual(createHmac('sha256', authentication).update(signed).digest(), mac)) return null;
  const rest = signed.subarray(TEXT_HEADER.length + SALT_BYTES);
  const decipher = createDecipheriv('aes-256-ctr', encryption, rest.subarray(0, IV_BYTES));
  const text = Buffer.concat([decipher.update(rest.subarray(IV_BYTES)), decipher.final()]);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(text);
  } catch {
    return null;
  }
}

/** A ciphertext of the text, as hex digits. */
export function sealDefuse(text: string, key: Uint8Array): string {
  const [salt, iv] = [randomBytes(SALT_BYTES), randomBytes(IV_BYTES)];
  const [encryption, authentication] = keysOf(key, salt);
  const cipher = createCipheriv('aes-256-ctr', encryption, iv);
  const signed = Buffer.concat([TEXT_HEADER, salt, iv, cipher.update(text, 'utf8'), cipher.final()]);
  const mac = createHmac('sha256', authentication).update(signed).digest();
  return Buffer.concat([signed, mac]).toString('hex');
}

const keysOf = (key: Uint8Array, salt: Uint8Array): [Buffer, Buffer] => [
  Buffer.from(hkdfSync('sha256', key, salt, 'DefusePHP|V2|KeyForEncryption', KEY_BYTES)),
  Buffer.from(hkdfSync('sha256', key, salt, 'DefusePHP|V2|KeyForAuthentication', KEY_BYTES)),
];

/** Buffer.from stops at the first character that is not a hex digit. */
function fromHex(digits: string): Buffer | null {
  const bytes = Buffer.from(digits, 'hex');
  return bytes.length * 2 === digits.length ? bytes : null;
}
