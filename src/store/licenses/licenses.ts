import type {
  Activation,
  ActivationSearch,
  ForgottenActivations,
  LicensedActivation,
} from '../../domain/activation.ts';
import type { Datetime } from '../../domain/datetime.ts';
import type { Binding, Leasable, Revocation } from '../../domain/lease.ts';
import type { KeyRef, License, LicenseFilter, LicenseRef } from '../../domain/licenses/license.ts';
import type { OrderPlace } from '../../domain/licenses/license-order.ts';
import type { LicenseSearch, Term } from '../../domain/licenses/license-search.ts';
import type { SeatsTaken } from '../../domain/seats.ts';
import type { Resealed, SealedTable } from '../keys/master-key-state.ts';
import type { Found, LicenseSearchPage, ListedById, PageById, SearchPage } from '../pages.ts';
import type { ActivationRow, LicenseRow } from '../records.ts';

export interface LicenseWithActivations {
  license: License;
  /** The valid activations, newest first; at most ACTIVATIONS_AT_ONCE. */
  activations: Activation[];
}
/**
 * Maximum number of activations in one read and one answer. Each may have 16 KiB of metadata, and a license may have
 * any number.
 */
export const ACTIVATIONS_AT_ONCE = 200;

export interface FoundLicenses extends Found<License> {
  /** Set instead of `next` if the order is not newest first. */
  nextPlace?: OrderPlace | null;
  /** The kinds of search terms that found licenses. */
  matched: Term[];
  /** Whether only the newest keys were searched, because too many may match to decrypt them all. */
  isCut: boolean;
}

export interface NamedActivation {
  activation: Activation;
  /** Name of the software that the activation was made for; null if there is none, or it was deleted. */
  softwareName: string | null;
}
export type FoundActivation = LicensedActivation & NamedActivation;

/**
 * Kinds of values that earlier versions stored in another form: hashes of license keys, activation tokens, hashes of
 * key suffixes.
 */
export const CONVERSIONS = ['key_indexes', 'tokens', 'key_suffixes'] as const;
export type Conversion = (typeof CONVERSIONS)[number];
export interface Converted {
  converted: number;
  /** The id to continue after; null at the end. */
  next: number | null;
}

export interface LicenseReads {
  find(ref: LicenseRef): Promise<License | null>;
  findWithActivations(ref: KeyRef): Promise<LicenseWithActivations | null>;
  /** Newest first. May come from a read replica that lacks the latest commits; `latest` reads the primary. */
  list(filter: LicenseFilter, page: PageById & { latest?: true }): Promise<ListedById<License>>;
  /** Searches on behalf of a person, newest first by default. No statement reads more than some thousand rows. */
  search(filter: LicenseSearch, page: LicenseSearchPage): Promise<FoundLicenses>;
  /** Licenses with a higher id, oldest first: scans a table of any size at constant cost. */
  after(id: number, limit: number, filter: LicenseFilter): Promise<License[]>;
  /** Which of the given license keys exist. */
  existing(keys: readonly string[]): Promise<Set<string>>;
  /** The keyed hash in the address `hashed-…` of a license, 64 hex digits. */
  hashOf(key: string): string;
}

export interface LicenseWrites {
  /** @throws UniqueViolation */
  insert(row: LicenseRow): Promise<License>;
  /**
   * Updates a license.
   * @param license as it was read: its key, its product and the changed fields must still be the same
   * @returns the updated license; null if it was deleted or changed since.
   * @throws UniqueViolation
   */
  update(license: License, changes: Partial<License>): Promise<License | null>;
  /** Locks licenses until the end of the command: others can neither change nor activate them meanwhile. */
  lock(ids: readonly number[]): Promise<void>;
  /**
   * Moves a license to the trash. `ActivationWrites.discard` must have moved its activations already.
   * @param license as it was read, as for `update`
   * @returns false if the license was deleted, changed or activated since
   */
  delete(license: License, by: number, now: Datetime): Promise<boolean>;
  /**
   * Takes a seat if one is free.
   * @param license as it was read: its status and expiry must still be the same
   * @returns the new number of activations; null where the limit is reached
   */
  takeSeat(license: License): Promise<number | null>;
  /** Frees seats, by default one. @returns the new number of activations */
  freeSeat(id: number, count?: number): Promise<number>;
  /** Records that a license file is issued, like `ActivationWrites.noteLease`. */
  noteLease(id: number, until: Datetime): Promise<boolean>;
  /** Converts rows of earlier versions after an id. */
  convert(conversion: Conversion, after: number, atMost: number): Promise<Converted>;
  /**
   * Encrypts the license keys or activation tokens of the next rows after an id again, if they are under another sealing
   * key than the current one.
   * @param keyId id of the current sealing key
   * @param atMost maximum number of rows to read
   */
  reseal(table: SealedTable, keyId: string, after: number, atMost: number): Promise<Resealed<number>>;
}

