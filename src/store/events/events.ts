import type { Datetime } from '../../domain/datetime.ts';
import type { Attempt, Delivery, DeliveryState } from '../../domain/events/delivery.ts';
import type { EndpointSecrets, EventEndpoint } from '../../domain/events/endpoint.ts';
import type { AnyEventType, Event, EventValues, NewEvent } from '../../domain/events/event.ts';

/** An event that has no places yet. An event that was made in bulk has no data. */
export type UnplacedEvent = Omit<Event, 'uid' | 'data'> & { data: string | null };

/** How far the search for expiring licenses has come: the expiry and the id of the last license that was found. */
export interface ExpiryMark {
  at: Datetime;
  id: number;
}
export interface ExpiringLicense {
  id: number;
  productId: number | null;
  createdAt: Datetime;
  expiresAt: Datetime;
}
export interface ExpiryWrites {
  /** The mark of a search; null before the first search. @param days days before the expiry */
  mark(days: number): Promise<ExpiryMark | null>;
  /** Moves a mark. False if another process has moved it meanwhile. */
  move(days: number, from: ExpiryMark | null, to: ExpiryMark): Promise<boolean>;
  /** Licenses that expire after a mark and up to an instant, in order. */
  between(mark: ExpiryMark, upTo: Datetime, limit: number): Promise<ExpiringLicense[]>;
}

/** An event with its number at an endpoint. */
export interface NumberedEvent {
  seq: number;
  event: Event;
}

/** A delivery with its event. */
export interface DeliveryOfEvent {
  delivery: Delivery;
  event: Event;
}

/**
 * The products of the actor who asks: events without any of them are left out, unless they were made for the endpoint, as
 * test events are. Null for all events.
 */
export type Products = readonly number[] | null;

/** Selects the deliveries of a list. */
export interface DeliveryFilter {
  state?: DeliveryState | null;
  type?: AnyEventType | null;
}

/** Results of the delivery attempts of a day. */
export interface DeliveryCount {
  /** YYYY-MM-DD, UTC */
  day: string;
  delivered: number;
  failed: number;
}

export interface EventReads {
  /**
   * The types that endpoints want. On PostgreSQL, this may be the state of a moment ago: `Store.settled` waits for
   * the current one.
   */
  wanted(): Promise<WantedEvents>;
  /** Whether events wait for their places. */
  areUnplaced(): Promise<boolean>;
  /** Events of an endpoint after a number, in order. */
  after(endpointId: number, seq: number, limit: number, products: Products): Promise<NumberedEvent[]>;
}

export interface EventWrites {
  insert(events: readonly NewEvent[], at: Datetime): Promise<void>;
  /** Inserts `license.created` for each license that was made of a staged batch, without data. */
  insertBatch(batch: string, at: Datetime): Promise<void>;
  /** Locks the placing of events until the end of the transaction, so that one process at a time does it. */
  lock(): Promise<void>;
  unplaced(limit: number): Promise<UnplacedEvent[]>;
  /** Marks events as placed. @param events `data`: the data to store; null if the event has its data already */
  place(events: readonly { id: number; data: EventValues | null }[]): Promise<void>;
  /** Deletes events that no endpoint wants. */
  drop(ids: readonly number[]): Promise<void>;
  /** Frees a `once` value: an event that is inserted with it later is kept. */
  free(once: string): Promise<void>;
  /** Whether an event newer than an instant has one of these `once` values. */
  wasTold(once: readonly string[], since: Datetime): Promise<boolean>;
  /**
   * Deletes events older than an instant, after `DeliveryWrites.discard` has deleted their deliveries. Ignores events later
   * than `now`, as that does. @returns how many
   */
  discard(before: Datetime, now: Datetime, atMost: number): Promise<number>;
}

/** Types of events that some endpoint wants; ALL_TYPES if one wants every type. Empty while nobody listens. */
export type WantedEvents = ReadonlySet<string>;
export const ALL_TYPES = '*';
export const isWanted = (wanted: WantedEvents, type: string): boolean =>
  wanted.has(type) || wanted.has(ALL_TYPES);

