import { createHmac, hash, randomBytes } from 'node:crypto';

/** A random token of a session or of a link, and the hash that is stored. */
export interface Token {
  token: string;
  tokenHash: Uint8Array;
}

/** Returns the SHA-256 of a token: secure for 160 random bits and more. */
export const hashToken = (token: string): Buffer => hash('sha256', token, 'buffer');

function makeToken(bytes: number): Token {
  const token = randomBytes(bytes).toString('base64url');
  return { token, tokenHash: hashToken(token) };
}

export const makeSessionToken = (): Token => makeToken(32);
export const makeLinkToken = (): Token => makeToken(20);

/** Returns the CSRF token of a session. Other sites can make a browser send the cookie, but cannot read this token. */
export const csrfTokenOf = (sessionToken: string): string =>
  createHmac('sha256', sessionToken).update('latchkey console csrf').digest('base64url');
