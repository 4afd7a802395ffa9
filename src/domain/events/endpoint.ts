import type { Datetime, Stamps } from '../datetime.ts';
import {
  bad,
  type Changes,
  type Created,
  type Field,
  flag,
  good,
  isObject,
  listOf,
  oneOf,
  optional,
  reference,
  required,
  separated,
  some,
  text,
} from '../fields.ts';
import { webAddress } from '../web-address.ts';
import { EVENT_TYPES, type EventType } from './event.ts';

export const ENDPOINT_KINDS = ['webhook', 'poll'] as const;
/** How events reach the receiver: the server sends them to an address, or a program fetches them. */
export type EndpointKind = (typeof ENDPOINT_KINDS)[number];

/**
 * enabled: gets events. failing: every delivery failed for days, so the server sends nothing, but still keeps events for the
 * endpoint. disabled: gets no events, because a person disabled it or the receiver answered 410.
 */
export const ENDPOINT_STATES = ['enabled', 'failing', 'disabled'] as const;
export type EndpointState = (typeof ENDPOINT_STATES)[number];

/** The vendor's own request headers: values by name. */
export type OwnHeaders = Readonly<Record<string, string>>;

/** A receiver of events. */
export interface EventEndpoint extends Stamps {
  id: number;
  kind: EndpointKind;
  description: string;
  /** Address of the receiver; null for a polled endpoint. */
  url: string | null;
  /** The types of events that the endpoint gets; null for all. */
  types: readonly EventType[] | null;
  /** The endpoint gets only events about objects of these products; null for all events. */
  products: readonly number[] | null;
  /** Whether each event waits until the previous one is delivered. */
  isOrdered: boolean;
  /** Version of the event body. */
  format: number;
  /** Names of the vendor's own headers. The values are stored encrypted. */
  headerNames: readonly string[];
  /** `whpk_…`, which verifies the `v1a` signatures; null for a polled endpoint. */
  publicKey: string | null;
  /** When the old secret stops signing; null if there is none. */
  oldSecretUntil: Datetime | null;
  state: EndpointState;
  /** Why the endpoint is disabled: the receiver answered 410, or a person disabled it; null if it is not disabled. */
  disabledAs: 'gone' | 'person' | null;
  /** The number of the endpoint's newest event; 0 before the first. */
  lastSeq: number;
  /** Failures since the last success, or since IDLE_DAYS without any. Concurrent failures count as one. */
  failures: number;
  /** When `failures` began; null without failures. */
  failingSince: Datetime | null;
  /** The server sends nothing until then, because the receiver fails or asked for a pause; null for no pause. */
  pausedUntil: Datetime | null;
  lastSuccessAt: Datetime | null;
  lastFailureAt: Datetime | null;
  /** What went wrong at the last failure. */
  lastError: string | null;
}

/** Values of an endpoint that never leave the server. */
export interface EndpointSecrets {
  /** `whsec_…` */
  secret: string;
  /** The previous secret, which also signs until `oldSecretUntil`. */
  oldSecret: string | null;
  /** `whsk_…` */
  privateKey: string;
  headers: OwnHeaders;
}

/** Maximum number of endpoints, so that one change never causes very many deliveries. */
export const ENDPOINTS_MAX = 100;
const PRODUCTS_MAX = 1_000;
const HEADERS_MAX = 20;
const HEADER_MAX = 2_048;

/** Headers that the server sets itself, or that would change the meaning of a request. */
const RESERVED =
  /^(webhook-.*|content-.*|host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|user-agent|accept-encoding|date)$/;
// https://www.rfc-editor.org/rfc/rfc9110.html#name-field-names
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
const HEADER_VALUE = /^[\t\x20-\x7e]*$/;

/** The vendor's own headers: an object of texts. Refuses reserved names. */
export const ownHeaders: Field<OwnHeaders> = {
  schema: {
    type: 'object',
    additionalProperties: { type: 'string', maxLength: HEADER_MAX },
    maxProperties: HEADERS_MAX,
    description: 'Sent with each request. The values are never shown again',
    examples: [{ Authorization: 'Bearer 7f1c…' }],
  },
  read(value) {
    if (!isObject(value)) return bad('not_headers');
    const entries = Object.entries(value);
    if (entries.length > HEADERS_MAX) return bad('too_many_values', { max: HEADERS_MAX });
    const names = new Set(entries.map(([name]) => name.toLowerCase()));
    if (names.size < entries.length) return bad('not_headers');
    for (const [name, content] of entries) {
      if (RESERVED.test(name.toLowerCase())) return bad('reserved_header', { name });
      const isHeader =
        HEADER_NAME.test(name) &&
        typeof content === 'string' &&
        content.length <= HEADER_MAX &&
        HEADER_VALUE.test(content);
      if (!isHeader) return bad('not_headers');
    }
    return good(Object.fromEntries(entries) as OwnHeaders);
  },
};

/** The parameters of a create. */
export const endpointShape = {
  kind: optional(oneOf(ENDPOINT_KINDS, 'webhook when not sent')),
  url: optional(webAddress),
  description: optional(text({ max: 255, description: 'What it is for' })),
  types: optional(
    some(
      separated(
        listOf(oneOf(EVENT_TYPES), EVENT_TYPES.length, 'Only events of these types; all when not sent'),
      ),
    ),
  ),
  products: optional(
    some(
      listOf(
        reference(),
        PRODUCTS_MAX,
        'Only events about licenses and software of these; all when not sent',
      ),
    ),
  ),
  isOrdered: optional(flag),
  headers: optional(ownHeaders),
  isEnabled: optional(flag),
};
const { kind: _kind, ...changeable } = endpointShape;
/** The parameters of an update, which cannot change the kind. */
export const endpointChangesShape = {
  ...changeable,
  isEnabled: required(flag),
};
export const ENDPOINT_DEFAULTS = {
  kind: 'webhook',
  description: '',
  isOrdered: false,
  isEnabled: true,
} as const;
export type NewEndpoint = Created<typeof endpointShape>;
export type EndpointChanges = Changes<typeof endpointChangesShape>;

/** The state of an endpoint without failures. */
export const NO_FAILURES = { failures: 0, failingSince: null, pausedUntil: null } as const;

/** Whether events are kept for an endpoint. */
export const isListening = ({ state }: Pick<EventEndpoint, 'state'>): boolean => state !== 'disabled';

/** Whether Latchkey has stopped an endpoint, and not a person: nothing is sent to it until a person enables it. */
export const isStopped = ({ state, disabledAs }: Pick<EventEndpoint, 'state' | 'disabledAs'>): boolean =>
  state === 'failing' || disabledAs === 'gone';

/** Whether an endpoint gets an event. */
export function wants(
  { id, types, products, state }: Pick<EventEndpoint, 'id' | 'types' | 'products' | 'state'>,
  event: { type: string; productIds: readonly number[] | null; endpointId: number | null },
): boolean {
  if (event.endpointId !== null) return event.endpointId === id;
  if (!isListening({ state })) return false;
  if (types !== null && !types.some((type) => type === event.type)) return false;
  if (products === null) return true;
  return event.productIds?.some((product) => products.includes(product)) === true;
}

/** Whether an endpoint exists for an actor. An actor limited to products finds only endpoints limited to these products. */
export const reachesEndpoint = (
  actor: { products: readonly number[] | null },
  { products }: Pick<EventEndpoint, 'products'>,
): boolean =>
  actor.products === null || (products?.every((product) => actor.products?.includes(product)) ?? false);
