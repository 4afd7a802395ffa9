/**
 * The headers of every answer: browsers must not sniff its type, cache, frame or run it, or send its address, which may
 * contain credentials, to others. Downloads, the console and the documentation replace some of them.
 */
export const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
} as const;
