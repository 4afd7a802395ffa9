import { type Datetime, rfc3339 } from '../datetime.ts';
import { dotted } from '../names.ts';

/** The types that an endpoint can choose. `catalog.ts` describes each type. */
export const EVENT_TYPES = dotted({
  license: [
    ...['created', 'updated', 'disabled', 'enabled', 'renewed', 'expiring', 'expired', 'limit_reached'],
    ...['deleted', 'restored', 'moved_in'],
  ] as const,
  activation: ['created', 'reactivated', 'ended', 'reclaimed'],
  generator: ['created', 'updated', 'deleted'],
  software: ['created', 'updated', 'deleted'],
  release: ['created', 'updated', 'published', 'yanked', 'deleted'],
  api_key: ['created', 'updated', 'rotated', 'revoked'],
});
export type EventType = (typeof EVENT_TYPES)[number];

/** The type of a test event, which a user sends to one endpoint. Endpoints cannot choose this type. */
export const TEST_EVENT = 'endpoint.test' as const;
export type AnyEventType = EventType | typeof TEST_EVENT;
export const ALL_EVENT_TYPES = [...EVENT_TYPES, TEST_EVENT] as const;

type NounOf<Type> = Type extends `${infer Noun}.${string}` ? Noun : never;
/** What an event is about. `move` is a shop that was moved in, which has no id. */
export type EventObject = NounOf<AnyEventType> | 'move';

/** Values by their names in the API. */
export type EventValues = Readonly<Record<string, unknown>>;

/** An event that a command writes. */
export interface NewEvent {
  type: AnyEventType;
  object: EventObject;
  /** Null for an object without an id. */
  objectId: number | null;
  /** Products of the object; null if it has none. Only endpoints for all products get an event without products. */
  productIds: readonly number[] | null;
  /** The API's fields of the object, without keys and tokens; null to read the object when the event gets its number. */
  data: EventValues | null;
  /** Earlier values of the fields that changed. */
  previous?: EventValues | undefined;
  /** The second of two events with the same text is dropped. */
  once?: string | undefined;
  /** The only endpoint that gets the event; absent for all endpoints that want it. */
  endpointId?: number | undefined;
}

/** A stored event. */
export interface Event extends Required<Omit<NewEvent, 'previous' | 'once' | 'endpointId' | 'data'>> {
  /** Increases with each event of the same object. */
  id: number;
  /** 32 hex digits. */
  uid: string;
  at: Datetime;
  /** JSON */
  data: string;
  /** JSON; null if nothing has changed. */
  previous: string | null;
  endpointId: number | null;
}

/** The current version of the event body. An endpoint keeps the version that it was created with. */
export const FORMAT = 1;

/** Returns the id of an event on the wire, also sent as `webhook-id`. The id has no dot. */
export const eventIdOf = ({ uid }: Pick<Event, 'uid'>): string => `evt_${uid}`;

/** Returns the JSON body of an event. @param seq number of the event at the endpoint */
export function bodyOf(event: Event, seq: number): string {
  const head = JSON.stringify({
    type: event.type,
    id: eventIdOf(event),
    timestamp: rfc3339(event.at),
    format: FORMAT,
    seq,
    version: event.id,
  });
  const about = JSON.stringify({ object: event.object, id: event.objectId });
  const rest = event.data === '{}' ? '}' : `,${event.data.slice(1)}`;
  const previous = event.previous === null ? '' : `,"previous":${event.previous}`;
  return `${head.slice(0, -1)},"data":${about.slice(0, -1)}${rest}${previous}}`;
}
