import { decode, sha256 } from './base64url.ts';
import { type Compact, isObject, isUnsupported, type Json, readCompact } from './compact.ts';

// Verifies leases and revocation lists by the steps of docs/integrate/lease-format.md.

/**
 * Why a lease or a revocation list is refused. `older`: the program has a newer list. `unsupported`: WebCrypto has no
 * Ed25519 here (Chrome before 137, a page without HTTPS).
 */
export type Refusal =
  | 'malformed'
  | 'wrong_root'
  | 'bad_certificate'
  | 'revoked_key'
  | 'bad_signature'
  | 'other_device'
  | 'other_product'
  | 'other_nonce'
  | 'revoked'
  | 'clock'
  | 'older'
  | 'unsupported';

/** The payload of a lease. Times are seconds since 1970. */
export interface Lease {
  iss: string;
  jti: string;
  /** The activation, `act_41`; missing in a license file. */
  sub?: string;
  /** The license, `lic_7`. */
  lic: string;
  prd?: number;
  fp?: string;
  cnf?: { x: string };
  st: string;
  ent: string[];
  iat: number;
  ref: number;
  exp: number;
  grc: number;
  lxp?: number;
  n?: string;
}

/** A revocation list. An entry is an ID and a time in seconds since 1970: it voids leases issued up to that time. */
export interface Revocations {
  iss: string;
  seq: number;
  iat: number;
  exp: number;
  lic: [number: number, time: number][];
  act: [number: number, time: number][];
}

/** Whose signatures a program trusts. */
export interface Trust {
  /** The pinned root keys, each 32 bytes in base64url. */
  roots: readonly string[];
  /** Ids of revoked keys. */
  revokedKeys?: readonly string[] | undefined;
}

/**
 * The properties that a lease must match. A step is skipped if its `deviceKey`, `product`, `nonce` or `revocations` is
 * missing.
 */
export interface Expected extends Trust {
  /** Seconds since 1970. */
  now: number;
  /** The fingerprint of this device. If it is missing, a lease for a fingerprint is refused. */
  fingerprint?: string | undefined;
  /** The public half of the device key, 32 bytes in base64url. */
  deviceKey?: string | undefined;
  product?: number | undefined;
  nonce?: string | undefined;
  revocations?: Pick<Revocations, 'lic' | 'act'> | null | undefined;
}

export type Verified =
  | {
      ok: true;
      /** `licensed` before `exp`, `grace` before `grc`, then `expired`. */
      state: 'licensed' | 'grace' | 'expired';
      lease: Lease;
      /** The ids of the keys that the certificate revokes. Store them permanently. */
      revokedKeys: readonly string[];
    }
  | { ok: false; code: Refusal };

export type VerifiedRevocations =
  | { ok: true; list: Revocations; revokedKeys: readonly string[] }
  | { ok: false; code: Refusal };

const LEASE = 'lk-lease+jwt';
const LEASE_HEADER = ['kid', 'crt'];
/** Maximum lengths, in characters. */
const LEASE_MAX = 8_192;
const REVOCATIONS_MAX = 4 * 1024 * 1024;
const TIME_MAX = 253_402_300_799;
/** Seconds that a lease may be ahead of the clock. */
const DRIFT = 300;

/** Verifies a lease. It never throws. @param text with or without `LKLEASE1.` */
export async function verifyLease(text: string, expected: Expected): Promise<Verified> {
  const signed = await verifySigned(bare(text), LEASE, LEASE_MAX, expected);
  if ('code' in signed) return refused(signed.code);
  const { certificate } = signed;
  const lease = signed.payload;
  if (!isLease(lease)) return refused('malformed');
  if (certificate.nbf > lease.iat || lease.grc > certificate.exp) return refused('bad_certificate');
  const { now, fingerprint, deviceKey, product, nonce, revocations } = expected;
  const fp = fingerprint === undefined ? undefined : await sha256(fingerprint);
  if (lease.fp !== fp) return refused('other_device');
  if (deviceKey !== undefined && lease.cnf?.x !== deviceKey) return refused('other_device');
  if (product !== undefined && lease.prd !== undefined && lease.prd !== product)
    return refused('other_product');
  if (nonce !== undefined && lease.n !== nonce) return refused('other_nonce');
  if (revocations && isRevoked(lease, revocations)) return refused('revoked');
  if (lease.iat > now + DRIFT) return refused('clock');
  const state = now < lease.exp ? 'licensed' : now < lease.grc ? 'grace' : 'expired';
  return { ok: true, state, lease, revokedKeys: certificate.rvk ?? [] };
}

/** Verifies a revocation list. It never throws. @param trust with the highest `seq` that the program has seen */
export async function verifyRevocations(
  text: string,
  trust: Trust & { seq?: number | undefined },
): Promise<VerifiedRevocations> {
  const signed = await verifySigned(trimmed(text), 'lk-revocations+jwt', REVOCATIONS_MAX, trust);
  if ('code' in signed) return refused(signed.code);
  const { certificate, payload } = signed;
  if (!isRevocations(payload)) return refused('malformed');
  if (certificate.nbf > payload.iat || payload.iat > certificate.exp) return refused('bad_certificate');
  if (payload.seq < (trust.seq ?? 0)) return refused('older');
  return { ok: true, list: payload, revokedKeys: certificate.rvk ?? [] };
}