export interface ActivationReads {
  /** Valid activations of a license below an activation id, newest first; at most ACTIVATIONS_AT_ONCE. */
  before(licenseId: number, id: number): Promise<Activation[]>;
  findByToken(token: string): Promise<LicensedActivation | null>;
  /** Like `findByToken`, with the values that leases depend on. */
  findLeasable(token: string): Promise<Leasable | null>;
  /** Whether a token was valid when its license was deleted. */
  wasDeleted(token: string): Promise<boolean>;
  /** Searches activations, like `LicenseReads.search`. */
  search(filter: ActivationSearch, page: SearchPage): Promise<Found<FoundActivation>>;
  find(id: number): Promise<LicensedActivation | null>;
  /**
   * The keyed hash that distinguishes a device from others of the license.
   * @param device fingerprint or label, with a prefix
   */
  deviceOf(licenseId: number, device: string): Promise<string>;
  /** The activation of a device that was not ended, even if its seat has lapsed; null if there is none. */
  findByDevice(licenseId: number, device: string): Promise<Activation | null>;
  /**
   * Numbers of seats that have lapsed but were not ended, keyed by license id. Licenses without lapsed seats are
   * missing.
   */
  lapsed(licenseIds: readonly number[], now: Datetime): Promise<Map<number, number>>;
  /**
   * The devices that hold seats of a license, newest first.
   * @param lapsesBy limits `oldestSeenAt`, like `EndedSeat.lapsesBy`
   */
  holders(licenseId: number, now: Datetime, lapsesBy: Datetime, atMost: number): Promise<Holders>;
  /** Number of seats of a license that another device has taken over since an instant. */
  takenOver(licenseId: number, since: Datetime): Promise<number>;
  /**
   * Activations of a license that were ever deactivated, last changed first.
   * @param before only activations changed before this place, or at the same time with a lower id; null for the
   * latest
   */
  changed(licenseId: number, before: ChangedAt | null, limit: number): Promise<NamedActivation[]>;
  /** Totals of the activations that `forget` has deleted; null if there are none. */
  forgotten(licenseId: number): Promise<ForgottenActivations | null>;
}

/** The time of an activation's last change, and its id. */
export interface ChangedAt {
  at: Datetime;
  id: number;
}

/** The fields that another activate of the device may change. */
export type KeptActivation = Partial<
  Pick<Activation, 'label' | 'meta' | 'ipAddress' | 'userAgent' | 'softwareId'>
>;

/** Devices that hold seats of a license. */
interface Holders {
  devices: SeatsTaken['holders'];
  /** When the first seat of the license lapses; null if none does. */
  firstEnd: Datetime | null;
  /** When the least recently seen device was last seen, among seats within `lapsesBy`; null if there is none. */
  oldestSeenAt: Datetime | null;
}

/** Which seat may be ended. */
interface EndedSeat {
  /** Only a seat that was last seen before this instant; null for any. */
  seenBefore: Datetime | null;
  /** Only a seat that is node-locked or lapses by this instant; null for any. */
  lapsesBy: Datetime | null;
  /** Not the seat of this device; null for any. */
  not: string | null;
}

