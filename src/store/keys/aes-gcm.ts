import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** AES-256-GCM by the runtime. Encrypted form: nonce (12 bytes) | ciphertext | tag (16). */

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts a text under a fresh random nonce.
 * @param key 32 bytes
 * @param context parts of the additional data: decryption needs the same bytes
 */
export function encrypt(key: Uint8Array, text: string, ...context: readonly Uint8Array[]): Buffer {
  // Drawn for each text. A pool in memory would repeat nonces after a machine is restored from a snapshot.
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  for (const part of context) cipher.setAAD(part);
  const ciphertext = cipher.update(text, 'utf8');
  cipher.final();
  return Buffer.concat([nonce, ciphertext, cipher.getAuthTag()]);
}

/** Decrypts a text. @throws if the bytes were changed, or the key or the context differs */
export function decrypt(key: Uint8Array, encrypted: Uint8Array, ...context: readonly Uint8Array[]): string {
  const nonce = encrypted.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  for (const part of context) decipher.setAAD(part);
  decipher.setAuthTag(encrypted.subarray(-TAG_BYTES));
  const text = decipher.update(encrypted.subarray(NONCE_BYTES, -TAG_BYTES));
  // In GCM, `final` adds no bytes: it checks the tag.
  decipher.final();
  return text.toString('utf8');
}
