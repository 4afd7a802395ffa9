import type { KeyObject } from 'node:crypto';
import type { SigningKeyRecord } from '../../domain/signing-key.ts';
import { type Reads, StoreDamaged } from '../../store/store.ts';
import { keyId, publicKeyOf, readPrivateKey } from '../leases/compact.ts';
import { type Certificate, readCertificate } from './certificate.ts';

/** The keys in use. */
export interface KeySet {
  /** The active root. */
  root: SigningKeyRecord;
  spare: SigningKeyRecord;
  signing: SigningKeyRecord;
}

/** Null before there are any. @throws StoreDamaged */
export function keySetOf(keys: readonly SigningKeyRecord[]): KeySet | null {
  if (keys.length === 0) return null;
  const find = (role: SigningKeyRecord['role'], state: SigningKeyRecord['state']) => {
    const found = keys.find((key) => key.role === role && key.state === state);
    if (!found) throw damaged(`the ${state} ${role} key is missing`);
    if (keyId(found.x) !== found.kid)
      throw damaged(`the key ${found.kid} has the public half of another one`);
    return found;
  };
  return { root: find('root', 'active'), spare: find('root', 'spare'), signing: find('signing', 'active') };
}

/** The certificate of the signing key. @throws StoreDamaged unless it is by the active root, and for this key */
export function certificateOf({ root, signing }: Pick<KeySet, 'root' | 'signing'>): Certificate {
  const certificate = readCertificate(signing.certificate);
  const isGood =
    certificate?.isSignedBy(root.x) && certificate.kid === signing.kid && certificate.x === signing.x;
  if (!certificate || !isGood)
    throw damaged(`the certificate of the key ${signing.kid} is not one by the active root key`);
  return certificate;
}

/** Null where the database has none. @throws StoreDamaged unless it belongs to the public half */
export async function privateKeyOf(
  signingKeys: Pick<Reads['signingKeys'], 'privateHalf'>,
  { kid, x }: SigningKeyRecord,
): Promise<KeyObject | null> {
  const text = await signingKeys.privateHalf(kid);
  if (text === null) return null;
  const key = readPrivateKey(text);
  if (!key || publicKeyOf(key) !== x)
    throw damaged(`the private half of the key ${kid} does not belong to its public half`);
  return key;
}

const damaged = (what: string) => new StoreDamaged(`${what} (table signing_keys)`);
