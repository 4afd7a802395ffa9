import type { FastifyInstance } from 'fastify';
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
import { EventDelivery, EventPage, Redelivered } from './event-schemas.ts';
import { BY_SEQ } from './paging.ts';
import { presentDelivery } from './present.ts';
import { v1Router } from './route.ts';

/** Maximum number of readers that wait for events in this process. Further readers are answered at once. */
const WAITING_MAX = 200;

export function eventRoutes(app: FastifyInstance, services: Services): void {
  const { store, execute } = services;
  const route = v1Router(app, 'Events');
  let waiting = 0;

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
      const { endpoint: id, after, limit, wait: seconds } = withDefaults(input, EVENTS_DEFAULTS);
      const gone = new AbortController();
      reply.raw.once('close', () => gone.abort());
      const signal = AbortSignal.any([gone.signal, app.stopping]);
      const wait = waiting++ < WAITING_MAX ? seconds * 1_000 : 0;
      const read = readEvents(store.read, String(id), { after, limit, wait, signal }, actor);
      const { endpoint, events, oldestSeq } = unwrap(await read.finally(() => waiting--));
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
