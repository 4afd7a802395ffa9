import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { keyId, publicKeyOf, signCompact, type Typ } from '../../../src/app/leases/compact.ts';

// Keys and signed texts of a vendor, as the server makes them.

export const DAY = 86_400;
/** 15 January 2027, 08:00 UTC. */
export const NOW = 1_800_000_000;

export interface Key {
  secret: KeyObject;
  x: string;
  kid: string;
}

function makeKey(): Key {
  const { privateKey: secret } = generateKeyPairSync('ed25519');
  const x = publicKeyOf(secret);
  return { secret, x, kid: keyId(x) };
}

export const root = makeKey();
export const spare = makeKey();
export const signing = makeKey();
export const rotated = makeKey();
export const ROOTS: string[] = [root.x, spare.x];

export type Members = Readonly<Record<string, unknown>>;

export const hash = (text: string): string => createHash('sha256').update(text).digest('base64url');

export const certificate = (changes: Members = {}, by: Key = root, key: Key = signing): string =>
  signCompact(
    'lk-cert+jwt',
    { kid: by.kid },
    { kid: key.kid, x: key.x, nbf: 0, exp: NOW + 9_000 * DAY, use: 'lease', ...changes },
    by.secret,
  );

export const signed = (typ: Typ, payload: Members, crt: string = certificate(), key: Key = signing): string =>
  signCompact(typ, { kid: key.kid, crt }, payload, key.secret);

/** Returns the payload of a lease of 14 days with 7 days of grace. */
export const payload = (changes: Members = {}, iat: number = NOW): Members => ({
  iss: 'https://licenses.example.com',
  jti: 'L-1',
  sub: 'act_41',
  lic: 'lic_7',
  st: 'active',
  ent: ['pro'],
  iat,
  ref: iat + DAY,
  exp: iat + 14 * DAY,
  grc: iat + 21 * DAY,
  ...changes,
});

export const lease = (changes: Members = {}, crt?: string, key?: Key): string =>
  signed('lk-lease+jwt', payload(changes), crt, key);

export const revocations = (changes: Members = {}, crt?: string, key?: Key): string =>
  signed(
    'lk-revocations+jwt',
    { iss: 'https://licenses.example.com', seq: 5, iat: NOW, exp: NOW + DAY, lic: [], act: [], ...changes },
    crt,
    key,
  );
