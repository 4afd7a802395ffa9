import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { deriveKey } from './key-bundle.ts';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Seals secrets of users. Their key comes from the root of the data keys, which stays what it is when the master key is
 * exchanged: nothing is to be sealed anew. Sealed form: nonce (12) | ciphertext | tag (16).
 * @param root 32 bytes
 */
export function createSecrets(root: Uint8Array) {
  const key = deriveKey(root, 'user secrets');
  return {
    /** @param of whose it is: opened for another it is none */
    sealSecret(text: string, of: string): Buffer {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(of));
      return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    },
    /** @throws where the bytes were changed, or are another's */
    openSecret(sealed: Uint8Array, of: string): string {
      const decipher = createDecipheriv(ALGORITHM, key, sealed.subarray(0, NONCE_BYTES))
        .setAAD(Buffer.from(of))
        .setAuthTag(sealed.subarray(-TAG_BYTES));
      const text = [decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()];
      return Buffer.concat(text).toString('utf8');
    },
  };
}
