import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { redeliver } from '../../../app/events/deliveries.ts';
import { findDelivery, type ListedDelivery, listDeliveries } from '../../../app/events/reading.ts';
import { shownRequest } from '../../../app/events/shown-request.ts';
import { toDatetime } from '../../../domain/datetime.ts';
import { DELIVERY_STATES } from '../../../domain/events/delivery.ts';
import { ALL_EVENT_TYPES, eventIdOf } from '../../../domain/events/event.ts';
import { deliveryFilterShape, redeliveryOf, redeliveryShape } from '../../../domain/events/parameters.ts';
import { unwrap } from '../../errors.ts';
import { create } from '../../input.ts';
import type { Services } from '../../services.ts';
import { pageOf, pageQuery } from '../paging.ts';
import { adminRouter, nullable } from '../route.ts';

const Delivery = Type.Object({
  seq: Type.Integer({ description: '1, 2, 3 … without a gap' }),
  type: Type.Enum(ALL_EVENT_TYPES),
  /** `evt_…`, which is also the value of the header `webhook-id`. */
  event_id: Type.String(),
  /** When the event happened. */
  at: Type.String(),
  state: Type.Enum(DELIVERY_STATES),
  attempts: Type.Integer(),
  /**
   * Time of the last attempt. `status`, `error` and `ms` are about the same attempt; `status` is null if the receiver did
   * not answer.
   */
  attempted_at: nullable(Type.String()),
  status: nullable(Type.Integer()),
  /** Why the receiver did not answer the last attempt, in English; null if it answered. */
  error: nullable(Type.String()),
  ms: nullable(Type.Integer({ description: 'Milliseconds' })),
  /** Null if the next attempt is due at once, or if there will be none. */
  next_attempt_at: nullable(Type.String()),
});

const DeliveryDetails = Type.Object({
  ...Delivery.properties,
  request: Type.Object({
    /** Null for an endpoint that is polled. */
    url: nullable(Type.String()),
    /** A value is null if it differs between attempts, or is never shown to anybody. */
    headers: Type.Array(Type.Object({ name: Type.String(), value: nullable(Type.String()) })),
    body: Type.String(),
  }),
  /** The beginning of the receiver's answer to the last attempt. */
  answer: nullable(Type.String()),
});

const session = 'events.manage';

export function eventDeliveryRoutes(app: FastifyInstance, { store, execute, clock }: Services): void {
  const route = adminRouter(app, 'Events');
  const shown = ({ delivery, event, nextAt }: ListedDelivery) => ({
    ...delivery,
    type: event.type,
    eventId: eventIdOf(event),
    at: event.at,
    nextAttemptAt: nextAt,
  });

  route.get('/event-endpoints/:id/deliveries', {
    operationId: 'listEventDeliveries',
    summary: 'List the deliveries of an event endpoint, newest first',
    session,
    input: pageQuery(deliveryFilterShape),
    data: pageOf(Delivery),
    async handler({ params, input: { page, filter }, actor }) {
      const now = toDatetime(clock());
      const found = unwrap(await listDeliveries(store.read, params.id, filter, page, actor, now));
      return { items: found.deliveries.map(shown), next: found.next, total: null, totalIsMore: false };
    },
  });

  route.get('/event-endpoints/:id/deliveries/:seq', {
    operationId: 'getEventDelivery',
    summary: 'Get a delivery with its request and the answer to the last attempt',
    session,
    data: DeliveryDetails,
    async handler({ params, actor }) {
      const named = { endpoint: params.id, seq: params.seq };
      const found = unwrap(await findDelivery(store.read, named, actor, toDatetime(clock())));
      return { ...shown(found), request: shownRequest(found.endpoint, found) };
    },
  });

  route.post('/event-endpoints/:id/redeliver', {
    operationId: 'redeliverEvents',
    summary: 'Send one delivery again, those from one number to another, or all that failed',
    session,
    input: create(redeliveryShape),
    data: Type.Object({ count: Type.Integer() }),
    async handler({ params, input, actor }) {
      const which = unwrap(redeliveryOf(input));
      return { count: unwrap(await redeliver(store.read, execute, params.id, which, actor)) };
    },
  });
}
