import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';

// Keys, times and signed texts of the vectors. This module signs anything, so it shares no code with the server.

/** The current time of the vectors: 15 January 2027, 08:00 UTC. */
export const NOW = 1_800_000_000;
export const HOUR = 3_600;
export const DAY = 24 * HOUR;

/** A key of the vectors. Its private half is public knowledge. */
export interface Key {
  x: string;
  kid: string;
  secret: KeyObject;
}

/** An Ed25519 private key in PKCS #8, without its 32 bytes. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

export const hash = (text: string | Buffer): string => createHash('sha256').update(text).digest('base64url');

function keyNamed(name: string): Key {
  const seed = createHash('sha256').update(`test vectors: ${name}`).digest();
  const secret = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' });
  const x = String(createPublicKey(secret).export({ format: 'jwk' }).x);
  return { x, kid: hash(Buffer.from(x, 'base64url')).slice(0, 16), secret };
}

export const root = keyNamed('root');
export const spare = keyNamed('spare root');
export const stranger = keyNamed('root of somebody else');
export const signing = keyNamed('signing key');
export const rotated = keyNamed('signing key after a rotation');
export const device = keyNamed('device');
export const otherDevice = keyNamed('other device');
export const ROOTS = [root.x, spare.x];

/** JSON text, or a value to encode as JSON. Undefined members are omitted. */
export type Json = string | Buffer | Readonly<Record<string, unknown>> | readonly unknown[] | null;

export const base64 = (json: Json): string =>
  (Buffer.isBuffer(json)
    ? json
    : Buffer.from(typeof json === 'string' ? json : JSON.stringify(json))
  ).toString('base64url');

/** Signs any header and payload, valid or not. */
export function jws(header: Json, payload: Json, by: Key): string {
  const signed = `${base64(header)}.${base64(payload)}`;
  return `${signed}.${sign(null, Buffer.from(signed), by.secret).toString('base64url')}`;
}

export type Members = Readonly<Record<string, unknown>>;

export const certificatePayload = (key: Key): Members => ({
  kid: key.kid,
  x: key.x,
  nbf: NOW - 30 * DAY,
  exp: NOW + 400 * DAY,
  use: 'lease',
});

export const certificateHeader = (by: Key = root): Members => ({
  alg: 'EdDSA',
  typ: 'lk-cert+jwt',
  kid: by.kid,
});

/** Returns a certificate of the signing key; `changes` go into its payload. */
export const certificate = (changes: Members = {}, by: Key = root, key: Key = signing): string =>
  jws(certificateHeader(by), { ...certificatePayload(key), ...changes }, by);

export const leaseHeader = (crt: string = certificate(), key: Key = signing): Members => ({
  alg: 'EdDSA',
  typ: 'lk-lease+jwt',
  kid: key.kid,
  crt,
});

const IAT = NOW - HOUR;
export const FINGERPRINT = '5f6b9c2e';

/** The payload of a lease for any device, with the required members only. */
export const MINIMAL: Members = {
  iss: 'https://licenses.example.com',
  jti: 'L-1',
  lic: 'lic_7',
  st: 'active',
  ent: [],
  iat: IAT,
  ref: IAT + DAY,
  exp: IAT + 14 * DAY,
  grc: IAT + 21 * DAY,
};

/** The payload of a lease with every member. */
export const FULL: Members = {
  ...MINIMAL,
  sub: 'act_41',
  prd: 1001,
  fp: hash(FINGERPRINT),
  cnf: { x: device.x },
  ent: ['pro', 'export'],
  lxp: IAT + 365 * DAY,
  n: 'nonce-1',
};

/** Returns a lease with this payload. */
export const lease = (payload: Json = MINIMAL, crt: string = certificate(), key: Key = signing): string =>
  jws(leaseHeader(crt, key), payload, key);

/** Returns a minimal lease with changed members. */
export const changed = (changes: Members): string => lease({ ...MINIMAL, ...changes });

export const revocationPayload: Members = {
  iss: 'https://licenses.example.com',
  seq: 5,
  iat: NOW - HOUR,
  exp: NOW + DAY,
  lic: [],
  act: [],
};

/** Returns a revocation list; `changes` go into its payload. */
export const revocations = (changes: Members, crt: string = certificate(), key: Key = signing): string =>
  jws({ ...leaseHeader(crt, key), typ: 'lk-revocations+jwt' }, { ...revocationPayload, ...changes }, key);

/** Flips one bit of a byte in a part of a signed text. */
export function flipped(text: string, part: number, index: number): string {
  const parts = text.split('.').map((one) => Buffer.from(one, 'base64url'));
  const bytes = parts[part] as Buffer;
  bytes[index] = (bytes[index] as number) ^ 1;
  return parts.map((one) => one.toString('base64url')).join('.');
}
