import { createHash } from 'node:crypto';
import { type Compact, keyId, readCompact } from '../../src/app/leases/compact.ts';
import type { Service } from '../../src/installation/service.ts';

// A verifier, which follows docs/integrate/lease-format.md step by step.

// biome-ignore lint/suspicious/noExplicitAny: a payload is checked by the steps, not by the compiler
type Payload = Record<string, any>;
export type Verified =
  | { code: string; lease?: never; state?: never }
  | { code: null; lease: Payload; state: 'licensed' | 'grace' | 'expired' };

interface Known {
  roots: readonly string[];
  /** Seconds since 1970. */
  now: number;
  fingerprint?: string | undefined;
  deviceKey?: string;
  product?: number;
  nonce?: string;
  revokedKeys?: readonly string[];
  revocations?: Payload;
}

const TIME_MAX = 253_402_300_799;
const isText = (value: unknown) => typeof value === 'string';
const isTime = (value: unknown) =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= TIME_MAX;
const isList = (value: unknown) => Array.isArray(value) && value.every(isText);
const orAbsent = (is: (value: unknown) => boolean) => (value: unknown) => value === undefined || is(value);
const allAre = (payload: Payload, is: (value: unknown) => boolean, ...names: string[]) =>
  names.every((name) => is(payload[name]));

/** Steps 1 to 6, of leases and revocation lists. */
function readSigned(
  text: string,
  typ: 'lk-lease+jwt' | 'lk-revocations+jwt',
  { roots, revokedKeys = [] }: Pick<Known, 'roots' | 'revokedKeys'>,
): { code: string } | { code: null; read: Compact; certificate: Payload } {
  const read = readCompact(text.trim(), typ, ['kid', 'crt'], typ === 'lk-lease+jwt' ? undefined : 4 << 20);
  const crt = read && readCompact(read.header.crt as string, 'lk-cert+jwt', ['kid']);
  if (!read || !crt) return { code: 'malformed' };
  const pinned = roots.filter((x) => !revokedKeys.includes(keyId(x)));
  if (!pinned.some((x) => crt.isSignedBy(x))) return { code: 'wrong_root' };
  const certificate: Payload = crt.payload;
  const isCertificate =
    allAre(certificate, isText, 'kid', 'x') &&
    allAre(certificate, isTime, 'nbf', 'exp') &&
    orAbsent(isList)(certificate.rvk) &&
    certificate.use === 'lease' &&
    certificate.kid === read.header.kid;
  if (!isCertificate) return { code: 'bad_certificate' };
  if ([...revokedKeys, ...(certificate.rvk ?? [])].includes(certificate.kid)) return { code: 'revoked_key' };
  if (!read.isSignedBy(certificate.x)) return { code: 'bad_signature' };
  return { code: null, read, certificate };
}

export function verifyLease(text: string, known: Known): Verified {
  const signed = readSigned(text, 'lk-lease+jwt', known);
  if (signed.code !== null) return signed;
  const { certificate } = signed;
  const lease: Payload = signed.read.payload;
  const { iat, ref, exp, grc, lxp = TIME_MAX } = lease;
  const isLease =
    allAre(lease, isText, 'iss', 'jti', 'lic', 'st') &&
    allAre(lease, orAbsent(isText), 'sub', 'fp', 'n') &&
    allAre(lease, isTime, 'iat', 'ref', 'exp', 'grc') &&
    allAre(lease, orAbsent(isTime), 'lxp') &&
    isList(lease.ent) &&
    orAbsent(Number.isSafeInteger)(lease.prd) &&
    orAbsent((cnf) => isText((cnf as Payload).x))(lease.cnf);
  if (!isLease || !(iat <= ref && ref <= exp && exp <= grc && grc <= lxp)) return { code: 'malformed' };
  if (certificate.nbf > iat || grc > certificate.exp) return { code: 'bad_certificate' };
  const { fingerprint, deviceKey, product, nonce, now } = known;
  const fp = fingerprint && createHash('sha256').update(fingerprint).digest('base64url');
  if (lease.fp !== fp) return { code: 'other_device' };
  if (deviceKey !== undefined && lease.cnf?.x !== deviceKey) return { code: 'other_device' };
  if (product !== undefined && lease.prd !== undefined && lease.prd !== product)
    return { code: 'other_product' };
  if (nonce !== undefined && lease.n !== nonce) return { code: 'other_nonce' };
  const isIn = (list: [number, number][] = [], mark: string, named?: string) =>
    list.some(([id, time]) => `${mark}${id}` === named && iat <= time);
  if (isIn(known.revocations?.lic, 'lic_', lease.lic) || isIn(known.revocations?.act, 'act_', lease.sub))
    return { code: 'revoked' };
  if (iat > now + 300) return { code: 'clock' };
  return { code: null, lease, state: now < exp ? 'licensed' : now < grc ? 'grace' : 'expired' };
}

/** The payload of a revocation list; throws for any other text. */
export function verifyRevocations(text: string, roots: readonly string[]): Payload {
  const signed = readSigned(text, 'lk-revocations+jwt', { roots });
  if (signed.code !== null) throw new Error(signed.code);
  const { certificate, read } = signed;
  const list: Payload = read.payload;
  if (!allAre(list, isTime, 'seq', 'iat', 'exp') || !isText(list.iss)) throw new Error('malformed');
  if (certificate.nbf > list.iat || list.iat > certificate.exp) throw new Error('bad_certificate');
  return list;
}

/** What programs pin: the public halves of the root keys. */
export const rootsOf = async ({ store, signer }: Pick<Service, 'store' | 'signer'>): Promise<string[]> => {
  // Makes the keys of a database that has none yet.
  await signer.current();
  const keys = await store.read.signingKeys.list();
  return keys.filter(({ role }) => role === 'root').map(({ x }) => x);
};
