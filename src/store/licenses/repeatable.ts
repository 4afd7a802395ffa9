import type { Datetime } from '../../domain/datetime.ts';

/** A request that a client may repeat. */
export interface RepeatableRequest {
  /** The idempotency key that the client sends. */
  key: string;
  /** A digest of the content of the request. */
  digest: string;
}

/** The result of an earlier request with the same key. */
interface EarlierRequest {
  /** Whether the earlier request has the same digest. */
  isSame: boolean;
  activationId: number;
  isNew: boolean;
}

/** Requests that programs may repeat, by license and key. Only keyed hashes of keys and digests are stored. */
export interface RequestWrites {
  /**
   * Begins a request. Another request with the same key waits until the end of the transaction.
   * @param before requests from before this instant are forgotten
   * @returns null, or the earlier request with this key
   */
  begin(
    licenseId: number,
    request: RepeatableRequest,
    before: Datetime,
    now: Datetime,
  ): Promise<EarlierRequest | null>;
  /** Records the result of a request that has begun. */
  end(licenseId: number, key: string, activationId: number, isNew: boolean): Promise<void>;
  /** Deletes requests from before an instant. @returns how many */
  discard(before: Datetime, atMost: number): Promise<number>;
}

/** Changes that users may repeat, by user and key. Only keyed hashes of keys and digests are stored. */
export interface RepeatedChangeWrites {
  /**
   * Begins a change. Another change with the same key waits until the end of the transaction.
   * @param before changes from before this instant are forgotten
   * @returns null, or the note of the earlier change with this key, and whether it has the same digest
   */
  begin(
    userId: number,
    request: RepeatableRequest,
    before: Datetime,
    now: Datetime,
  ): Promise<{ isSame: boolean; note: unknown } | null>;
  /** Records the result of a change that has begun, as JSON. */
  end(userId: number, key: string, note: unknown): Promise<void>;
  /** Deletes changes from before an instant. @returns how many */
  discard(before: Datetime, atMost: number): Promise<number>;
}
