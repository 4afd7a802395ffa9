import { createHmac, hash, randomBytes } from 'node:crypto';

/** Tokens of sessions and of links: random, shown once, kept as hashes. */
export interface Token {
  token: string;
  tokenHash: Uint8Array;
}

const SESSION_BYTES = 32;
const LINK_BYTES = 20;

/** SHA-256; enough for so many random bits. */
export const hashToken = (token: string): Buffer => hash('sha256', token, 'buffer');

function makeToken(bytes: number): Token {
  const token = randomBytes(bytes).toString('base64url');
  return { token, tokenHash: hashToken(token) };
}

export const makeSessionToken = (): Token => makeToken(SESSION_BYTES);
export const makeLinkToken = (): Token => makeToken(LINK_BYTES);

/** What a page of the console shows that it may act for its session: others have the cookie sent, and cannot read this. */
export const csrfTokenOf = (sessionToken: string): string =>
  createHmac('sha256', sessionToken).update('latchkey console csrf').digest('base64url');
