import type { Datetime } from '../../domain/datetime.ts';
import type { License, TrashedLicense } from '../../domain/licenses/license.ts';

/** Deleted licenses. `LicenseWrites.delete` and `ActivationWrites.discard` put them here. */
export interface TrashReads {
  /**
   * Deleted licenses, last deleted first.
   * @param before a place in this order, such as `next`; null for the first page
   * @param key only licenses with this license key; null for all
   */
  list(
    before: number | null,
    limit: number,
    key: string | null,
  ): Promise<{ items: TrashedLicense[]; next: number | null; total: number }>;
  find(licenseId: number): Promise<TrashedLicense | null>;
  /** Ids of deleted licenses whose restore has begun and has not ended. */
  halfRestored(limit: number): Promise<number[]>;
}

export interface TrashWrites {
  /**
   * One step of restoring a license: restores at most `atMost` activations. The first step takes the seats of all
   * valid activations of the license.
   * @returns the license, the number of restored activations, and whether all are restored; null if another license
   * has its key or id
   * @throws UniqueViolation if another license gets its key at the same time
   */
  restore(
    license: TrashedLicense,
    atMost: number,
    by: number,
    now: Datetime,
  ): Promise<{ license: License; activations: number; isDone: boolean } | null>;
  /**
   * Removes activations, then licenses with their records of downloads: of one deleted license, or those that were deleted
   * before an instant. Leaves half restored licenses.
   * @returns the number of rows
   */
  discard(which: { licenseId: number } | { before: Datetime }, atMost: number): Promise<number>;
}
