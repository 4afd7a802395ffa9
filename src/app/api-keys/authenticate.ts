import { timingSafeEqual } from 'node:crypto';
import { type ApiKey, isUsable } from '../../domain/api-key.ts';
import type { Datetime } from '../../domain/datetime.ts';
import type { Reads } from '../../store/store.ts';
import { type Credentials, hashCredential } from './credentials.ts';

/** Compared with where there is no key, so that a wrong key takes as long as a wrong secret. */
const NO_SECRET = Buffer.alloc(32);

/** What is compared of credentials. */
export interface HashedPair {
  keyHash: Uint8Array;
  secretHash: Uint8Array;
}

export const hashPair = ({ consumerKey, consumerSecret }: Credentials): HashedPair => ({
  keyHash: hashCredential(consumerKey),
  secretHash: hashCredential(consumerSecret),
});

/** The API key of these credentials, or which of the two is wrong. A revoked or expired key is a wrong one. */
export async function authenticate(
  reads: Reads,
  { keyHash, secretHash }: HashedPair,
  now: Datetime,
): Promise<ApiKey | 'key_invalid' | 'secret_invalid'> {
  let wasCompared = false;
  const isGood = (apiKey: ApiKey) => {
    wasCompared = true;
    return timingSafeEqual(secretHash, apiKey.secretHash) && isUsable(apiKey, now);
  };
  const apiKey = await reads.apiKeys.findByHash(keyHash, isGood);
  // What nobody had in memory is compared as often as what somebody had.
  if (!wasCompared) timingSafeEqual(secretHash, NO_SECRET);
  const matches = timingSafeEqual(secretHash, apiKey?.secretHash ?? NO_SECRET);
  if (!apiKey || !isUsable(apiKey, now)) return 'key_invalid';
  return matches ? apiKey : 'secret_invalid';
}