/**
 * Returns the license and the activation that a lease names, without verifying it. For finding entries in a revocation
 * list.
 * @returns an empty object for text that is not a lease
 */
export const peek = (text: string): { lic?: unknown; sub?: unknown } =>
  readCompact(bare(text), LEASE, LEASE_HEADER, LEASE_MAX)?.payload ?? {};

const bare = (text: string): string => trimmed(text).replace(/^LKLEASE1\./, '');

const refused = (code: Refusal): { ok: false; code: Refusal } => ({ ok: false, code });

const isSpace = (character = ''): boolean => character !== '' && ' \t\r\n'.includes(character);

/** Removes the white space that the format allows around the text. A regular expression would take quadratic time. */
function trimmed(text: string): string {
  let start = 0;
  let end = text.length;
  while (isSpace(text[start])) start++;
  while (end > start && isSpace(text[end - 1])) end--;
  return text.slice(start, end);
}

/** Whether the list has an entry that voids the lease. */
export const isRevoked = (lease: Lease, { lic, act }: Pick<Revocations, 'lic' | 'act'>): boolean =>
  lic.some(([number, time]) => lease.lic === `lic_${number}` && lease.iat <= time) ||
  act.some(([number, time]) => lease.sub === `act_${number}` && lease.iat <= time);

interface Certificate {
  kid: string;
  x: string;
  nbf: number;
  exp: number;
  rvk?: string[];
}

/** Runs steps 1 to 6, which leases and revocation lists share. */
async function verifySigned(
  text: string,
  typ: string,
  max: number,
  trust: Trust,
): Promise<{ payload: Json; certificate: Certificate } | { code: Refusal }> {
  const read = readCompact(text, typ, LEASE_HEADER, max);
  const certified = read && readCompact(String(read.header.crt), 'lk-cert+jwt', ['kid'], LEASE_MAX);
  if (!certified) return refused('malformed');
  try {
    if (!(await isSignedByRoot(certified, trust))) return refused('wrong_root');
    const certificate = certified.payload;
    const { kid } = read.header;
    if (!isCertificate(certificate) || certificate.kid !== kid) return refused('bad_certificate');
    const { rvk = [], x } = certificate;
    if ((await keyId(x)) !== kid) return refused('bad_certificate');
    if (rvk.includes(kid) || trust.revokedKeys?.includes(kid)) return refused('revoked_key');
    if (!(await read.isSignedBy(x))) return refused('bad_signature');
    return { payload: read.payload, certificate };
  } catch (error) {
    if (isUnsupported(error)) return refused('unsupported');
    throw error;
  }
}

/** Whether one of the roots signed the certificate. Revoked roots do not count. */
async function isSignedByRoot(certificate: Compact, { roots, revokedKeys }: Trust): Promise<boolean> {
  for (const root of roots) {
    if (revokedKeys?.includes(await keyId(root))) continue;
    if (await certificate.isSignedBy(root)) return true;
  }
  return false;
}

const ID_LENGTH = 16;

/** The id of a key. @param x its public half, 32 bytes in base64url */
export async function keyId(x: string): Promise<string> {
  const bytes = decode(x);
  return bytes ? (await sha256(bytes)).slice(0, ID_LENGTH) : '';
}

/** Whether a value is 32 bytes in base64url, as public keys and hashes are. */
export const isKey = (value: unknown): value is string => isText(value) && decode(value)?.length === 32;

type Check = (value: unknown) => boolean;
const isText = (value: unknown): value is string => typeof value === 'string';
const isNumber: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
const isTime: Check = (value) => isNumber(value) && Number(value) <= TIME_MAX;
const isOf =
  (kind: string): Check =>
  (value) =>
    isText(value) && new RegExp(`^${kind}_(0|[1-9]\\d{0,14})$`).test(value);
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const isPair: Check = (value) =>
  Array.isArray(value) && value.length === 2 && isNumber(value[0]) && isTime(value[1]);

const fits = (payload: Json, checks: Record<string, Check>): boolean =>
  Object.entries(checks).every(([name, check]) => check(payload[name]));

const CERTIFICATE: Record<string, Check> = {
  kid: isText,
  x: isKey,
  nbf: isTime,
  exp: isTime,
  use: (value) => value === 'lease',
  rvk: optional(listOf(isText)),
};
const isCertificate = (payload: Json): payload is Certificate & Json => fits(payload, CERTIFICATE);

const CLAIMS: Record<string, Check> = {
  iss: isText,
  jti: isText,
  sub: optional(isOf('act')),
  lic: isOf('lic'),
  prd: optional(isNumber),
  fp: optional(isKey),
  cnf: optional((value) => isObject(value) && isKey(value.x)),
  st: isText,
  ent: listOf(isText),
  iat: isTime,
  ref: isTime,
  exp: isTime,
  grc: isTime,
  lxp: optional(isTime),
  n: optional(isText),
};

function isLease(payload: Json): payload is Lease & Json {
  if (!fits(payload, CLAIMS)) return false;
  const { iat, ref, exp, grc, lxp = TIME_MAX } = payload as Json & Lease;
  return iat <= ref && ref <= exp && exp <= grc && grc <= lxp;
}

const LIST: Record<string, Check> = {
  iss: isText,
  seq: isNumber,
  iat: isTime,
  exp: isTime,
  lic: listOf(isPair),
  act: listOf(isPair),
};
const isRevocations = (payload: Json): payload is Revocations & Json => fits(payload, LIST);
