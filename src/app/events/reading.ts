import { setTimeout } from 'node:timers/promises';
import type { Actor } from '../../domain/actor.ts';
import type { Datetime } from '../../domain/datetime.ts';
import { laterAttemptAt } from '../../domain/events/delivery.ts';
import type { EventEndpoint } from '../../domain/events/endpoint.ts';
import { bodyOf } from '../../domain/events/event.ts';
import { integer, MAX_REFERENCE } from '../../domain/fields.ts';
import { done, notFound, type Outcome } from '../../domain/refusal.ts';
import type { DeliveryFilter, DeliveryOfEvent, NumberedEvent, Reads } from '../../store/store.ts';
import { findEndpoint } from './endpoints.ts';

interface Asked {
  after: number;
  limit: number;
  /** Milliseconds to wait for an event if none is available yet. */
  wait: number;
  signal: AbortSignal;
}

/** Milliseconds between two polls of the database while a caller waits. */
const LOOK_MS = 500;

/**
 * Reads the events of an endpoint after a number, in order. The signal ends a wait early. `oldestSeq` is the lowest number
 * still kept, null if none is: events after `after` and below it were deleted.
 */
export async function readEvents(
  reads: Pick<Reads, 'endpoints' | 'events' | 'deliveries'>,
  named: string,
  { after, limit, wait, signal }: Asked,
  actor: Actor,
): Promise<Outcome<{ endpoint: EventEndpoint; events: NumberedEvent[]; oldestSeq: number | null }>> {
  const until = performance.now() + wait;
  let from = after;
  for (;;) {
    const found = await findEndpoint(reads, named, actor);
    if (!found.ok) return found;
    const endpoint = found.value;
    const isMore = endpoint.lastSeq > from;
    const events = isMore ? await reads.events.after(endpoint.id, from, limit, actor.products) : [];
    if (events.length > 0 || performance.now() >= until || signal.aborted)
      return done({ endpoint, events, oldestSeq: await reads.deliveries.oldestSeq(endpoint.id) });
    // The events so far are none that the actor sees: do not look through them again.
    from = Math.max(from, endpoint.lastSeq);
    await setTimeout(LOOK_MS, undefined, { signal }).catch(() => {});
  }
}

/** Returns the parsed body of an event, as a webhook gets it. */
export const shownEvent = ({ seq, event }: NumberedEvent): object => JSON.parse(bodyOf(event, seq));

/** A delivery, and when it is attempted next; null if it is due now, or if there will be no attempt. */
export interface ListedDelivery extends DeliveryOfEvent {
  nextAt: Datetime | null;
}

/**
 * Lists deliveries of an endpoint, newest first. `next` is the number below which the next page begins; null on the last.
 * @param page.before only lower numbers; null for the newest
 */
export async function listDeliveries(
  reads: Pick<Reads, 'endpoints' | 'deliveries'>,
  named: string,
  filter: DeliveryFilter,
  { before, limit }: { before: number | null; limit: number },
  actor: Actor,
  now: Datetime,
): Promise<Outcome<{ deliveries: ListedDelivery[]; next: number | null }>> {
  const found = await findEndpoint(reads, named, actor);
  if (!found.ok) return found;
  const endpoint = found.value;
  const listed = await reads.deliveries.list(
    endpoint.id,
    filter,
    { before, limit: limit + 1 },
    actor.products,
  );
  const deliveries = listed
    .slice(0, limit)
    .map((one) => ({ ...one, nextAt: laterAttemptAt(endpoint, one.delivery, now) }));
  const last = deliveries.at(-1)?.delivery.seq ?? null;
  return done({ deliveries, next: listed.length > limit ? last : null });
}

const seqField = integer({ min: 1, max: MAX_REFERENCE });

/** Finds a delivery of an endpoint by its number as sent. */
export async function findDelivery(
  reads: Pick<Reads, 'endpoints' | 'deliveries'>,
  { endpoint: named, seq: sent }: { endpoint: string; seq: string },
  actor: Actor,
  now: Datetime,
): Promise<Outcome<ListedDelivery & { endpoint: EventEndpoint }>> {
  const asked = await findEndpoint(reads, named, actor);
  if (!asked.ok) return asked;
  const endpoint = asked.value;
  const seq = seqField.read(sent);
  const found = seq.ok ? await reads.deliveries.find(endpoint.id, seq.value, actor.products) : null;
  if (!found) return notFound('delivery', sent);
  return done({ ...found, endpoint, nextAt: laterAttemptAt(endpoint, found.delivery, now) });
}
