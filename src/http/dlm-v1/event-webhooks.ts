import { CATALOG, exampleEvent } from '../../domain/events/catalog.ts';
import { ALL_EVENT_TYPES, type AnyEventType, bodyOf } from '../../domain/events/event.ts';
import { Event } from './event-schemas.ts';

const EXAMPLE_SEQ = 42;

/** Returns an example event of a type, as a receiver gets it. */
export const exampleBody = (type: AnyEventType): object =>
  JSON.parse(bodyOf(exampleEvent(type), EXAMPLE_SEQ));

/** The `webhooks` of the API document: every type of event. */
export const WEBHOOKS = Object.fromEntries(
  ALL_EVENT_TYPES.map((type) => [
    type,
    {
      post: {
        summary: CATALOG[type].when,
        tags: ['Events'],
        // No security scheme: the headers of Standard Webhooks sign the request.
        security: [],
        requestBody: { content: { 'application/json': { schema: Event, example: exampleBody(type) } } },
        responses: {
          '2XX': { description: 'Received. Every other answer is a failure, and the event is sent again' },
        },
      },
    },
  ]),
);
