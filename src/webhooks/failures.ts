import type { AddressFault } from '../domain/problem.ts';

/** A request was not sent or not answered. The message says why, for people. */
export class WebhookFailure extends Error {}

const REFUSALS: Readonly<Record<AddressFault, (address: string) => string>> = {
  not_web_address: () => 'not an http or https address',
  has_credentials: () => 'address holds a user name or a password',
  not_https: () => 'address is not https',
  address_not_allowed: (address) => `address is not public: ${address}`,
};

/** Returns the failure of a request that was not sent. @param address the address that the request would have gone to */
export const refused = (fault: AddressFault | null, address: string): WebhookFailure =>
  new WebhookFailure(REFUSALS[fault ?? 'not_web_address'](address));

export const BROKEN = 'connection was closed before an answer came';
const NO_TLS = 'no TLS connection';
const NO_AUTHORITY = 'certificate is from an unknown authority';

/** Descriptions by error code. */
const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: BROKEN,
  EPIPE: BROKEN,
  ETIMEDOUT: 'no connection in time',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  EADDRNOTAVAIL: 'network unreachable',
  ENOTFOUND: 'unknown host name',
  EAI_AGAIN: 'DNS does not answer',
  EMFILE: 'too many open files on this server',
  CERT_HAS_EXPIRED: 'certificate has expired',
  CERT_NOT_YET_VALID: 'certificate is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate is for another host',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: NO_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: NO_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: NO_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: `${NO_AUTHORITY}, or the server does not send all certificates of its chain`,
  EPROTO: NO_TLS,
  ERR_INVALID_CHAR: 'a header has characters that cannot be sent',
};

const codeOf = (error: unknown): string => {
  const { code, name } = error as NodeJS.ErrnoException;
  return code ?? name;
};

/** Whether the connection ended without an answer. */
export const isBroken = (error: unknown): boolean => WORDS[codeOf(error)] === BROKEN;

/** Describes the error that ended a request. */
export function wordsOf(error: unknown): string {
  if (error instanceof WebhookFailure) return error.message;
  const code = codeOf(error);
  if (code.startsWith('ERR_SSL_')) return NO_TLS;
  if (code.startsWith('HPE_')) return `the answer is not HTTP (${code})`;
  return WORDS[code] ?? `request failed (${code})`;
}
