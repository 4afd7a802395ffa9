import type { EventEndpoint } from '../../domain/events/endpoint.ts';
import { bodyOf, eventIdOf } from '../../domain/events/event.ts';
import type { DeliveryOfEvent } from '../../store/store.ts';
import { fixedHeaders } from '../../webhooks/webhooks.ts';

/** The request of a delivery, with secrets hidden. */
export interface ShownRequest {
  url: string | null;
  /** The value is null if it is secret or differs between attempts. */
  headers: { name: string; value: string | null }[];
  body: string;
}

/** Returns the request that a receiver gets, without signatures and without the values of the vendor's own headers. */
export function shownRequest(
  { url, headerNames }: Pick<EventEndpoint, 'url' | 'headerNames'>,
  { delivery, event }: DeliveryOfEvent,
): ShownRequest {
  const body = bodyOf(event, delivery.seq);
  if (url === null) return { url, headers: [], body };
  const shown = { ...fixedHeaders(body), 'webhook-id': eventIdOf(event) };
  const hidden = ['webhook-timestamp', 'webhook-signature', ...headerNames];
  return {
    url,
    headers: [
      ...Object.entries(shown).map(([name, value]) => ({ name, value })),
      ...hidden.map((name) => ({ name, value: null })),
    ],
    body,
  };
}
