import type { Datetime } from '../../domain/datetime.ts';
import type { RotationStep } from './key-bundle.ts';

/** The master keys of a database, each by its fingerprint. */
export interface MasterKeyState {
  /** The current master key; during a rotation, the old one. */
  fingerprint: string;
  /** Id of the key with which this process encrypts license keys: 8 hex digits. */
  keyId: string;
  /** The rotation in progress. */
  rotation: Rotation | null;
  /** Oldest first. */
  retired: readonly RetiredMasterKey[];
}

export interface Rotation {
  from: string;
  to: string;
  /** Id of the sealing key of the new master key. */
  keyId: string;
  step: RotationStep;
  begunAt: Datetime;
}

export interface RetiredMasterKey {
  fingerprint: string;
  retiredAt: Datetime;
}

/** Values stored at the start of a rotation. */
export interface NewRotation extends Pick<Rotation, 'from' | 'to' | 'keyId'> {
  /** The key bundle, encrypted under each key that must open it, by the fingerprint of that key. */
  bundles: Readonly<Record<string, string>>;
  /** Fingerprints whose bundles are removed at the end of the rotation. */
  temporary: readonly string[];
}

/** Result of a step that encrypts sealed texts again. */
export interface Resealed<Place> {
  /** Rows read. */
  seen: number;
  /** Rows that were under another sealing key. */
  resealed: number;
  /** The row to continue after; null at the end. */
  next: Place | null;
}

/** A table of records whose license key or activation token is sealed, with an id. */
export type SealedTable = 'licenses' | 'activations' | 'trashed_licenses' | 'trashed_activations';

/** A staged row; null before the first. */
export type StagedPlace = { batch: string; row: number } | null;

export interface MasterKeyReads {
  state(): Promise<MasterKeyState>;
  /**
   * Counts license keys and activation tokens, staged and deleted ones included, that are encrypted under another
   * sealing key than the current one. Reads all of them.
   */
  countUnderOtherKeys(): Promise<number>;
}

export interface MasterKeyWrites {
  /**
   * Begins a rotation.
   * @returns false if another one is in progress, `from` is not the current key, or `to` was used before
   */
  begin(rotation: NewRotation, now: Datetime): Promise<boolean>;
  /**
   * Replaces the key that license keys are hashed with.
   * @param bundles as `NewRotation.bundles`; running processes follow within REFRESH_MS
   * @returns false if a license exists, because clients may hold its hash, or if a rotation is in progress
   */
  adopt(bundles: NewRotation['bundles']): Promise<boolean>;
  /** Makes the new key the one that encrypts. @returns false if no rotation to this key is in progress */
  switch(to: string): Promise<boolean>;
  /**
   * Encrypts the secrets of users, event endpoints and signing keys again under the current sealing key. There are few.
   * @param keyId id of that key
   */
  resealSecrets(keyId: string): Promise<void>;
  /**
   * Ends a rotation: from then on, only the new master key opens the database.
   * @returns false if the rotation has not switched
   */
  finish(to: string, now: Datetime): Promise<boolean>;
}
