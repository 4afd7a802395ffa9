import { hkdfSync } from 'node:crypto';
import { decrypt, encrypt } from './aes-gcm.ts';

/** What a database works with: keys that the master key gives, or opens. docs/decisions/0011-master-key-rotation.md */
export interface KeyBundle {
  /** What license keys are sealed under now. */
  sealing: SealingKey;
  /** What they may rest under: the same, and others, of which some are retired and one may be about to seal. */
  opening: readonly SealingKey[];
  /** Keys that stay what they are when the master key is exchanged. */
  data: Readonly<Record<DataPurpose, Uint8Array>>;
  /** 32 bytes of which a later version derives data keys that this one does not know. */
  root: Uint8Array;
}

export interface SealingKey {
  /** 4 bytes, before each key that is sealed under it. */
  id: number;
  /** 32 bytes. */
  key: Uint8Array;
}

/** Where an exchange of keys stands: before the switch the old one seals, so that none meets what it cannot open yet. */
export type RotationStep = 'announced' | 'switched';

export const MASTER_KEY_BYTES = 32;

/**
 * What the data keys are for, as they are derived from the first master key. What was hashed or signed with them is in the
 * hands of clients, or could not be found without: they rest in the bundle from the first rotation on.
 */
const DATA_PURPOSES = ['license key hash', 'download token', 'audit trail'] as const;
export type DataPurpose = (typeof DATA_PURPOSES)[number];

/** A key for one purpose (HKDF-SHA-256): it tells nothing of the master key, nor of those for other purposes. */
export const deriveKey = (masterKey: Uint8Array, purpose: string, bytes = 32): Buffer =>
  Buffer.from(hkdfSync('sha256', masterKey, '', `latchkey ${purpose}`, bytes));

/** Tells keys apart without telling anything of them; kept in the database to refuse a wrong master key. */
export const fingerprintOf = (key: Uint8Array): string => deriveKey(key, 'fingerprint', 16).toString('hex');

export const sealingKeyOf = (masterKey: Uint8Array): SealingKey => ({
  id: deriveKey(masterKey, 'key id', 4).readUInt32BE(),
  key: deriveKey(masterKey, 'license key encryption'),
});

/** 8 hex digits. */
export const keyIdOf = ({ id }: SealingKey): string => id.toString(16).padStart(8, '0');

/** The keys of a database whose master key is its first. @param masterKey 32 bytes from a secure random source */
export function firstBundle(masterKey: Uint8Array): KeyBundle {
  if (masterKey.length !== MASTER_KEY_BYTES)
    throw new RangeError(`a master key has ${MASTER_KEY_BYTES} bytes`);
  const sealing = sealingKeyOf(masterKey);
  const data = DATA_PURPOSES.map((purpose) => [purpose, deriveKey(masterKey, purpose)]);
  return {
    sealing,
    opening: [sealing],
    data: Object.fromEntries(data) as KeyBundle['data'],
    root: deriveKey(masterKey, 'data root'),
  };
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const bytes = (text: string): Uint8Array => Buffer.from(text, 'hex');

/** A bundle and the key that seals next, for whoever has a key: a master key, or one that seals. Text. */
export function sealBundle(bundle: KeyBundle, next: SealingKey, key: Uint8Array): string {
  const written = (one: SealingKey) => ({ id: one.id, key: hex(one.key) });
  const others = bundle.opening.filter(({ id }) => id !== bundle.sealing.id);
  const text = JSON.stringify({
    keys: [next, bundle.sealing, ...others].map(written),
    data: Object.fromEntries(DATA_PURPOSES.map((purpose) => [purpose, hex(bundle.data[purpose])])),
    root: hex(bundle.root),
  });
  return encrypt(deriveKey(key, 'key bundle'), text, Buffer.from(fingerprintOf(key))).toString('base64');
}

/**
 * A bundle that was sealed for a key.
 * @param step of a rotation that is under way
 * @throws where it was sealed for another, or changed
 */
export function openBundle(sealed: string, step: RotationStep | null, key: Uint8Array): KeyBundle {
  const context = Buffer.from(fingerprintOf(key));
  const read = JSON.parse(decrypt(deriveKey(key, 'key bundle'), Buffer.from(sealed, 'base64'), context));
  const opening: SealingKey[] = read.keys.map((one: { id: number; key: string }) => ({
    id: one.id,
    key: bytes(one.key),
  }));
  const root = bytes(read.root);
  const data = DATA_PURPOSES.map((purpose) => [
    purpose,
    // A purpose that is younger than the rotation.
    read.data[purpose] === undefined ? deriveKey(root, purpose) : bytes(read.data[purpose]),
  ]);
  return {
    sealing: opening[step === 'announced' ? 1 : 0] as SealingKey,
    opening,
    data: Object.fromEntries(data) as KeyBundle['data'],
    root,
  };
}
