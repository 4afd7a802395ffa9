import type { Datetime } from '../../domain/datetime.ts';

/** What a database knows of its master keys. Each is named by its fingerprint. */
export interface MasterKeyState {
  /** Of the master key in use; during a rotation still the old one. */
  fingerprint: string;
  /** Id of the key that this process seals license keys under: 8 hex digits. */
  keyId: string;
  /** Null where none is under way. */
  rotation: Rotation | null;
  /** Oldest first. */
  retired: readonly RetiredMasterKey[];
}

export interface Rotation {
  from: string;
  to: string;
  /** Id of the sealing key of the new master key. */
  keyId: string;
  step: 'announced' | 'switched';
  begunAt: Datetime;
}

export interface RetiredMasterKey {
  fingerprint: string;
  retiredAt: Datetime;
}

/** What a rotation writes at its start. */
export interface NewRotation extends Pick<Rotation, 'from' | 'to' | 'keyId'> {
  /** The bundle of keys, encrypted under each key that must open it; by the fingerprint of that key. */
  bundles: Readonly<Record<string, string>>;
  /** Fingerprints whose bundles are removed at the end of the rotation. */
  temporary: readonly string[];
}

/** Result of encrypting some license keys anew. */
export interface Resealed<Place> {
  /** Rows read. */
  seen: number;
  /** Rows that were under another sealing key, and are now under the current one. */
  resealed: number;
  /** The row to go on after; null at the end. */
  next: Place | null;
}

/** A staged row; null before the first. */
export type StagedPlace = { batch: string; row: number } | null;
