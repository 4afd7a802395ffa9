import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { type EndpointWithSecret, findEndpoint, listEndpoints } from '../../../app/events/endpoints.ts';
import { createEventEndpoint, updateEventEndpoint } from '../../../app/events/new-endpoint.ts';
import { lastDays } from '../../../domain/datetime.ts';
import { FAILING_DAYS, needsAttention } from '../../../domain/events/delivery.ts';
import {
  ENDPOINT_KINDS,
  ENDPOINT_STATES,
  type EventEndpoint,
  endpointChangesShape,
  endpointShape,
} from '../../../domain/events/endpoint.ts';
import { EVENT_TYPES } from '../../../domain/events/event.ts';
import type { DeliveryCount } from '../../../store/store.ts';
import { record } from '../../docs/components.ts';
import { unwrap } from '../../errors.ts';
import { create, update } from '../../input.ts';
import type { Services } from '../../services.ts';
import { adminRouter, etag, nullable, withEtag } from '../route.ts';

const eventType = Type.Enum(EVENT_TYPES);
const Endpoint = record('EventEndpoint', {
  id: Type.Integer(),
  kind: Type.Enum(ENDPOINT_KINDS),
  description: Type.String(),
  /** Null for an endpoint that is polled. */
  url: nullable(Type.String()),
  /** Null for all events. */
  types: nullable(Type.Array(eventType)),
  /** Null for all products. */
  products: nullable(Type.Array(Type.Integer())),
  is_ordered: Type.Boolean(),
  format: Type.Integer(),
  /** Only the names: the values of the headers are never shown. */
  header_names: Type.Array(Type.String()),
  /** `whpk_…`, the key that verifies the `v1a` signatures. */
  public_key: nullable(Type.String()),
  old_secret_until: nullable(Type.String()),
  state: Type.Enum(ENDPOINT_STATES),
  disabled_as: nullable(Type.Union([Type.Literal('gone'), Type.Literal('person')])),
  /** Whether the receiver is failing, or has answered 410. */
  needs_attention: Type.Boolean(),
  last_seq: Type.Integer(),
  failures: Type.Integer({ description: 'Since the last success' }),
  failing_since: nullable(Type.String()),
  paused_until: nullable(Type.String()),
  last_success_at: nullable(Type.String()),
  last_failure_at: nullable(Type.String()),
  /** Why the last failed attempt failed, in English. */
  last_error: nullable(Type.String()),
  created_at: Type.String(),
  updated_at: nullable(Type.String()),
  etag,
});

/** Delivery attempts of one day. */
const Day = Type.Object({
  day: Type.String({ description: 'YYYY-MM-DD, UTC' }),
  delivered: Type.Integer(),
  failed: Type.Integer(),
});
const ListedEndpoint = Type.Object({ ...Endpoint.properties, days: Type.Array(Day) });

const EndpointDetails = Type.Object({
  endpoint: Endpoint,
  /** Deliveries that are waiting, and deliveries that were given up; both are counted up to `counted_max`. */
  pending: Type.Integer(),
  failed: Type.Integer(),
  counted_max: Type.Integer(),
  /** One item a day up to today, oldest first. */
  days: Type.Array(Day),
  /** Days for which events are kept. */
  event_days: Type.Integer(),
  /** Days without a success after which the server sends nothing more to an endpoint. */
  failing_days: Type.Integer(),
  /** The base address of the v1 API. */
  api_root: Type.String(),
});

const WithSecret = Type.Object({
  endpoint: Endpoint,
  /** The answer is the only place where the secret is shown. Null for an endpoint that is polled. */
  secret: nullable(Type.String()),
});

const LISTED_DAYS = 7;
const SHOWN_DAYS = 30;
/** Counting of pending and failed deliveries stops at this number. */
const COUNTED_MAX = 10_000;

/** Returns one item for each day, including days on which nothing was sent. */
function everyDay(days: readonly string[], counts: readonly DeliveryCount[]) {
  const known = new Map(counts.map((count) => [count.day, count]));
  return days.map((day) => known.get(day) ?? { day, delivered: 0, failed: 0 });
}

const session = 'events.manage';
/** These changes require the password: an endpoint receives customer data for longer than the session lasts. */
const confirmed = true;