export interface ActivationWrites {
  /**
   * Takes a seat and inserts an activation, as the only change of a command.
   * @param license as it was read: its status and expiry must still be the same
   * @returns null if the limit is reached
   */
  insertWithSeat(
    license: License,
    row: ActivationRow,
  ): Promise<{ activation: Activation; timesActivated: number } | null>;
  /** Deactivates an activation. @returns false if it was not valid */
  deactivate(id: number, now: Datetime): Promise<boolean>;
  /**
   * Deactivates an activation and frees its seat, as the only changes of a command.
   * @returns the new number of activations of the license; null if the activation was not valid
   */
  deactivateAndFreeSeat(activation: Activation, now: Datetime): Promise<number | null>;
  /** Turns an activation that ended as lapsed into a deactivated one. @returns false if it did not end as lapsed */
  deactivateLapsed(id: number, now: Datetime): Promise<boolean>;
  /** Ends lapsed seats of a license, and frees them for others. @returns ids of the ended activations */
  endLapsed(licenseId: number, now: Datetime, atMost: number): Promise<number[]>;
  /**
   * Ends the least recently seen activation of a license, and frees its seat.
   * @returns with the new number of activations of the license; null if no activation meets the conditions
   */
  endOldest(
    licenseId: number,
    as: 'reclaimed' | 'taken_over',
    which: EndedSeat,
    now: Datetime,
  ): Promise<{ activation: Activation; timesActivated: number } | null>;
  /**
   * Changes an activation that holds its seat. Never replaces a stored time by an earlier one.
   * @param seen when its device was seen; null if it was not
   * @param end the earliest instant at which its seat may lapse; null for never
   * @returns the stored times, and the number of activations of the license; null if the activation was ended
   */
  keep(
    id: number,
    changes: KeptActivation,
    seen: Datetime | null,
    end: Datetime | null,
  ): Promise<{ times: Pick<Activation, 'lastSeenAt' | 'seatExpiresAt'>; timesActivated: number } | null>;
  /** Stores what leases are bound to. A binding without a device key does not replace a stored one. */
  bind(activation: Pick<Activation, 'id' | 'token'>, binding: Binding): Promise<void>;
  /**
   * Records that a lease is issued that may last until an instant, unless a later one is recorded.
   * @returns false if the activation has ended or its license is disabled: the lease must then not be issued
   */
  noteLease(id: number, until: Datetime): Promise<boolean>;
  /** Makes all seats of a license that were not ended node-locked. */
  keepForGood(licenseId: number): Promise<void>;
  /** Stores when activations were last seen, unless a later time is stored. */
  touch(seen: readonly { id: number; at: Datetime }[]): Promise<void>;
  /**
   * Reactivates an activation.
   * @param as how it must have ended; by default in any way
   * @returns false if it was valid, or has ended in another way
   * @throws UniqueViolation if its device has another seat
   */
  reactivate(id: number, now: Datetime, seatExpiresAt: Datetime | null, as?: 'lapsed'): Promise<boolean>;
  /** Deletes an activation. @returns its deactivation time, null if it was valid; null if the activation did not exist */
  delete(id: number, now: Datetime): Promise<{ deactivatedAt: Datetime | null } | null>;
  /**
   * Deletes and counts deactivated activations of a license beyond the last `keep`, oldest first.
   * @param takeovers keeps activations that were taken over since this instant, because they still count
   */
  forget(licenseId: number, keep: number, atMost: number, takeovers: Datetime): Promise<void>;
  /**
   * Moves activations of licenses that are being deleted to the trash, deactivated ones first. Frees the seats of
   * valid ones, and revokes the leases of the licenses.
   * @returns how many
   */
  discard(licenseIds: readonly number[], atMost: number, now: Datetime): Promise<number>;
}

/** Revocations are written by the changes that end activations and licenses. */
export interface RevocationReads {
  /** A value that differs whenever the list may differ. */
  state(): Promise<{ latest: number; count: number }>;
  /** The latest revocation of each license and activation: those of licenses first, then the others, newest first. */
  list(atMost: number): Promise<Revocation[]>;
}
export interface RevocationWrites {
  /** Deletes revocations whose leases had ended before an instant. @returns how many */
  discard(before: Datetime, atMost: number): Promise<number>;
}
