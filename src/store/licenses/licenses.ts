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
import type { Resealed } from '../keys/master-key-state.ts';
import type { Found, LicenseSearchPage, ListedById, PageById, SearchPage } from '../pages.ts';
import type { ActivationRow, LicenseRow } from '../records.ts';

export interface LicenseWithActivations {
  license: License;
  /** The valid ones, newest first; at most ACTIVATIONS_AT_ONCE. */
  activations: Activation[];
}
/** Activations read and answered at once. Metadata may take 16 KiB each, and a license may have any number. */
export const ACTIVATIONS_AT_ONCE = 200;

export interface FoundLicenses extends Found<License> {
  /** Instead of `next`, in another order than newest first. */
  nextPlace?: OrderPlace | null;
  /** The kinds of terms that found licenses of this page. */
  matched: Term[];
  /** Whether too many keys may match to decrypt them all: only the newest were searched. */
  isCut: boolean;
}

export interface NamedActivation {
  activation: Activation;
  /** Name of the software that it was made for; null where it does not exist any more. */
  softwareName: string | null;
}
export type FoundActivation = LicensedActivation & NamedActivation;

/** What earlier versions stored in another form: hashes of license keys, activation tokens, hashes of key suffixes. */
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
  /** Newest first. */
  list(filter: LicenseFilter, page: PageById): Promise<ListedById<License>>;
  /** Searches for a person, newest first. No statement reads more than some thousand rows. */
  search(filter: LicenseSearch, page: LicenseSearchPage): Promise<FoundLicenses>;
  /** Licenses with a higher id, oldest first: scans a table of any size at constant cost. */
  after(id: number, limit: number, filter: LicenseFilter): Promise<License[]>;
  /** Those of the keys that a license has. */
  existing(keys: readonly string[]): Promise<Set<string>>;
  /** The keyed hash that `hashed-…` addresses a license by, 64 hex digits. */
  hashOf(key: string): string;
}

export interface LicenseWrites {
  /** @throws UniqueViolation */
  insert(row: LicenseRow): Promise<License>;
  /**
   * @param license as it was read: its key, its product and the changed fields must still be the same
   * @returns the updated license; null where it was deleted or changed since. @throws UniqueViolation
   */
  update(license: License, changes: Partial<License>): Promise<License | null>;
  /**
   * Moves it to the trash. False where it was deleted or changed since.
   * @param license as it was read, as for `update`
   */
  delete(license: License, by: number, now: Datetime): Promise<boolean>;
  /**
   * Takes a seat if one is free.
   * @param license as it was read: its status and expiry must still be the same
   * @returns the new number of activations; null where the limit is reached
   */
  takePlace(license: License): Promise<number | null>;
  /** Frees seats, by default one. @returns the new number of activations */
  freePlace(id: number, count?: number): Promise<number>;
  /** Notes a license file, as `ActivationWrites.noteLease`. */
  noteLease(id: number, until: Datetime): Promise<boolean>;
  /** Converts rows of earlier versions after an id. */
  convert(conversion: Conversion, after: number, atMost: number): Promise<Converted>;
  /** Encrypts license keys again that are under another sealing key, of at most so many licenses after an id. */
  reseal(keyId: string, after: number, atMost: number): Promise<Resealed<number>>;
}

