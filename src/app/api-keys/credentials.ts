import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { type ApiKey, type ApiKeyRights, isUsable } from '../../domain/api-key.ts';
import type { Datetime } from '../../domain/datetime.ts';
import type { Reads } from '../../store/store.ts';

/** A consumer key and secret in plain text. They are shown once, at creation, and never stored. */
export interface Credentials {
  consumerKey: string;
  consumerSecret: string;
}

/** The stored form of credentials. */
export interface HashedCredentials extends HashedPair {
  keyEnding: string;
}
export interface HashedPair {
  keyHash: Uint8Array;
  secretHash: Uint8Array;
}

export const FULL_ACCESS: ApiKeyRights = {
  permission: 'read_write',
  endpoints: null,
  products: null,
  compatibility: 'documented',
  lmfwcVersion: 3,
  expiresAt: null,
};

/** Returns new credentials: `ck_` and `cs_`, each followed by 40 random hex digits. */
export function makeCredentials(): Credentials {
  const random = () => randomBytes(20).toString('hex');
  return { consumerKey: `ck_${random()}`, consumerSecret: `cs_${random()}` };
}

/** Returns the SHA-256 of a credential: secure for 160 random bits, and fast enough for every request. */
export const hashCredential = (value: string): Buffer => hash('sha256', value, 'buffer');

export const hashPair = ({ consumerKey, consumerSecret }: Credentials): HashedPair => ({
  keyHash: hashCredential(consumerKey),
  secretHash: hashCredential(consumerSecret),
});
export const hashCredentials = (credentials: Credentials): HashedCredentials => ({
  ...hashPair(credentials),
  keyEnding: credentials.consumerKey.slice(-7),
});

/** Returns the hash of a consumer key that the WordPress plugins store (`wc_api_hash` of WooCommerce). */
export const hashAsPlugin = (consumerKey: string): Buffer =>
  createHmac('sha256', 'wc-api').update(consumerKey).digest();

/** Stands in for the secret hash of an unknown key, so that a wrong key takes as long as a wrong secret. */
const NO_SECRET = Buffer.alloc(32);

/**
 * Returns the API key of these credentials, or whether the key or the secret is wrong. A revoked or expired key counts as
 * wrong. Wrong credentials always cost two look-ups, like a moved key whose hash has not been replaced yet: the response
 * time must not reveal whether a key exists.
 * @param pluginHash returns `hashAsPlugin` of the consumer key
 */
export async function authenticate(
  reads: Reads,
  { keyHash, secretHash }: HashedPair,
  now: Datetime,
  pluginHash: () => Uint8Array,
): Promise<ApiKey | 'key_invalid' | 'secret_invalid'> {
  const lookUp = async (hashed: Uint8Array) => {
    let wasCompared = false;
    const isGood = (apiKey: ApiKey) => {
      wasCompared = true;
      return timingSafeEqual(secretHash, apiKey.secretHash) && isUsable(apiKey, now);
    };
    const apiKey = await reads.apiKeys.findByHash(hashed, isGood);
    // Compare an uncached key as often as a cached one.
    if (!wasCompared) timingSafeEqual(secretHash, NO_SECRET);
    const matches = timingSafeEqual(secretHash, apiKey?.secretHash ?? NO_SECRET);
    return { apiKey, matches, isGood: matches && apiKey !== null && isUsable(apiKey, now) };
  };
  const own = await lookUp(keyHash);
  if (own.isGood) return own.apiKey as ApiKey;
  const moved = await lookUp(pluginHash());
  // A revoked key stays revoked, even if a key that was moved in has the same consumer key.
  const { apiKey, matches } = own.apiKey ? own : moved;
  if (!apiKey || !isUsable(apiKey, now)) return 'key_invalid';
  return matches ? apiKey : 'secret_invalid';
}