export interface EndpointReads {
  /** All endpoints, newest first. There are ENDPOINTS_MAX at most. */
  list(): Promise<EventEndpoint[]>;
  find(id: number): Promise<EventEndpoint | null>;
  /** Ids of the endpoints with deliveries due now, to which no process sends. */
  due(now: Datetime): Promise<number[]>;
  /** The secrets of an endpoint; null if the endpoint is polled. @throws StoreDamaged if they cannot be decrypted */
  secrets(id: number): Promise<EndpointSecrets | null>;
}

/** An endpoint without the fields that the store assigns. */
export type EndpointRow = Omit<EventEndpoint, 'id'>;

export interface EndpointWrites {
  /** @returns its id */
  insert(row: EndpointRow, secrets: EndpointSecrets | null): Promise<number>;
  update(id: number, changes: Partial<EventEndpoint>, secrets?: EndpointSecrets): Promise<void>;
  delete(id: number): Promise<void>;
  /**
   * Leases the endpoints that `due` names.
   * @param except ids of endpoints that are left out
   * @returns ids of the leased endpoints
   */
  lease(holder: string, now: Datetime, until: Datetime, except: readonly number[]): Promise<number[]>;
  /** Extends a lease. @returns false if the holder no longer has the lease */
  renew(id: number, holder: string, until: Datetime): Promise<boolean>;
  release(id: number, holder: string): Promise<void>;
  /** Changes the state of an endpoint if it is enabled. */
  stop(id: number, state: Pick<EventEndpoint, 'state' | 'disabledAs'>): Promise<void>;
}

export interface DeliveryReads {
  /** Deliveries that are due now, in the order in which they became due, then of their numbers. */
  due(endpointId: number, now: Datetime, limit: number): Promise<DeliveryOfEvent[]>;
  /** Newest first. @param before only lower numbers; null for the newest */
  list(
    endpointId: number,
    filter: DeliveryFilter,
    page: { before: number | null; limit: number },
    products: Products,
  ): Promise<DeliveryOfEvent[]>;
  find(endpointId: number, seq: number, products: Products): Promise<DeliveryOfEvent | null>;
  /** The lowest number of a delivery that is still kept; null if there is none. */
  oldestSeq(endpointId: number): Promise<number | null>;
  /** How many deliveries wait and how many have failed, each counted up to a limit. */
  backlog(endpointId: number, upTo: number): Promise<{ pending: number; failed: number }>;
  counts(endpointId: number, from: string): Promise<DeliveryCount[]>;
}

/** The state of a delivery after an attempt. */
export interface DeliveryResult extends Attempt {
  state: DeliveryState;
  dueAt: Datetime;
}

export interface DeliveryWrites {
  insert(
    rows: readonly Pick<Delivery, 'endpointId' | 'seq' | 'eventId' | 'state' | 'dueAt'>[],
  ): Promise<void>;
  /** Records the results of deliveries that still wait. */
  finish(endpointId: number, results: readonly DeliveryResult[]): Promise<void>;
  /** Adds to the counts of a day. */
  count(endpointId: number, count: DeliveryCount): Promise<void>;
  /** Makes deliveries that have ended due again, as if for the first time. @returns how many */
  again(
    endpointId: number,
    which: { from: number; to: number } | 'failed',
    dueAt: Datetime,
    atMost: number,
    products: Products,
  ): Promise<number>;
  /** Gives up the waiting deliveries that an actor limited to these products does not see. */
  giveUp(endpointId: number, products: readonly number[]): Promise<void>;
  /** Makes all waiting deliveries due at an earlier instant. */
  hasten(endpointId: number, dueAt: Datetime): Promise<void>;
  /**
   * Deletes deliveries of events older than an instant, and of deleted endpoints. Ignores events later than `now`, from when
   * the clock was ahead. @returns how many
   */
  discard(before: Datetime, now: Datetime, atMost: number): Promise<number>;
}
