import type { Members } from './kit.ts';

/** What a program knows when it verifies a lease. */
export interface Options {
  /** The fingerprint itself, not its hash. */
  fingerprint?: string;
  /** The public half of the device key. */
  device_key?: string;
  product?: number;
  nonce?: string;
  /** Ids of revoked signing keys and roots. */
  revoked_keys?: readonly string[];
  /** A revocation list, as the server sends it. */
  revocations?: string;
  /** The current time in seconds since 1970, instead of the file's. */
  now?: number;
}

export type Code =
  | 'malformed'
  | 'wrong_root'
  | 'bad_certificate'
  | 'revoked_key'
  | 'bad_signature'
  | 'other_device'
  | 'other_product'
  | 'other_nonce'
  | 'revoked'
  | 'clock';

export interface LeaseCase {
  name: string;
  why: string;
  lease: string;
  options: Options;
  result: 'licensed' | 'grace' | 'expired' | 'refused';
  /** Why the lease is refused. If it is missing, any code is right. */
  code?: Code;
  /** The payload. */
  claims?: Members;
}

/** A lease that a verifier must accept. */
export const good = (
  name: string,
  why: string,
  lease: string,
  options: Options = {},
  result: LeaseCase['result'] = 'licensed',
): LeaseCase => ({ name, why, lease, options, result, claims: payloadOf(lease) });

/** A lease that a verifier must refuse. */
export const refused = (
  name: string,
  why: string,
  code: Code | null,
  lease: string,
  options: Options = {},
): LeaseCase => ({ name, why, lease, options, result: 'refused', ...(code && { code }) });

/** A revocation list, a request or a receipt. */
export interface TextCase {
  name: string;
  why: string;
  text: string;
  options: Pick<Options, 'revoked_keys'> & {
    /** For a revocation list: the highest `seq` that the program has seen. */
    seq?: number;
  };
  result: 'good' | 'refused';
  code?: Code | 'older';
  claims?: Members;
}

export const goodText = (
  name: string,
  why: string,
  text: string,
  options: TextCase['options'] = {},
): TextCase => ({ name, why, text, options, result: 'good', claims: payloadOf(text) });

export const refusedText = (
  name: string,
  why: string,
  code: TextCase['code'],
  text: string,
  options: TextCase['options'] = {},
): TextCase => ({ name, why, text, options, result: 'refused', ...(code && { code }) });

/** Returns the payload, which is the second-to-last part. */
const payloadOf = (text: string): Members =>
  JSON.parse(Buffer.from(String(text.split('.').at(-2)), 'base64url').toString());
