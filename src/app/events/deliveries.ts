import type { Actor } from '../../domain/actor.ts';
import { addDays, type Datetime } from '../../domain/datetime.ts';
import {
  type Attempt,
  dueNow,
  FAILING_DAYS,
  IDLE_DAYS,
  isDelivered,
  isGone,
  nextAttemptAt,
  pauseUntil,
} from '../../domain/events/delivery.ts';
import { type EventEndpoint, NO_FAILURES } from '../../domain/events/endpoint.ts';
import { done, type Outcome, refused } from '../../domain/refusal.ts';
import type { DeliveryResult, Reads } from '../../store/store.ts';
import { defineCommand, type Executes } from '../command.ts';
import { findEndpoint } from './endpoints.ts';

const SENT = 'the deliveries show what was sent';

interface LeaseEndpoints {
  holder: string;
  until: Datetime;
  /** Ids of endpoints that the process is already sending to. */
  busy: readonly number[];
}

/** Leases the endpoints with due deliveries, so that no other process sends to these endpoints. Returns their ids. */
export const leaseEndpoints = defineCommand({
  name: 'lease-event-endpoints',
  guarded: true,
  audit: { never: SENT },
  run: ({ endpoints }, { holder, until, busy }: LeaseEndpoints, { now }): Promise<number[]> =>
    endpoints.lease(holder, now, until, busy),
});

export const releaseEndpoint = defineCommand({
  name: 'release-event-endpoint',
  guarded: true,
  audit: { never: SENT },
  run: async ({ endpoints }, { id, holder }: { id: number; holder: string }): Promise<null> => {
    await endpoints.release(id, holder);
    return null;
  },
});

interface FinishDeliveries {
  id: number;
  holder: string;
  /** The address that the attempts went to. */
  url: string | null;
  /** When the renewed lease ends. */
  until: Datetime;
  attempts: readonly Attempt[];
}

/** The state of an endpoint to which nothing more is sent. */
export type Stopped = Pick<EventEndpoint, 'state' | 'disabledAs'>;

/**
 * Records the results of attempts, and renews the lease. Returns whether the process may go on sending to the endpoint, and
 * the new state if the results stop the endpoint.
 */
export const finishDeliveries = defineCommand({
  name: 'finish-deliveries',
  guarded: true,
  audit: { never: SENT },
  run: async (
    { endpoints, deliveries },
    { id, holder, url, until, attempts }: FinishDeliveries,
    { now },
  ): Promise<{ mayGoOn: boolean; stopped: Stopped | null }> => {
    const holds = await endpoints.renew(id, holder, until);
    const endpoint = await endpoints.find(id);
    if (!endpoint) return { mayGoOn: false, stopped: null };
    const { changed, stopped, results } = resultOf(endpoint, attempts, now);
    // The endpoint's address has changed: failures of the old receiver say nothing about the new one.
    const isMoved = endpoint.url !== url;
    const dueAt = dueNow(endpoint, now);
    const asWaiting = (one: DeliveryResult): DeliveryResult =>
      one.state === 'delivered' ? one : { ...one, state: 'pending', dueAt };
    await deliveries.finish(id, isMoved ? results.map(asWaiting) : results);
    const delivered = attempts.filter(isDelivered).length;
    const day = now.slice(0, 10);
    await deliveries.count(id, { day, delivered, failed: attempts.length - delivered });
    if (isMoved) return { mayGoOn: holds, stopped: null };
    await endpoints.update(id, changed);
    if (stopped) await endpoints.stop(id, stopped);
    return { mayGoOn: holds && stopped === null, stopped };
  },
});

type Health = Pick<
  EventEndpoint,
  'failures' | 'failingSince' | 'pausedUntil' | 'lastSuccessAt' | 'lastFailureAt' | 'lastError'
>;

/**
 * Returns the changes that attempts, in the order in which they ended, make to an endpoint and its deliveries. All failures
 * of a turn count as one: they were in flight together, since no attempt begins after a failure.
 */
