import type { Datetime } from '../../domain/datetime.ts';
import { isPaused } from '../../domain/events/delivery.ts';
import type { EventEndpoint } from '../../domain/events/endpoint.ts';
import { snakeCased } from '../../domain/names.ts';
import { history, pairs } from '../table.ts';

/** The argument that names an event endpoint. */
export const NAMED = ['<id>', 'Id of the event endpoint'] as const;

export const presentEndpoint = snakeCased<EventEndpoint>;

export const typesOf = ({ types }: EventEndpoint): string => types?.join(',') ?? 'all';
export const productsOf = ({ products }: EventEndpoint): string => products?.join(',') ?? 'all';

/** Returns the state of an endpoint, with what to do if it is failing, or why it is disabled. */
function stateOf({ state, disabledAs }: EventEndpoint): string {
  if (state === 'failing') return 'failing: nothing is sent until you enable it, but its events are kept';
  return disabledAs === 'gone' ? `${state}: the receiver answered 410` : state;
}

/** Says when a running server sends events of a webhook that are due. */
export function whenSent(endpoint: EventEndpoint, now: Datetime): string {
  const { id, state, pausedUntil } = endpoint;
  const command = `latchkey event-endpoint update ${id} --enabled yes`;
  if (state === 'failing') return `once the endpoint is enabled: ${command}`;
  return isPaused(endpoint, now)
    ? `after ${pausedUntil} UTC; to send at once: ${command}`
    : 'within seconds.';
}

const inUtc = (at: string | null): string | null => at && `${at} UTC`;

/** Returns all fields of an endpoint as text. */
export const endpointWords = (endpoint: EventEndpoint): string =>
  pairs({
    Id: endpoint.id,
    Kind: endpoint.kind,
    Address: endpoint.url,
    Description: endpoint.description,
    Types: typesOf(endpoint),
    Products: productsOf(endpoint),
    Ordered: endpoint.isOrdered ? 'yes' : 'no',
    Headers: endpoint.headerNames.join(', ') || null,
    'Public key': endpoint.publicKey,
    'Old secret until': inUtc(endpoint.oldSecretUntil),
    State: stateOf(endpoint),
    'Newest event': endpoint.lastSeq,
    'Failures since the last success': endpoint.failures,
    'Failing since': inUtc(endpoint.failingSince),
    'Paused until': inUtc(endpoint.pausedUntil),
    'Last success': inUtc(endpoint.lastSuccessAt),
    'Last failure': inUtc(endpoint.lastFailureAt),
    'Last error': endpoint.lastError,
    ...history(endpoint),
  });

/** A new secret, which is shown once. */
export const secretLines = (secret: string, publicKey: string | null): string[] => [
  `  secret      ${secret}`,
  `  public key  ${publicKey}`,
];
