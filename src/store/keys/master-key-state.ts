import type { Datetime } from '../../domain/datetime.ts';

/** What a database says of its master keys; each is told by its fingerprint. */
export interface MasterKeyState {
  /** Of the one that the database opens with; during a rotation still the old one. */
  fingerprint: string;
  /** Of the key that license keys are sealed under now, by this process: 8 hex digits. */
  keyId: string;
  /** Null where none is under way. */
  rotation: Rotation | null;
  /** Oldest first. */
  retired: readonly RetiredMasterKey[];
}

export interface Rotation {
  from: string;
  to: string;
  /** Of the key that the new master key seals with. */
  keyId: string;
  step: 'announced' | 'switched';
  begunAt: Datetime;
}

export interface RetiredMasterKey {
  fingerprint: string;
  retiredAt: Datetime;
}

/** What a rotation begins with. */
export interface NewRotation extends Pick<Rotation, 'from' | 'to' | 'keyId'> {
  /** The keys of the database, encrypted for each who must be able to open them: by the fingerprint of his key. */
  bundles: Readonly<Record<string, string>>;
  /** Of the bundles, those that end with the rotation. */
  temporary: readonly string[];
}

/** What sealing some keys anew has done. */
export interface Resealed<Place> {
  /** Rows that were looked at. */
  seen: number;
  /** Rows whose key rested under another key. */
  others: number;
  /** Where to go on; null at the end. */
  next: Place | null;
}

/** Of a row that is put aside; null before the first. */
export type StagedPlace = { batch: string; row: number } | null;
