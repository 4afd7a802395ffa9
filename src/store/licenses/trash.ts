import type { Datetime } from '../../domain/datetime.ts';
import type { License } from '../../domain/licenses/license.ts';
import type { TrashedLicense } from '../../domain/licenses/trash.ts';
import type { Resealed } from '../keys/master-key-state.ts';

/** Deleted licenses. `LicenseWrites.delete` and `ActivationWrites.discard` put them here. */
export interface TrashReads {
  /**
   * The last deleted ones first.
   * @param before a place in this order, as `next`; null for the first page
   * @param key only those with this license key; null for all
   */
  list(
    before: number | null,
    limit: number,
    key: string | null,
  ): Promise<{ items: TrashedLicense[]; next: number | null; total: number }>;
  find(licenseId: number): Promise<TrashedLicense | null>;
}

export interface TrashWrites {
  /**
   * One step of restoring a license with its activations, at most so many. Its seats are taken from the first step on.
   * @returns the license, how many activations, and whether that is all; null where another license has its key
   * @throws UniqueViolation where another one gets its key at the same time
   */
  restore(
    license: TrashedLicense,
    atMost: number,
  ): Promise<{ license: License; activations: number; isDone: boolean } | null>;
  /** Removes activations of a deleted license, at most so many, then the license. @returns whether that is all */
  remove(licenseId: number, atMost: number): Promise<boolean>;
  /** Removes what was deleted before an instant: activations first. @returns how many rows */
  discard(before: Datetime, atMost: number): Promise<number>;
  /** As `LicenseWrites.reseal`. */
  reseal(
    table: 'licenses' | 'activations',
    keyId: string,
    after: number,
    atMost: number,
  ): Promise<Resealed<number>>;
}
