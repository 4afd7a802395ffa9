import { SYSTEM } from '../../domain/actor.ts';
import type { Datetime } from '../../domain/datetime.ts';
import { type DeliveryState, dueNow } from '../../domain/events/delivery.ts';
import { type EventEndpoint, wants } from '../../domain/events/endpoint.ts';
import type { EventValues } from '../../domain/events/event.ts';
import {
  activationValues,
  apiKeyValues,
  licenseValues,
  productsOf,
} from '../../domain/events/event-objects.ts';
import { StoreDamaged, type Transaction, type UnplacedEvent } from '../../store/store.ts';
import { defineCommand, type Executes } from '../command.ts';

/** Events of one transaction, so that other commands wait little. */
export const PLACED_AT_ONCE = 250;

/**
 * Numbers committed events at each endpoint that wants them, in the order of the events' ids. Returns how many events it
 * processed, at most PLACED_AT_ONCE. Events of one object have ids in the order of its changes, because each change waited
 * for the one before.
 */
export const placeEvents = defineCommand({
  name: 'place-events',
  guarded: true,
  audit: { never: 'events tell of changes that are recorded' },
  run: async (transaction, _input: null, { now }): Promise<number> => {
    const { events, endpoints, deliveries } = transaction;
    await events.lock();
    const unplaced = await events.unplaced(PLACED_AT_ONCE);
    if (unplaced.length === 0) return 0;
    const listening = (await endpoints.list()).map((endpoint) => ({ endpoint, seq: endpoint.lastSeq }));
    const rows: Parameters<typeof deliveries.insert>[0][number][] = [];
    const placed: { id: number; data: EventValues | null }[] = [];
    const dropped: number[] = [];
    for (const event of unplaced) {
      const { productIds, data } = await wholeOf(transaction, event, now);
      const takers = listening.filter(({ endpoint }) => wants(endpoint, { ...event, productIds }));
      for (const taker of takers) {
        taker.seq++;
        const { endpoint, seq } = taker;
        rows.push({ endpointId: endpoint.id, seq, eventId: event.id, ...placeAt(endpoint, now) });
      }
      if (takers.length > 0) placed.push({ id: event.id, data });
      else dropped.push(event.id);
    }
    await deliveries.insert(rows);
    // Lock endpoints in the order of their ids, as `lease` does, so that the two cannot deadlock.
    for (const { endpoint, seq } of listening.toReversed())
      if (seq > endpoint.lastSeq) await endpoints.update(endpoint.id, { lastSeq: seq });
    await events.place(placed);
    await events.drop(dropped);
    return unplaced.length;
  },
});

/** Numbers all committed events. A server does this continuously; the command line does it before showing events. */
export async function placeAllEvents(execute: Executes<typeof placeEvents>): Promise<void> {
  while ((await execute('place-events', null, SYSTEM)) === PLACED_AT_ONCE);
}

const placeAt = (endpoint: EventEndpoint, now: Datetime): { state: DeliveryState; dueAt: Datetime } => ({
  state: endpoint.kind === 'poll' ? 'kept' : 'pending',
  dueAt: dueNow(endpoint, now),
});

/**
 * Reads the current object of an event that was stored without data.
 * @returns `data` is null if the event has its own data, and `{}` if the object was deleted or cannot be decrypted
 */
async function wholeOf(
  { licenses, activations, apiKeys }: Transaction,
  { object, objectId, at, data, productIds }: UnplacedEvent,
  now: Datetime,
): Promise<{ productIds: readonly number[] | null; data: EventValues | null }> {
  if (data !== null) return { productIds, data: null };
  const id = objectId ?? 0;
  if (object === 'activation') {
    const found = await activations.find(id).catch(unlessDamaged);
    if (found === null) return { productIds, data: {} };
    const { activation, license } = found;
    // Of the events of activations, only those of lapsed seats are stored without data. The device may have a seat again.
    const ended = {
      ...activation,
      deactivatedAt: activation.deactivatedAt ?? at,
      endedAs: 'lapsed' as const,
    };
    return { productIds: productIds ?? productsOf(license), data: activationValues(ended, license, now) };
  }
  if (object === 'license') {
    const license = await licenses.find({ id }).catch(unlessDamaged);
    return {
      productIds: productIds ?? productsOf(license),
      data: license ? licenseValues(license, now) : {},
    };
  }
  const apiKey = object === 'api_key' ? await apiKeys.find(id) : null;
  return { productIds: null, data: apiKey ? apiKeyValues(apiKey) : {} };
}

/** Returns null for a record that cannot be decrypted: it must not block all other events, and `doctor` reports it. */
function unlessDamaged(error: unknown): null {
  if (error instanceof StoreDamaged) return null;
  throw error;
}
