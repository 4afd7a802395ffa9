import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { findEndpoint, listEndpoints } from '../../app/events/endpoints.ts';
import { createEventEndpoint, updateEventEndpoint } from '../../app/events/new-endpoint.ts';
import { ENDPOINTS_MAX, endpointChangesShape, endpointShape } from '../../domain/events/endpoint.ts';
import { unwrap } from '../errors.ts';
import { create, update } from '../input.ts';
import type { Services } from '../services.ts';
import { EventEndpoint, EventEndpointWithSecret } from './event-schemas.ts';
import { presentEndpoint, presentEndpointWithSecret } from './present.ts';
import { UPDATING, v1Router } from './route.ts';

export function eventEndpointRoutes(app: FastifyInstance, services: Services): void {
  const { store } = services;
  const route = v1Router(app, 'Events');

  route.get('/events/endpoints', {
    operationId: 'listEventEndpoints',
    summary: 'List event endpoints, newest first',
    description: `All of them: there are ${ENDPOINTS_MAX} at most.`,
    endpoint: 'events.manage',
    data: Type.Array(EventEndpoint),
    errors: [],
    handler: async ({ actor }) => (await listEndpoints(store.read, actor)).map(presentEndpoint),
  });

  route.get('/events/endpoints/:endpoint_id', {
    operationId: 'getEventEndpoint',
    summary: 'Get an event endpoint',
    endpoint: 'events.manage',
    data: EventEndpoint,
    errors: ['event_endpoint_not_found'],
    handler: async ({ params, actor }) =>
      presentEndpoint(unwrap(await findEndpoint(store.read, params.endpoint_id, actor))),
  });

  route.post('/events/endpoints', {
    operationId: 'createEventEndpoint',
    summary: 'Create an event endpoint',
    description:
      'A webhook, to which the server sends events, or an endpoint that is polled. It gets the events of every change from ' +
      'now on. Only this answer has the secret, which verifies the signatures of a webhook.',
    endpoint: 'events.manage',
    input: create(endpointShape),
    sends: {
      url: 'https://shop.example.com/webhooks/latchkey',
      description: 'Shop',
      types: ['license.created', 'license.renewed', 'license.expired'],
      headers: { Authorization: 'Bearer 7f1c9a04e2' },
    },
    data: EventEndpointWithSecret,
    errors: ['too_many_event_endpoints', 'invalid_values'],
    handler: async ({ input, actor }) =>
      presentEndpointWithSecret(unwrap(await createEventEndpoint(services, input, actor))),
  });

  route.update('/events/endpoints/:endpoint_id', {
    operationId: 'updateEventEndpoint',
    summary: 'Update an event endpoint',
    description:
      `${UPDATING} The kind stays. Headers are replaced as a whole. Enabling an endpoint sends at once what has waited; a ` +
      'disabled one gets no events.',
    endpoint: 'events.manage',
    input: update(endpointChangesShape),
    sends: { types: ['license.created', 'license.deleted'], is_ordered: true },
    data: EventEndpoint,
    errors: ['event_endpoint_not_found', 'invalid_values'],
    handler: async ({ params, input: changes, actor }) => {
      const order = { named: params.endpoint_id, changes };
      return presentEndpoint(unwrap(await updateEventEndpoint(services, order, actor)));
    },
  });

  route.delete('/events/endpoints/:endpoint_id', {
    operationId: 'deleteEventEndpoint',
    summary: 'Delete an event endpoint and its deliveries',
    endpoint: 'events.manage',
    errors: ['event_endpoint_not_found'],
    handler: ({ params, execute }) => execute('delete-event-endpoint', { named: params.endpoint_id }),
  });

  route.post('/events/endpoints/:endpoint_id/secret', {
    operationId: 'rotateEventSecret',
    summary: 'Replace the secret of a webhook',
    description:
      'Only this answer has the new secret. The old one also signs for another 24 hours (old_secret_until); an older one stops now.',
    endpoint: 'events.manage',
    input: create({}),
    data: EventEndpointWithSecret,
    errors: ['event_endpoint_not_found', 'event_endpoint_polled'],
    handler: async ({ params, execute }) =>
      presentEndpointWithSecret(await execute('rotate-event-secret', { named: params.endpoint_id })),
  });

  route.post('/events/endpoints/:endpoint_id/test', {
    operationId: 'sendTestEvent',
    summary: 'Send a test event to an endpoint',
    description: 'An event of the type endpoint.test, whatever types the endpoint has chosen.',
    endpoint: 'events.manage',
    input: create({}),
    errors: ['event_endpoint_not_found', 'event_endpoint_disabled'],
    handler: ({ params, execute }) => execute('send-test-event', { named: params.endpoint_id }),
  });
}
