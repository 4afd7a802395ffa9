import { hkdfSync } from 'node:crypto';
import { decrypt, encrypt } from './aes-gcm.ts';

/**
 * The keys of a database: derived from its first master key, or decrypted with a later one.
 * docs/decisions/0011-master-key-rotation.md
 */
export interface KeyBundle {
  /** Encrypts license keys now. */
  sealing: SealingKey;
  /** Decrypt license keys: `sealing`, the keys of retired master keys, and during a rotation the next one. */
  opening: readonly SealingKey[];
  /** Keys that a rotation of the master key does not change. */
  data: Readonly<Record<DataPurpose, Uint8Array>>;
  /** 32 bytes from which further keys are derived that a rotation does not change. */
  root: Uint8Array;
}

export interface SealingKey {
  /** Id of the key in each sealed license key. 4 bytes. */
  id: number;
  /** 32 bytes. */
  key: Uint8Array;
}

/** Until `switched` the old key encrypts, so that no process meets a license key that it cannot decrypt yet. */
export type RotationStep = 'announced' | 'switched';

export const MASTER_KEY_BYTES = 32;

/**
 * Purposes of the data keys, which are derived from the first master key. Clients hold hashes and signatures made with them,
 * so a rotation must keep these keys: it stores them in the bundle.
 */
const DATA_PURPOSES = ['license key hash', 'download token', 'audit trail'] as const;
export type DataPurpose = (typeof DATA_PURPOSES)[number];

/** Derives a key for one purpose (HKDF-SHA-256). It reveals neither the given key nor keys for other purposes. */
export const deriveKey = (masterKey: Uint8Array, purpose: string, bytes = 32): Buffer =>
  Buffer.from(hkdfSync('sha256', masterKey, '', `latchkey ${purpose}`, bytes));

/** Identifies a key without revealing it. The database stores it, to refuse a wrong master key. */
export const fingerprintOf = (key: Uint8Array): string => deriveKey(key, 'fingerprint', 16).toString('hex');

export const sealingKeyOf = (masterKey: Uint8Array): SealingKey => ({
  id: deriveKey(masterKey, 'key id', 4).readUInt32BE(),
  key: deriveKey(masterKey, 'license key encryption'),
});

/** 8 hex digits. */
export const keyIdOf = ({ id }: SealingKey): string => id.toString(16).padStart(8, '0');

/** The keys of a database with its first master key. @param masterKey 32 bytes from a secure random source */
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

/**
 * Encrypts a bundle.
 * @param next the sealing key of a rotation that begins, or else the current one
 * @param key a master key or a sealing key, which will open the bundle
 */
export function sealBundle(bundle: KeyBundle, next: SealingKey, key: Uint8Array): string {
  const keys = new Map([next, bundle.sealing, ...bundle.opening].map((one) => [one.id, hex(one.key)]));
  const text = JSON.stringify({
    keys: Array.from(keys, ([id, key]) => ({ id, key })),
    data: Object.fromEntries(DATA_PURPOSES.map((purpose) => [purpose, hex(bundle.data[purpose])])),
    root: hex(bundle.root),
  });
  return encrypt(deriveKey(key, 'key bundle'), text, Buffer.from(fingerprintOf(key))).toString('base64');
}

/**
 * Decrypts a bundle.
 * @param step step of the rotation in progress; null without one
 * @throws if the bundle was encrypted under another key, or was changed
 */
export function openBundle(sealed: string, step: RotationStep | null, key: Uint8Array): KeyBundle {
  const context = Buffer.from(fingerprintOf(key));
  const read = JSON.parse(decrypt(deriveKey(key, 'key bundle'), Buffer.from(sealed, 'base64'), context));
  const opening = (read.keys as { id: number; key: string }[]).map(({ id, key }) => ({
    id,
    key: bytes(key),
  }));
  const root = bytes(read.root);
  const data = DATA_PURPOSES.map((purpose) => [
    purpose,
    // The bundle was written by a version that did not know this purpose.
    read.data[purpose] === undefined ? deriveKey(root, purpose) : bytes(read.data[purpose]),
  ]);
  return {
    sealing: opening[step === 'announced' ? 1 : 0] as SealingKey,
    opening,
    data: Object.fromEntries(data) as KeyBundle['data'],
    root,
  };
}