function resultOf(endpoint: EventEndpoint, attempts: readonly Attempt[], now: Datetime) {
  const { lastSuccessAt, lastFailureAt, lastError } = endpoint;
  // No retry waits this long, so nothing was tried in between: the receiver may have worked.
  const isAnew = lastFailureAt !== null && lastFailureAt < (addDays(now, -IDLE_DAYS) ?? '');
  const { failures, failingSince } = isAnew ? NO_FAILURES : endpoint;
  // No turn begins during a pause. A pause that a failure of the turn asks for outlasts a later success of the turn.
  let health: Health = { failures, failingSince, pausedUntil: null, lastSuccessAt, lastFailureAt, lastError };
  let failed: number | null = null;
  const results = attempts.map((attempt): DeliveryResult => {
    const { at } = attempt;
    const dueAt = dueNow(endpoint, at);
    if (isDelivered(attempt)) {
      health = { ...health, failures: 0, failingSince: null, lastSuccessAt: at };
      failed = null;
      return { ...attempt, state: 'delivered', dueAt };
    }
    const next = nextAttemptAt(attempt.attempts, attempt, Math.random(), endpoint.isOrdered);
    failed ??= health.failures + 1;
    const pauses = [pauseUntil(failed, attempt, Math.random()), endpoint.isOrdered ? next : null];
    health = {
      ...health,
      failures: failed,
      failingSince: health.failingSince ?? at,
      pausedUntil: pauses.reduce(laterOf, health.pausedUntil),
      lastFailureAt: at,
      lastError: attempt.error ?? `the receiver answered ${attempt.status}`,
    };
    if (next === null) return { ...attempt, state: 'failed', dueAt };
    return { ...attempt, state: 'pending', dueAt: endpoint.isOrdered ? dueAt : next };
  });
  return { changed: health, stopped: stoppedAs(health, attempts), results };
}

function stoppedAs(health: Health, attempts: readonly Attempt[]): Stopped | null {
  if (attempts.some(isGone)) return { state: 'disabled', disabledAs: 'gone' };
  return isFailingLong(health) ? { state: 'failing', disabledAs: null } : null;
}

const laterOf = (one: Datetime | null, other: Datetime | null): Datetime | null =>
  one === null || (other !== null && other > one) ? other : one;

const isFailingLong = ({ failingSince, lastFailureAt }: Health): boolean =>
  failingSince !== null &&
  lastFailureAt !== null &&
  failingSince <= (addDays(lastFailureAt, -FAILING_DAYS) ?? '');

/** Deliveries with these numbers, or all that have failed. */
export type Redelivered = { from: number; to: number } | 'failed';

/** Deliveries of one transaction, so that other commands wait little. */
const AGAIN_AT_ONCE = 2_000;

/** Makes at most AGAIN_AT_ONCE deliveries due again. Returns how many. */
export const redeliverSome = defineCommand({
  name: 'redeliver-events',
  guarded: true,
  audit: { never: SENT },
  run: async (
    transaction,
    { named, which }: { named: string; which: Redelivered },
    { actor, now },
  ): Promise<Outcome<number>> => {
    const found = await findEndpoint(transaction, named, actor);
    if (!found.ok) return found;
    const { id, kind, state } = found.value;
    if (kind === 'poll') return refused('event_endpoint_polled');
    if (state === 'disabled') return refused('event_endpoint_disabled');
    const dueAt = dueNow(found.value, now);
    return done(await transaction.deliveries.again(id, which, dueAt, AGAIN_AT_ONCE, actor.products));
  },
});

/** Makes one delivery, a range, or all failed deliveries due again, in steps. @returns how many */
export async function redeliver(
  reads: Pick<Reads, 'endpoints' | 'deliveries'>,
  execute: Executes<typeof redeliverSome>,
  named: string,
  which: Redelivered,
  actor: Actor,
): Promise<Outcome<number>> {
  const found = await findEndpoint(reads, named, actor);
  if (!found.ok) return found;
  const some = (part: Redelivered) => execute('redeliver-events', { named, which: part }, actor);
  let count = 0;
  if (which === 'failed') {
    for (;;) {
      const step = await some(which);
      if (!step.ok) return step;
      count += step.value;
      if (step.value < AGAIN_AT_ONCE) return done(count);
    }
  }
  const first = Math.max(which.from, (await reads.deliveries.oldestSeq(found.value.id)) ?? 1);
  const last = Math.min(which.to, found.value.lastSeq);
  // Run at least once, even for an empty range: the command refuses endpoints that nothing can be sent to.
  for (let from = first; from === first || from <= last; from += AGAIN_AT_ONCE) {
    const step = await some({ from, to: Math.min(last, from + AGAIN_AT_ONCE - 1) });
    if (!step.ok) return step;
    count += step.value;
  }
  return done(count);
}
