import type { Datetime } from '../domain/datetime.ts';

/** A request that a client may repeat. */
export interface RepeatableRequest {
  /** The idempotency key that the client sends. */
  key: string;
  /** A digest of the content of the request. */
  digest: string;
}

/** Requests that may be repeated, by owner and key. Only keyed hashes of keys and digests are stored. */
export interface RepeatableWrites<Result> {
  /**
   * Begins a request. Another request with the same key waits until the end of the transaction.
   * @param before requests from before this instant are forgotten
   * @returns null, or the result of the earlier request with this key, and whether it has the same digest
   */
  begin(
    owner: number,
    request: RepeatableRequest,
    before: Datetime,
    now: Datetime,
  ): Promise<{ isSame: boolean; result: Result } | null>;
  /** Records the result of a request that has begun. */
  end(owner: number, key: string, result: Result): Promise<void>;
  /** Deletes requests from before an instant. @returns how many */
  discard(before: Datetime, atMost: number): Promise<number>;
}
