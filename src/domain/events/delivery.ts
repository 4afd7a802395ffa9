import { addSeconds, type Datetime } from '../datetime.ts';
import { type EventEndpoint, isStopped } from './endpoint.ts';

/** pending: to be sent. delivered: the receiver answered 2xx. failed: given up. kept: fetched by the receiver itself. */
export const DELIVERY_STATES = ['pending', 'delivered', 'failed', 'kept'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** The delivery of one event to one endpoint. */
export interface Delivery {
  endpointId: number;
  /** Number of the event at the endpoint: 1, 2, 3 … without a gap. */
  seq: number;
  eventId: number;
  state: DeliveryState;
  /** When the delivery is due. */
  dueAt: Datetime;
  attempts: number;
  /** Time and HTTP status of the last attempt; the status is null if the receiver did not answer. */
  attemptedAt: Datetime | null;
  status: number | null;
  error: string | null;
  /** The beginning of the last answer. */
  answer: string | null;
  /** Duration of the last attempt in milliseconds. */
  ms: number | null;
}

/** The result of one attempt. */
export interface Attempt {
  seq: number;
  /** Number of attempts so far, including this one. */
  attempts: number;
  at: Datetime;
  status: number | null;
  /** Why the receiver did not answer, in words; null if it answered. */
  error: string | null;
  answer: string;
  ms: number;
  /** Seconds that the receiver asked to wait; null if it did not ask. */
  retryAfter: number | null;
}

/** Seconds for which an endpoint is leased: longer than a turn plus the timeout of its last request. */
export const LEASE_SECONDS = 30;

const MINUTE = 60;
const HOUR = 60 * MINUTE;
/** Seconds after each failure until the next attempt, as Standard Webhooks 1.0 suggests: three days in all. */
const RETRIES = [5, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR];
/** Maximum number of attempts of one delivery, including the first. */
export const ATTEMPTS_MAX = RETRIES.length + 1;
const JITTER = 0.2;
/** Maximum number of seconds that a receiver may ask to wait. */
export const RETRY_AFTER_MAX = 24 * HOUR;

/** Consecutive failures from which on the server pauses after each failure, and sends one request at a time. */
export const BREAKER_FAILURES = 5;
/** Length of the pause in seconds, from failure BREAKER_FAILURES on; the last one repeats. */
const PAUSES = [30, 2 * MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR];
/** Days of nothing but failures after which the server stops sending to an endpoint. */
export const FAILING_DAYS = 5;
/** Days without an attempt after which failures count anew. Longer than any wait for a retry. */
export const IDLE_DAYS = 2;

/**
 * Earlier than any time. Deliveries of an ordered endpoint are always due and sent by number: after a failure, the whole
 * endpoint pauses instead.
 */
const ALWAYS_DUE: Datetime = '0001-01-01 00:00:00';

/** Returns the `dueAt` of a delivery to send now. */
export const dueNow = ({ isOrdered }: { isOrdered: boolean }, now: Datetime): Datetime =>
  isOrdered ? ALWAYS_DUE : now;

const GONE = 410;
const [OK_FROM, OK_BELOW] = [200, 300];

export const isDelivered = ({ status }: Pick<Attempt, 'status'>): boolean =>
  status !== null && status >= OK_FROM && status < OK_BELOW;
/** Whether the receiver answered that it wants no further events. */
export const isGone = ({ status }: Pick<Attempt, 'status'>): boolean => status === GONE;

/** Returns a time that differs from `seconds` by up to 20 %. @param random from 0 to 1 */
const jittered = (seconds: number, random: number): number =>
  Math.round(seconds * (1 - JITTER + 2 * JITTER * random));

/**
 * Returns when to retry a delivery; null to give up. That of an ordered endpoint is never given up, because the endpoint's
 * others wait for it: the last wait repeats.
 * @param attempts number of attempts made, including the failed one
 */
export function nextAttemptAt(
  attempts: number,
  { at, retryAfter }: Pick<Attempt, 'at' | 'retryAfter'>,
  random: number,
  isOrdered: boolean,
): Datetime | null {
  const wait = RETRIES[attempts - 1] ?? (isOrdered ? RETRIES.at(-1) : undefined);
  if (wait === undefined) return null;
  return addSeconds(at, Math.max(jittered(wait, random), retryAfter ?? 0));
}

/** Returns until when to pause an endpoint after a failure; null for no pause. @param failures number of consecutive ones */
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

const PAUSE_MAX = 24 * HOUR * (1 + JITTER);
/** The latest time at which a pause can end: a pause that ends later was set by a clock that was ahead. */
export const noPauseEndsAfter = (now: Datetime): Datetime => addSeconds(now, PAUSE_MAX) ?? now;

export const isPaused = ({ pausedUntil }: Pick<EventEndpoint, 'pausedUntil'>, now: Datetime): boolean =>
  pausedUntil !== null && pausedUntil > now && pausedUntil <= noPauseEndsAfter(now);

/** Returns when a delivery is attempted next; null if at once or never. */
export function laterAttemptAt(
  endpoint: Pick<EventEndpoint, 'state' | 'pausedUntil'>,
  { state, dueAt }: Pick<Delivery, 'state' | 'dueAt'>,
  now: Datetime,
): Datetime | null {
  if (endpoint.state !== 'enabled' || state !== 'pending') return null;
  const pausedUntil = isPaused(endpoint, now) ? endpoint.pausedUntil : null;
  const at = pausedUntil !== null && pausedUntil > dueAt ? pausedUntil : dueAt;
  return at > now ? at : null;
}

/** Whether an endpoint needs attention: its receiver keeps failing, or answered that it wants no further events. */
export const needsAttention = (endpoint: Pick<EventEndpoint, 'state' | 'disabledAs' | 'failures'>): boolean =>
  isStopped(endpoint) || (endpoint.state === 'enabled' && endpoint.failures >= BREAKER_FAILURES);