export interface ActivationReads {
  /** Valid activations of a license with a lower id, newest first; at most ACTIVATIONS_AT_ONCE. */
  before(licenseId: number, id: number): Promise<Activation[]>;
  findByToken(token: string): Promise<LicensedActivation | null>;
  /** The same with what its leases depend on. */
  findLeasable(token: string): Promise<Leasable | null>;
  /** Whether a token was valid when its license was deleted. */
  wasDeleted(token: string): Promise<boolean>;
  /** As the search for licenses. */
  search(filter: ActivationSearch, page: SearchPage): Promise<Found<FoundActivation>>;
  find(id: number): Promise<LicensedActivation | null>;
  /** The keyed hash that tells a device of a license from others. @param device fingerprint or label, with a prefix */
  deviceOf(licenseId: number, device: string): Promise<string>;
  /** The activation of a device that was not ended; its seat may have lapsed. */
  findByDevice(licenseId: number, device: string): Promise<Activation | null>;
  /** Numbers of seats that have lapsed but were not ended, by license. Licenses without any are left out. */
  lapsed(licenseIds: readonly number[], now: Datetime): Promise<Map<number, number>>;
  /**
   * The devices that hold seats of a license, newest first.
   * @param lapsesBy for `oldestSeenAt`, as of `EndedSeat`
   */
  holders(licenseId: number, now: Datetime, lapsesBy: Datetime, atMost: number): Promise<Holders>;
  /** Seats of a license that others were taken over from, since an instant. */
  takenOver(licenseId: number, since: Datetime): Promise<number>;
  /**
   * Activations of a license that were ever deactivated, last changed first.
   * @param before only changes before this one, or at the same time with a lower id; null for the latest
   */
  changed(licenseId: number, before: ChangedAt | null, limit: number): Promise<NamedActivation[]>;
  /** What `forget` has counted; null if it has deleted nothing. */
  forgotten(licenseId: number): Promise<ForgottenActivations | null>;
}

/** The time of an activation's last change, and its id. */
export interface ChangedAt {
  at: Datetime;
  id: number;
}

/** What a sign of life changes of an activation. */
export type KeptActivation = Partial<Pick<Activation, 'label' | 'meta' | 'ipAddress' | 'userAgent'>>;

/** Devices that hold seats of a license. */
interface Holders {
  devices: SeatsTaken['holders'];
  /** When the first of all their seats lapses; null if none does. */
  firstEnd: Datetime | null;
  /** When the one that was not seen for longest was seen. */
  oldestSeenAt: Datetime | null;
}

/** Which seats may be ended. */
interface EndedSeat {
  /** Only one that was last seen before this instant; null for any. */
  seenBefore: Datetime | null;
  /** Only one that is node-locked or lapses by this instant; null for any. */
  lapsesBy: Datetime | null;
  /** Not that of this device; null for any. */
  not: string | null;
}

export interface ActivationWrites {
  /**
   * Takes a seat and inserts an activation, as the only change of a command. Null where the limit is reached.
   * @param license as it was read: its status and expiry must still be the same
   */
  insertInPlace(
    license: License,
    row: ActivationRow,
  ): Promise<{ activation: Activation; timesActivated: number } | null>;
  /** False where it was not valid. */
  deactivate(id: number, now: Datetime): Promise<boolean>;
  /**
   * Deactivates an activation and frees its seat, as the only changes of a command.
   * @returns the new number of activations of the license; null where it was not valid
   */
  deactivateInPlace(activation: Activation, now: Datetime): Promise<number | null>;
  /** Makes one that has ended as lapsed a deactivated one. False where it was none. */
  deactivateLapsed(id: number, now: Datetime): Promise<boolean>;
  /** Ends lapsed seats of a license, and frees their places. @returns how many */
  endLapsed(licenseId: number, now: Datetime, atMost: number): Promise<number[]>;
  /**
   * Ends the activation of a license that was not seen for longest, and frees its place.
   * @returns null where there is none
   */
  endOldest(
    licenseId: number,
    as: 'reclaimed' | 'taken_over',
    which: EndedSeat,
    now: Datetime,
  ): Promise<Activation | null>;
  /**
   * Changes an activation that holds its seat. What is stored is never replaced by an earlier time.
   * @param seen when its device was seen; null if it was not
   * @param end until when it holds its seat at least; null for ever
   * @returns null where it was ended
   */
  keep(
    id: number,
    changes: KeptActivation,
    seen: Datetime | null,
    end: Datetime | null,
  ): Promise<Pick<Activation, 'lastSeenAt' | 'seatExpiresAt'> | null>;
  /** Stores what leases are bound to; without a device key, only where nothing is stored. */
  bind(activation: Pick<Activation, 'id' | 'token'>, binding: Binding): Promise<void>;
  /**
   * Notes that a lease is given which may last until an instant, unless a later one is noted.
   * @returns false where the activation has ended, or its license is disabled: then there must be no lease
   */
  noteLease(id: number, until: Datetime): Promise<boolean>;
  /** Makes the seats of a license node-locked that are not ended. */
  keepForGood(licenseId: number): Promise<void>;
  /** Stores when activations were last seen, unless a later time is stored. */
  touch(seen: readonly { id: number; at: Datetime }[]): Promise<void>;
  /**
   * False where it was valid, or has not ended so.
   * @param as how it must have ended; by default in any way
   * @throws UniqueViolation where its device has another seat
   */
  reactivate(id: number, now: Datetime, seatExpiresAt: Datetime | null, as?: 'lapsed'): Promise<boolean>;
  /** As `licenses.reseal`, for tokens. */
  reseal(keyId: string, after: number, atMost: number): Promise<Resealed<number>>;
  /** Returns its deactivation time, null where it was valid; null where it did not exist. */
  delete(id: number, now: Datetime): Promise<{ deactivatedAt: Datetime | null } | null>;
  /**
   * Deletes and counts deactivated activations of a license beyond the last `keep`, oldest first.
   * @param takeovers since when seats that were taken over still count, and must stay
   */
  forget(licenseId: number, keep: number, atMost: number, takeovers: Datetime): Promise<void>;
  /**
   * Moves activations of licenses that are deleted to the trash, deactivated ones first, frees the seats of valid ones, and revokes the
   * leases of the licenses. @returns how many
   */
  discard(licenseIds: readonly number[], atMost: number, now: Datetime): Promise<number>;
}

