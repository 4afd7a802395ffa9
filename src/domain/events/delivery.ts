import { addSeconds, type Datetime } from '../datetime.ts';
import type { EventEndpoint } from './endpoint.ts';

/** pending: to be sent. delivered: the receiver answered 2xx. failed: given up. kept: fetched by the receiver itself. */
export const DELIVERY_STATES = ['pending', 'delivered', 'failed', 'kept'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** An event at an endpoint. */
export interface Delivery {
  endpointId: number;
  /** 1, 2, 3 … without a gap. */
  seq: number;
  eventId: number;
  state: DeliveryState;
  /** When it is sent next. */
  dueAt: Datetime;
  attempts: number;
  /** Of the last attempt; the status is null if the receiver did not answer. */
  attemptedAt: Datetime | null;
  status: number | null;
  error: string | null;
  /** The beginning of the answer. */
  answer: string | null;
  /** Milliseconds. */
  ms: number | null;
}

/** What an attempt has come to. */
export interface Attempt {
  seq: number;
  /** How many attempts there were, with this one. */
  attempts: number;
  at: Datetime;
  status: number | null;
  /** In words; null if the receiver answered. */
  error: string | null;
  answer: string;
  ms: number;
  /** Seconds for which the receiver asked to wait. */
  retryAfter: number | null;
}

/** Seconds for which an endpoint is leased: longer than a turn and the timeout of its last request. */
export const LEASE_SECONDS = 30;

const MINUTE = 60;
const HOUR = 60 * MINUTE;
/** Seconds after each failure until the next attempt, as Standard Webhooks 1.0 suggests: three days in all. */
export const RETRIES = [
  5,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];
/** Attempts of one delivery, the first included. */
export const ATTEMPTS_MAX = RETRIES.length + 1;
const JITTER = 0.2;
/** Seconds that a receiver may ask to wait. */
export const RETRY_AFTER_MAX = 24 * HOUR;

/** Failures one after the other from which on an endpoint is only tried now and then. */
export const BREAKER_FAILURES = 5;
/** Seconds of a pause after each further failure. */
const PAUSES = [30, 2 * MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR];
/** Days of nothing but failures after which an endpoint is sent nothing any more. */
export const FAILING_DAYS = 5;

/**
 * Before all times. What an endpoint gets in order is always due, and goes by number: after a failure the whole endpoint
 * pauses.
 */
const ALWAYS_DUE: Datetime = '0001-01-01 00:00:00';

/** When an event is due that is to be sent now. */
export const dueNow = ({ isOrdered }: { isOrdered: boolean }, now: Datetime): Datetime =>
  isOrdered ? ALWAYS_DUE : now;

/** Whether a delivery is sent at a time of its own. */
export const isTimed = ({ state, dueAt }: Pick<Delivery, 'state' | 'dueAt'>): boolean =>
  state === 'pending' && dueAt !== ALWAYS_DUE;

const GONE = 410;
const [OK_FROM, OK_BELOW] = [200, 300];

export const isDelivered = ({ status }: Pick<Attempt, 'status'>): boolean =>
  status !== null && status >= OK_FROM && status < OK_BELOW;
/** Whether the receiver said that it wants nothing any more. */
export const isGone = ({ status }: Pick<Attempt, 'status'>): boolean => status === GONE;

/** @param random from 0 to 1 */
const jittered = (seconds: number, random: number): number =>
  Math.round(seconds * (1 - JITTER + 2 * JITTER * random));

/** When a delivery is tried again; null if it is given up. @param attempts those made, the failed one included */
export function nextAttemptAt(
  attempts: number,
  { at, retryAfter }: Pick<Attempt, 'at' | 'retryAfter'>,
  random: number,
): Datetime | null {
  const wait = RETRIES[attempts - 1];
  if (wait === undefined) return null;
  return addSeconds(at, Math.max(jittered(wait, random), retryAfter ?? 0));
}

/** Until when an endpoint is left alone after a failure; null if it is not. @param failures one after the other */
export function pauseUntil(
  failures: number,
  { at, retryAfter }: Pick<Attempt, 'at' | 'retryAfter'>,
  random: number,
): Datetime | null {
  const further = failures - BREAKER_FAILURES;
  const pause = further < 0 ? 0 : jittered(PAUSES[Math.min(further, PAUSES.length - 1)] as number, random);
  const seconds = Math.max(pause, retryAfter ?? 0);
  return seconds === 0 ? null : addSeconds(at, seconds);
}

/** When a delivery is attempted next; null if that is at once, or never. */
export function laterAttemptAt(
  { state: ofEndpoint, pausedUntil }: Pick<EventEndpoint, 'state' | 'pausedUntil'>,
  { state, dueAt }: Pick<Delivery, 'state' | 'dueAt'>,
  now: Datetime,
): Datetime | null {
  if (ofEndpoint !== 'enabled' || state !== 'pending') return null;
  const at = pausedUntil !== null && pausedUntil > dueAt ? pausedUntil : dueAt;
  return at > now ? at : null;
}

/** Whether somebody should see to an endpoint: its receiver fails, or has wanted nothing any more. */
export const needsAttention = ({
  state,
  disabledAs,
  failures,
}: Pick<EventEndpoint, 'state' | 'disabledAs' | 'failures'>): boolean =>
  state === 'failing' || disabledAs === 'gone' || (state === 'enabled' && failures >= BREAKER_FAILURES);
