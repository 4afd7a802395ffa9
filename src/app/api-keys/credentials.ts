import { hash, randomBytes } from 'node:crypto';
import type { ApiKeyLimits } from '../../domain/api-key.ts';

/** A consumer key and secret in clear: shown once where they are made, never kept. */
export interface Credentials {
  consumerKey: string;
  consumerSecret: string;
}

/** What is kept of them. */
export interface HashedCredentials {
  keyHash: Uint8Array;
  keyEnding: string;
  secretHash: Uint8Array;
}

export const FULL_ACCESS: ApiKeyLimits = {
  permission: 'read_write',
  endpoints: null,
  products: null,
  expiresAt: null,
};

const RANDOM_BYTES = 20;

/** `ck_` and `cs_`, each followed by 40 hex digits from a secure random source. */
export function makeCredentials(): Credentials {
  return {
    consumerKey: `ck_${randomBytes(RANDOM_BYTES).toString('hex')}`,
    consumerSecret: `cs_${randomBytes(RANDOM_BYTES).toString('hex')}`,
  };
}

/** SHA-256; enough for 160 random bits, and quick enough to be done for each request. */
export const hashCredential = (value: string): Buffer => hash('sha256', value, 'buffer');

export function hashCredentials({ consumerKey, consumerSecret }: Credentials): HashedCredentials {
  return {
    keyHash: hashCredential(consumerKey),
    keyEnding: consumerKey.slice(-7),
    secretHash: hashCredential(consumerSecret),
  };
}
