import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { type ApiKey, type ApiKeyRights, isUsable } from '../../domain/api-key.ts';
import type { Datetime } from '../../domain/datetime.ts';
import type { Reads } from '../../store/store.ts';

/** A consumer key and secret in clear. Shown once when they are created, never stored. */
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

/** `ck_` and `cs_`, each followed by 40 random hex digits. */
export function makeCredentials(): Credentials {
  const random = () => randomBytes(20).toString('hex');
  return { consumerKey: `ck_${random()}`, consumerSecret: `cs_${random()}` };
}

/** SHA-256. Secure for 160 random bits, and fast enough for every request. */
export const hashCredential = (value: string): Buffer => hash('sha256', value, 'buffer');

export const hashPair = ({ consumerKey, consumerSecret }: Credentials): HashedPair => ({
  keyHash: hashCredential(consumerKey),
  secretHash: hashCredential(consumerSecret),
});
export const hashCredentials = (credentials: Credentials): HashedCredentials => ({
  ...hashPair(credentials),
  keyEnding: credentials.consumerKey.slice(-7),
});

/** The hash of a consumer key as the WordPress plugins store it (`wc_api_hash` of WooCommerce). */
export const hashAsPlugin = (consumerKey: string): Buffer =>
  createHmac('sha256', 'wc-api').update(consumerKey).digest();

/** Compared with if there is no key, so that a wrong key takes as long as a wrong secret. */
const NO_SECRET = Buffer.alloc(32);

/**
 * The API key of these credentials, or which of the two is wrong. A revoked or expired key counts as wrong.
 * @param pluginHash returns `hashAsPlugin` of the consumer key. Whatever is wrong with credentials, they cost two look-ups,
 * as those of a moved key do until its hash is replaced: the response time must not reveal whether a key exists.
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
