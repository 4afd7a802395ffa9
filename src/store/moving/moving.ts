import type { Activation, SeatFields } from '../../domain/activation.ts';
import type { Datetime } from '../../domain/datetime.ts';
import type { Generator } from '../../domain/generator.ts';
import type { License } from '../../domain/licenses/license.ts';
import type { LicenseTerms } from '../../domain/terms.ts';
import type { ApiKeyRow } from '../records.ts';

/** Records of a shop, in the order in which they are inserted: each refers to earlier kinds only. */
export const MOVING_KINDS = ['generator', 'api_key', 'license', 'license_meta', 'activation'] as const;
export type MovingKind = (typeof MOVING_KINDS)[number];

/** Values of a record. `licenseId` is the id in the shop. */
interface Values {
  generator: Omit<Generator, 'id' | keyof LicenseTerms>;
  api_key: ApiKeyRow & { lastAccessAt: Datetime | null };
  license: Omit<License, 'id' | 'timesActivated' | keyof LicenseTerms>;
  license_meta: { licenseId: number; name: string; value: string | null };
  activation: Omit<Activation, 'id' | SeatFields>;
}

/** A record of a shop that is new or was changed there. */
export type MovingRecord = {
  [Kind in MovingKind]: {
    kind: Kind;
    /** Its id in the shop. */
    sourceId: number;
    /** Digest of the row in the shop, 32 bytes. */
    digest: Uint8Array;
    /**
     * All values of the record. For a record that was moved before, they may lack the time of its creation, or be the
     * email address of a license alone.
     */
    values: Values[Kind] | (Kind extends 'license' ? Pick<Values['license'], 'customerEmail'> : never);
  };
}[MovingKind];

/** What the commit of a move did with records of one kind. */
export interface MovedCounts {
  created: number;
  updated: number;
  deleted: number;
}
export type MovedTotals = Record<MovingKind, MovedCounts>;

/** Why a staged record was not inserted or updated as it is in the shop. */
export interface MoveFault {
  kind: MovingKind;
  sourceId: number;
  /**
   * exists: another record has the same license key, token or consumer key, and stands for the staged record;
   * key_taken: the new license key or token belongs to another record, so the record was not updated;
   * new_id: the id was taken, or the record is that of a row that is gone, so the record has another id;
   * no_license: the license of the record was not moved;
   * deleted_here: the record was deleted here after an earlier move, and was not created again
   */
  code: 'exists' | 'key_taken' | 'new_id' | 'no_license' | 'deleted_here';
  /** Id of the record that stands for the staged one, or the new id of the record; null if there is neither. */
  recordId: number | null;
}

export interface Committed {
  totals: MovedTotals;
  faults: MoveFault[];
}

export type Gone = Readonly<Record<MovingKind, readonly number[]>>;

export interface MoveReads {
  /**
   * Digests of the moved and of the staged records, keyed by id in the shop. Licenses and activations that another record
   * stands for are not among the moved ones.
   */
  digests(
    shop: string,
    kind: MovingKind,
    sourceIds: readonly number[],
  ): Promise<Record<'moved' | 'staged', Map<number, Uint8Array>>>;
  /** Ids in the shop of those of the given moved licenses that have no email address here. */
  withoutEmail(shop: string, sourceIds: readonly number[]): Promise<Set<number>>;
  /** Ids in the shop of moved or of staged records, ascending. */
  ids(
    which: 'moved' | 'staged',
    shop: string,
    kind: MovingKind,
    after: number,
    atMost: number,
  ): Promise<number[]>;
  /** Whether no license exists, staged or deleted ones included: then no client holds a hash of a license key. */
  hasNoLicenses(): Promise<boolean>;
  /** Activations in the order of ids, deactivated ones included. */
  activations(after: number, atMost: number): Promise<Activation[]>;
  /** The values that a plugin stored with licenses, in the order of ids. */
  licenseMeta(after: number, atMost: number): Promise<(Values['license_meta'] & { id: number })[]>;
}

export interface MoveWrites {
  /** Stages records. Replaces records that are staged already. */
  stage(shop: string, records: readonly MovingRecord[], now: Datetime): Promise<void>;
  /** Deletes staged records. @returns how many */
  unstage(shop: string, kind: MovingKind, sourceIds: readonly number[]): Promise<number>;
  /**
   * Inserts or updates the staged records.
   * @param gone ids in the shop, by kind, of rows that no longer exist there: deletes their records, but revokes API
   * keys
   */
  commit(shop: string, gone: Gone, now: Datetime): Promise<Committed>;
  /** How many records of a shop are staged. */
  countStaged(shop: string): Promise<number>;
  /** Deletes staged records: of a shop, from before an instant, or all. @returns how many */
  discard(which: { shop: string } | { before: Datetime } | 'all', atMost: number): Promise<number>;
}
