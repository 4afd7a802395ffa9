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

/** Returns the keys in use; null if there are no keys yet. @throws StoreDamaged */
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

/** Returns the signing key's certificate. @throws StoreDamaged unless the active root has signed it for this key */
export function certificateOf({ root, signing }: Pick<KeySet, 'root' | 'signing'>): Certificate {
  const certificate = readCertificate(signing.certificate);
  const isGood =
    certificate?.isSignedBy(root.x) && certificate.kid === signing.kid && certificate.x === signing.x;
  if (!certificate || !isGood)
    throw damaged(`the certificate of the key ${signing.kid} was not signed by the active root key`);
  return certificate;
}

/** Returns a private half; null if the database has none. @throws StoreDamaged if it does not match the public half */
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
