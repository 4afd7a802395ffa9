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
    /** Of the row as it is in the shop, 32 bytes. */
    digest: Uint8Array;
    /** Of a license that was moved before, also its email address alone. */
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
   * exists: another record has its license key, token or consumer key, and stands for it;
   * key_taken: its new license key or token belongs to another record, so it was not updated;
   * new_id: its id was taken, so it has a new one;
   * no_license: its license was not moved;
   * deleted_here: the record that it became was deleted since, and was not created again
   */
  code: 'exists' | 'key_taken' | 'new_id' | 'no_license' | 'deleted_here';
  /** Id of the record that stands for it, or of its own with a new id; null where there is none. */
  recordId: number | null;
}

export interface Committed {
  totals: MovedTotals;
  faults: MoveFault[];
}

export type Gone = Readonly<Record<MovingKind, readonly number[]>>;

export interface MoveReads {
  /** Digests of records that were moved, and of those that are staged, by their ids in the shop. */
  digests(
    shop: string,
    kind: MovingKind,
    sourceIds: readonly number[],
  ): Promise<Record<'moved' | 'staged', Map<number, Uint8Array>>>;
  /** Those of some licenses of the shop that were moved, and have no email address here. */
  withoutEmail(shop: string, sourceIds: readonly number[]): Promise<Set<number>>;
  /** Ids in the shop of records that were moved, or that are staged, in order. */
  ids(
    which: 'moved' | 'staged',
    shop: string,
    kind: MovingKind,
    after: number,
    atMost: number,
  ): Promise<number[]>;
  /** All activations, deactivated ones too, by id. */
  activations(after: number, atMost: number): Promise<Activation[]>;
  /** The values that a plugin kept with licenses, by id. @param licenseId of one license only */
  licenseMeta(
    after: number,
    atMost: number,
    licenseId?: number,
  ): Promise<(Values['license_meta'] & { id: number })[]>;
}

export interface MoveWrites {
  /** Stages records. One that is staged already is replaced. */
  stage(shop: string, records: readonly MovingRecord[], now: Datetime): Promise<void>;
  /** Deletes staged records. @returns how many */
  unstage(shop: string, kind: MovingKind, sourceIds: readonly number[]): Promise<number>;
  /**
   * Inserts or updates what is staged.
   * @param gone ids in the shop, by kind: what they became is deleted, and an API key revoked
   */
  commit(shop: string, gone: Gone, now: Datetime): Promise<Committed>;
  /** How many records of a shop are staged. */
  countStaged(shop: string): Promise<number>;
  /** Deletes staged records of a shop, those from before an instant, or all. @returns how many */
  discard(which: { shop: string } | { before: Datetime } | 'all', atMost: number): Promise<number>;
}
