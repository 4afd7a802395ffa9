import Type from 'typebox';
import { DELIVERY_STATES } from '../../domain/events/delivery.ts';
import { ENDPOINT_KINDS, ENDPOINT_STATES } from '../../domain/events/endpoint.ts';
import { ALL_EVENT_TYPES, EVENT_TYPES, FORMAT } from '../../domain/events/event.ts';
import { record } from '../docs/components.ts';
import { datetime, datetimeOrNull, integer, made, orNull } from './schemas.ts';

/** The schemas of events and their endpoints. */

const anyType = Type.String({ enum: [...ALL_EVENT_TYPES] });
const listOrNull = <T>(items: object) =>
  Type.Unsafe<T[] | null>({ type: ['array', 'null'], items, description: 'Null for all' });

const endpointProperties = {
  id: integer(),
  kind: Type.String({ enum: [...ENDPOINT_KINDS] }),
  description: Type.String(),
  url: orNull<string>('string', 'Null if the endpoint is polled'),
  types: listOrNull<string>({ type: 'string', enum: [...EVENT_TYPES] }),
  products: listOrNull<number>({ type: 'integer' }),
  is_ordered: Type.Boolean({ description: 'Whether an event waits until the one before it is delivered' }),
  format: integer('The version of the body'),
  header_names: Type.Array(Type.String(), { description: 'Of its own headers. No answer has their values' }),
  public_key: orNull<string>('string', 'whpk_…, verifies the signatures v1a; null if polled'),
  old_secret_until: datetimeOrNull('When the secret before the present one stops signing'),
  state: Type.String({
    enum: [...ENDPOINT_STATES],
    description:
      'enabled; failing: it failed for five days, so nothing is sent, but its events are kept; disabled: it gets none',
  }),
  disabled_as: orNull<string>('string', 'gone: the receiver answered 410; person: somebody disabled it'),
  last_seq: integer('The seq of its newest event; 0 before the first'),
  failures: integer('Since the last success'),
  failing_since: datetimeOrNull('When they began'),
  paused_until: datetimeOrNull('Nothing is sent before, because the receiver fails or asked for a pause'),
  last_success_at: datetimeOrNull(),
  last_failure_at: datetimeOrNull(),
  last_error: orNull<string>('string', 'What happened at the last failure'),
  ...made,
};
export const EventEndpoint = record('EventEndpoint', endpointProperties);
export const EventEndpointWithSecret = record('EventEndpointWithSecret', {
  ...endpointProperties,
  secret: orNull<string>('string', 'whsec_…, verifies the signatures v1; null if polled'),
});

export const Event = record('Event', {
  type: anyType,
  id: Type.String({ description: 'The same in each delivery, at each endpoint; also the header webhook-id' }),
  timestamp: Type.String({ format: 'date-time', description: 'When it happened' }),
  format: integer(`The version of this body, ${FORMAT}`),
  seq: integer('The number of the event at this endpoint: 1, 2, 3 … without a gap'),
  version: integer(
    'Grows with each event of the same object: ignore an event whose version is lower than the last one. A restore from a backup sets it back',
  ),
  data: Type.Object(
    {
      object: Type.String({ description: 'The kind of record that the rest of data is' }),
      id: orNull<number>('integer'),
    },
    { additionalProperties: true, description: 'The record after the change, without keys and tokens' },
  ),
  previous: Type.Optional(
    Type.Object(
      {},
      { additionalProperties: true, description: 'Of an update: earlier values of what changed' },
    ),
  ),
});
export const EventPage = record('EventPage', {
  events: Type.Array(Type.Unsafe<object>(Event)),
  last_seq: integer('The seq of the newest event of the endpoint; 0 before the first'),
  oldest_seq: orNull<number>('integer', 'The lowest seq that is still kept; null if none is'),
  more: Type.Boolean({ description: 'Whether there are events after these' }),
});

export const EventDelivery = record('EventDelivery', {
  seq: integer(),
  event_id: Type.String({ description: 'The id of the event' }),
  type: anyType,
  object: Type.String({ description: 'The kind of record that the event is about' }),
  object_id: orNull<number>('integer'),
  at: datetime('When the event happened: YYYY-MM-DD HH:MM:SS, UTC'),
  state: Type.String({
    enum: [...DELIVERY_STATES],
    description: 'failed: given up after the last attempt; kept: the endpoint is polled',
  }),
  due_at: datetimeOrNull(
    'When it is sent next; null if it is due now, has ended, or its endpoint is stopped',
  ),
  attempts: integer(),
  attempted_at: datetimeOrNull('When the last attempt ended; null before the first'),
  status: orNull<number>('integer', 'HTTP status of the answer to the last attempt; null without one'),
  error: orNull<string>('string', 'Why the last attempt had no answer'),
  answer: orNull<string>('string', 'The beginning of the answer'),
  ms: orNull<number>('integer', 'Milliseconds that the last attempt took'),
});
export const Redelivered = record('Redelivered', { redelivered: integer('How many are sent again') });
