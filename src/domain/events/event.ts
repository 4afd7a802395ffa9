import type { Datetime } from '../datetime.ts';
import { dotted } from '../names.ts';

/** The types that an endpoint can choose. `catalog.ts` says what each tells. */
export const EVENT_TYPES = dotted({
  license: [
    ...['created', 'updated', 'disabled', 'enabled', 'renewed', 'expiring', 'expired', 'limit_reached'],
    ...['deleted', 'moved_in'],
  ] as const,
  activation: ['created', 'reactivated', 'ended', 'reclaimed'],
  generator: ['created', 'updated', 'deleted'],
  software: ['created', 'updated', 'deleted'],
  release: ['created', 'updated', 'published', 'yanked', 'deleted'],
  api_key: ['created', 'updated', 'rotated', 'revoked'],
});
export type EventType = (typeof EVENT_TYPES)[number];

/** The type of the event that a test by button sends. No endpoint chooses it. */
export const TEST_EVENT = 'endpoint.test' as const;
export type AnyEventType = EventType | typeof TEST_EVENT;

/** What an event is about. `move` is a shop that was moved in, which has no id. */
export type EventObject =
  | 'license'
  | 'activation'
  | 'generator'
  | 'software'
  | 'release'
  | 'api_key'
  | 'move'
  | 'endpoint';

/** Values by the names that the API has for them. */
export type EventValues = Readonly<Record<string, unknown>>;

/** An event as a command makes it. */
export interface NewEvent {
  type: AnyEventType;
  object: EventObject;
  /** Null where the object has none. */
  objectId: number | null;
  /** Products that the object belongs to; null where it has none, so that only endpoints of all products get the event. */
  productIds: readonly number[] | null;
  /** The object as the API shows it, without keys and tokens; null if it is read when the event gets its place. */
  data: EventValues | null;
  /** Earlier values of what has changed. */
  previous?: EventValues | undefined;
  /** Of two events with the same text, the second is not kept. */
  once?: string | undefined;
  /** The only endpoint that gets it. */
  endpointId?: number | undefined;
}

/** A stored event. */
export interface Event extends Required<Omit<NewEvent, 'previous' | 'once' | 'endpointId' | 'data'>> {
  /** Grows with each event of the same object. */
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

/** The version of the body. An endpoint keeps the one that it was made with. */
export const FORMAT = 1;

/** The id of an event on the wire, which is also `webhook-id`. It has no dot. */
export const eventIdOf = ({ uid }: Pick<Event, 'uid'>): string => `evt_${uid}`;

/** `2026-11-06 21:20:00` as RFC 3339. */
export const rfc3339 = (at: Datetime): string => `${at.replace(' ', 'T')}Z`;

/** The body of an event with its number at an endpoint, as JSON. */
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