export function eventEndpointRoutes(app: FastifyInstance, services: Services): void {
  const { store, clock, installation } = services;
  const route = adminRouter(app, 'Events');
  const tagged = withEtag('event_endpoint', store);
  const present = (endpoint: EventEndpoint) => ({
    ...tagged(endpoint),
    needsAttention: needsAttention(endpoint),
  });
  const withSecret = ({ endpoint, secret }: EndpointWithSecret) => ({ endpoint: present(endpoint), secret });

  route.get('/event-endpoints', {
    operationId: 'listEventEndpoints',
    summary: 'List event endpoints, newest first, and the event types that an endpoint can choose',
    session,
    data: Type.Object({ items: Type.Array(ListedEndpoint), types: Type.Array(eventType) }),
    async handler({ actor }) {
      const days = lastDays(clock(), LISTED_DAYS);
      const items = (await listEndpoints(store.read, actor)).map(async (endpoint) => ({
        ...present(endpoint),
        days: everyDay(days, await store.read.deliveries.counts(endpoint.id, String(days[0]))),
      }));
      return { items: await Promise.all(items), types: EVENT_TYPES };
    },
  });

  route.get('/event-endpoints/attention', {
    operationId: 'listFailingEventEndpoints',
    summary: 'List the event endpoints that somebody should see to',
    session,
    data: Type.Object({ items: Type.Array(Endpoint) }),
    handler: async ({ actor }) => ({
      items: (await listEndpoints(store.read, actor)).filter(needsAttention).map(present),
    }),
  });

  route.get('/event-endpoints/:id', {
    operationId: 'getEventEndpoint',
    summary: 'Get an event endpoint with what it was sent in the last 30 days',
    session,
    data: EndpointDetails,
    async handler({ request, params, actor }) {
      const endpoint = unwrap(await findEndpoint(store.read, params.id, actor));
      const days = lastDays(clock(), SHOWN_DAYS);
      const { deliveries } = store.read;
      const [backlog, counts] = await Promise.all([
        deliveries.backlog(endpoint.id, COUNTED_MAX),
        deliveries.counts(endpoint.id, String(days[0])),
      ]);
      return {
        endpoint: present(endpoint),
        ...backlog,
        countedMax: COUNTED_MAX,
        days: everyDay(days, counts),
        eventDays: services.settings.eventDays,
        failingDays: FAILING_DAYS,
        apiRoot: request.publicOrigin() + installation.apiPath,
      };
    },
  });

  route.post('/event-endpoints', {
    operationId: 'createEventEndpoint',
    summary: 'Create an event endpoint; only this answer shows its secret',
    session,
    confirmed,
    input: create(endpointShape),
    data: WithSecret,
    handler: async ({ input, actor }) =>
      withSecret(unwrap(await createEventEndpoint(services, input, actor))),
  });

  route.patch('/event-endpoints/:id', {
    operationId: 'updateEventEndpoint',
    summary: 'Update the values of an event endpoint that are sent',
    session,
    confirmed,
    edits: 'event_endpoint',
    input: update(endpointChangesShape),
    data: Endpoint,
    async handler({ params, input: changes, actor, executing: execute }) {
      const versioned = { ...services, execute };
      return present(unwrap(await updateEventEndpoint(versioned, { named: params.id, changes }, actor)));
    },
  });

  route.delete('/event-endpoints/:id', {
    operationId: 'deleteEventEndpoint',
    summary: 'Delete an event endpoint and its deliveries',
    session,
    handler: ({ params, execute }) => execute('delete-event-endpoint', { named: params.id }),
  });

  route.post('/event-endpoints/:id/rotate-secret', {
    operationId: 'rotateEventSecret',
    summary: 'Replace the secret of an event endpoint; only this answer shows the new one',
    description: 'The old secret also signs for another 24 hours; an older one stops now.',
    session,
    confirmed,
    data: WithSecret,
    handler: async ({ params, execute }) =>
      withSecret(await execute('rotate-event-secret', { named: params.id })),
  });

  route.post('/event-endpoints/:id/test', {
    operationId: 'sendTestEvent',
    summary: 'Send a test event to an event endpoint, whatever types it has chosen',
    session,
    handler: ({ params, execute }) => execute('send-test-event', { named: params.id }),
  });
}
