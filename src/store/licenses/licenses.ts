import type { Activation, ActivationSearch, LicensedActivation } from '../../domain/activation.ts';
import type { Datetime } from '../../domain/datetime.ts';
import type { KeyRef, License, LicenseFilter, LicenseRef } from '../../domain/license.ts';
import type { LicenseSearch } from '../../domain/license-search.ts';
import type { Resealed } from '../keys/master-key-state.ts';
import type { ListedById, PageById } from '../pages.ts';
import type { ActivationRow, LicenseRow } from '../records.ts';
import type { Found, FoundActivation, FoundLicenses, NamedActivation, SearchPage } from './searches.ts';

/** What the store has of licenses and their activations. */

export interface LicenseWithActivations {
  license: License;
  /** Those valid now, newest first; at most ACTIVATIONS_AT_ONCE. */
  activations: Activation[];
}
/** Activations read, and answered, in one go: with metadata each may be 16 KiB, and nobody limits how many there are. */
export const ACTIVATIONS_AT_ONCE = 200;

export interface LicenseReads {
  find(ref: LicenseRef): Promise<License | null>;
  findWithActivations(ref: KeyRef): Promise<LicenseWithActivations | null>;
  /** Newest first. */
  list(filter: LicenseFilter, page: PageById): Promise<ListedById<License>>;
  /** What a person looks for, newest first. Each of its statements looks at some thousand rows at most. */
  search(filter: LicenseSearch, page: SearchPage): Promise<FoundLicenses>;
  /** Oldest first, those after an id: walks a table of any size at constant cost. */
  after(id: number, limit: number, filter: LicenseFilter): Promise<License[]>;
  /** Which of these keys a license has already. */
  existing(keys: readonly string[]): Promise<Set<string>>;
  /** The keyed hash that `hashed-…` addresses a license by, 64 hex digits. */
  hashOf(key: string): string;
}

export interface LicenseWrites {
  /** @throws UniqueViolation */
  insert(row: LicenseRow): Promise<License>;
  /**
   * The license as it is then; null where it is not there any more, or another's. @throws UniqueViolation
   * @param license as it was read: its key, its product and what is to change must still be so
   */
  update(license: License, changes: Partial<License>): Promise<License | null>;
  /** False where it is not there any more, or another's. @param license as it was read, as for update */
  delete(license: License): Promise<boolean>;
  /**
   * Takes one place if one is free: the new count, or null where the limit is reached.
   * @param license as it was read; its state must still be so
   */
  takePlace(license: License): Promise<number | null>;
  /** Gives one place back: the new count. */
  freePlace(id: number): Promise<number>;
  /**
   * Fills in the hash of the key suffix for licenses that lack it, of at most so many after an id.
   * @returns the id to go on after; null where no license lacks it
   */
  fillKeySuffixes(after: number, atMost: number): Promise<number | null>;
  /** Encrypts the license keys anew that are under another sealing key, of so many licenses after an id. */
  reseal(keyId: string, after: number, atMost: number): Promise<Resealed<number>>;
}

export interface ActivationReads {
  /** Those valid now of a license, made before the one of an id, newest first; at most ACTIVATIONS_AT_ONCE. */
  before(licenseId: number, id: number): Promise<Activation[]>;
  findByToken(token: string): Promise<LicensedActivation | null>;
  /** Newest first, as licenses are searched. */
  search(filter: ActivationSearch, page: SearchPage): Promise<Found<FoundActivation>>;
  find(id: number): Promise<LicensedActivation | null>;
  /**
   * Those of a license that were deactivated or made valid again since they were made, the last first.
   * @param before only what was changed before another one, or with a lower id at the same time; null for the last
   */
  changed(licenseId: number, before: ChangedAt | null, limit: number): Promise<NamedActivation[]>;
}

/** When an activation was last changed, and its id. */
export interface ChangedAt {
  at: Datetime;
  id: number;
}

export interface ActivationWrites {
  /**
   * Takes a place of the license and makes an activation in it, as the only change of a command.
   * Null where the limit is reached.
   * @param license as it was read; its state must still be so
   */
  insertInPlace(
    license: License,
    row: ActivationRow,
  ): Promise<{ activation: Activation; timesActivated: number } | null>;
  /** False when it was deactivated already. */
  deactivate(id: number, now: Datetime): Promise<boolean>;
  /** False when it was valid already. */
  reactivate(id: number, now: Datetime): Promise<boolean>;
  /** When it was deactivated, as it was then; null where it is not there any more. */
  delete(id: number): Promise<{ deactivatedAt: Datetime | null } | null>;
}
