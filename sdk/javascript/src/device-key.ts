import { type Bytes, decode, encode } from './base64url.ts';
import type { Storage } from './storage.ts';

/** An Ed25519 key that stays on this device. Leases are bound to its public half. */
export interface DeviceKey {
  /** Returns the public half, 32 bytes in base64url. Creates the key if there is none. */
  publicKey(): Promise<string>;
  sign(bytes: Bytes): Promise<Uint8Array>;
  /** Deletes the key. */
  clear(): Promise<void>;
}

/** @internal */
export interface KeyPair {
  publicKey: CryptoKey;
  privateKey: CryptoKey;
}

const ED25519 = 'Ed25519';

/** @internal Makes a key pair. @param extractable whether the private half can be read */
export const makeKeyPair = (extractable: boolean): Promise<KeyPair> =>
  crypto.subtle.generateKey(ED25519, extractable, ['sign', 'verify']) as Promise<KeyPair>;

/** @internal */
export const signWith = async (key: CryptoKey, bytes: Bytes): Promise<Uint8Array> =>
  new Uint8Array(await crypto.subtle.sign(ED25519, key, bytes));

/** Reads a private key from its PKCS #8 form in base64url; null for any other text. */
async function readKey(text: string | null): Promise<CryptoKey | null> {
  const bytes = text === null ? null : decode(text.trim());
  if (!bytes) return null;
  return crypto.subtle.importKey('pkcs8', bytes, ED25519, true, ['sign']).catch(() => null);
}

/** Returns a device key that is kept in a storage, as its PKCS #8 form in base64url. Replaces a damaged key. */
export function deviceKeyIn(storage: Storage): DeviceKey {
  const stored = async (): Promise<CryptoKey | null> => readKey(await storage.load());
  const load = async (): Promise<CryptoKey> => {
    const kept = await stored();
    if (kept) return kept;
    const { privateKey } = await makeKeyPair(true);
    const text = encode(new Uint8Array(await crypto.subtle.exportKey('pkcs8', privateKey)));
    // If several processes make a key at the same time, the first one wins.
    await storage.create?.(text);
    const won = await stored();
    if (won) return won;
    await storage.save(text);
    return (await stored()) ?? privateKey;
  };
  let loading: Promise<CryptoKey> | null = null;
  // Not cached: another process may have replaced the key.
  const loaded = (): Promise<CryptoKey> => {
    loading ??= load().finally(() => {
      loading = null;
    });
    return loading;
  };
  return {
    publicKey: async () => String((await crypto.subtle.exportKey('jwk', await loaded())).x),
    sign: async (bytes) => signWith(await loaded(), bytes),
    clear: () => storage.clear(),
  };
}
