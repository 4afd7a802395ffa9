import type { FastifyInstance, FastifyReply } from 'fastify';
import { redeliver } from '../../app/events/deliveries.ts';
import { listDeliveries, readEvents, shownEvent } from '../../app/events/reading.ts';
import { toDatetime } from '../../domain/datetime.ts';
import {
  deliveryFilterShape,
  EVENTS_DEFAULTS,
  eventsShape,
  redeliveryOf,
  redeliveryShape,
} from '../../domain/events/parameters.ts';
import { withDefaults } from '../../domain/fields.ts';
import { unwrap } from '../errors.ts';
import { create, query } from '../input.ts';
import { untimed } from '../limits/connections.ts';
import type { Services } from '../services.ts';
import { presentDelivery } from './event-present.ts';
import { EventDelivery, EventPage, Redelivered } from './event-schemas.ts';
import { BY_SEQ } from './paging.ts';
import { v1Router } from './route.ts';

/** Maximum number of readers that wait for events in this process. Further readers are answered at once. */
const WAITING_MAX = 200;

export function eventRoutes(app: FastifyInstance, services: Services): void {
  const { store, execute } = services;
  const route = v1Router(app, 'Events');
  const waiting = waitersOf(app);

  route.get('/events', {
    operationId: 'readEvents',
    summary: 'Read the events of an endpoint',
    description:
      'In order of seq, each as a webhook gets it. To read on, send the seq of the last event as after. If oldest_seq is ' +
      'more than 1 above after, the events between them are gone: they were older than LATCHKEY_EVENT_DAYS.',
    endpoint: 'events.read',
    input: query(eventsShape),
    sends: { endpoint: 1, after: 0, limit: 50 },
    data: EventPage,
    errors: ['event_endpoint_not_found', 'invalid_values'],
    async handler({ input, reply, actor }) {
      const { endpoint: id, after, limit, wait } = withDefaults(input, EVENTS_DEFAULTS);
      const read = (ms: number, signal: AbortSignal) =>
        readEvents(store.read, String(id), { after, limit, wait: ms, signal }, actor);
      const { endpoint, events, oldestSeq } = unwrap(await waiting(reply, wait * 1_000, read));
      const last = events.at(-1)?.seq ?? 0;
      return {
        events: events.map(shownEvent),
        last_seq: Math.max(endpoint.lastSeq, last),
        oldest_seq: oldestSeq,
        more: last > 0 && last < endpoint.lastSeq,
      };
    },
  });

  route.list('/events/endpoints/:endpoint_id/deliveries', {
    operationId: 'listEventDeliveries',
    summary: 'List the deliveries of an event endpoint, newest first',
    endpoint: 'events.read',
    paging: BY_SEQ,
    filter: deliveryFilterShape,
    sends: { state: 'failed' },
    record: EventDelivery,
    errors: ['event_endpoint_not_found'],
    async find({ params, input: { filter, page }, actor }) {
      const now = toDatetime(services.clock());
      const found = await listDeliveries(store.read, params.endpoint_id, filter, page, actor, now);
      const { deliveries, next } = unwrap(found);
      return { items: deliveries.map((one) => ({ id: one.delivery.seq, ...one })), more: next !== null };
    },
    present: presentDelivery,
  });

  route.post('/events/endpoints/:endpoint_id/redeliver', {
    operationId: 'redeliverEvents',
    summary: 'Send events again that were delivered or have failed',
    description:
      'One by its seq; a range from one seq to another; or, with failed, all that have failed. Deliveries that still wait ' +
      'are not affected: enable the endpoint, even if it is enabled, to send them at once.',
    endpoint: 'events.manage',
    input: create(redeliveryShape),
    sends: { failed: true },
    data: Redelivered,
    errors: [
      'event_endpoint_not_found',
      'event_endpoint_polled',
      'event_endpoint_disabled',
      'invalid_values',
    ],
    async handler({ request, params, input, actor }) {
      const which = unwrap(redeliveryOf(input));
      const again = () => redeliver(store.read, execute, params.endpoint_id, which, actor);
      return { redelivered: unwrap(await untimed(request.raw.socket, again)) };
    },
  });
}

/** Returns a function that reads with a wait. The wait ends early when the client disconnects or the server stops. */
function waitersOf(app: FastifyInstance) {
  let waiting = 0;
  return async <T>(
    { raw }: FastifyReply,
    wait: number,
    read: (wait: number, signal: AbortSignal) => Promise<T>,
  ): Promise<T> => {
    const gone = new AbortController();
    raw.once('close', () => gone.abort());
    const mayWait = waiting++ < WAITING_MAX;
    try {
      return await read(mayWait ? wait : 0, AbortSignal.any([gone.signal, app.stopping]));
    } finally {
      waiting--;
    }
  };
}