/** A request that a program may repeat. */
export interface RepeatableRequest {
  /** What the program calls it. */
  key: string;
  /** A digest of what it asks for. */
  digest: string;
}

/** What an earlier request with the same key did. */
interface EarlierRequest {
  /** Whether it asked for the same. */
  isSame: boolean;
  activationId: number;
  isNew: boolean;
}

/** Requests that programs may repeat, by license and key. Only keyed hashes of keys and digests are stored. */
export interface RequestWrites {
  /**
   * Begins a request. Another one with its key waits until the end of the transaction.
   * @param before earlier requests are forgotten
   * @returns null, or the earlier request with this key
   */
  begin(
    licenseId: number,
    request: RepeatableRequest,
    before: Datetime,
    now: Datetime,
  ): Promise<EarlierRequest | null>;
  /** Notes what a request did that has begun. */
  end(licenseId: number, key: string, activationId: number, isNew: boolean): Promise<void>;
  /** Deletes requests from before an instant. @returns how many */
  discard(before: Datetime, atMost: number): Promise<number>;
}

/** Changes that users may repeat, by user and key. Only keyed hashes of keys and digests are stored. */
export interface RepeatedChangeWrites {
  /**
   * Begins a change. Another one with its key waits until the end of the transaction.
   * @param before earlier changes are forgotten
   * @returns null, or whether the earlier change with this key asked for the same, and its note
   */
  begin(
    userId: number,
    request: RepeatableRequest,
    before: Datetime,
    now: Datetime,
  ): Promise<{ isSame: boolean; note: unknown } | null>;
  /** Notes as JSON what a change did that has begun. */
  end(userId: number, key: string, note: unknown): Promise<void>;
  /** Deletes changes from before an instant. @returns how many */
  discard(before: Datetime, atMost: number): Promise<number>;
}

/** Revocations are written by the changes that end activations and licenses. */
export interface RevocationReads {
  /** Differs whenever the list may differ. */
  state(): Promise<{ latest: number; count: number }>;
  /** The latest of each license and activation: those of licenses, then others, newest first. */
  list(atMost: number): Promise<Revocation[]>;
}
export interface RevocationWrites {
  /** Deletes those whose leases had ended before an instant. @returns how many */
  discard(before: Datetime, atMost: number): Promise<number>;
}
