/**
 * Headers of every answer, which is data and never a page of its own: not to be guessed the type of, kept, framed, run, or
 * named to others, for an address may hold credentials. Downloads and the documentation have some of their own instead.
 */
export const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
} as const;
