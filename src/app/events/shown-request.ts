import type { EventEndpoint } from '../../domain/events/endpoint.ts';
import { bodyOf, eventIdOf } from '../../domain/events/event.ts';
import type { DeliveryOfEvent } from '../../store/store.ts';
import { fixedHeaders } from '../../webhooks/webhooks.ts';

/** Returns the request that a receiver gets. The value of a header is null if it is secret or differs between attempts. */
export function shownRequest(
  { url, headerNames }: Pick<EventEndpoint, 'url' | 'headerNames'>,
  { delivery, event }: DeliveryOfEvent,
): { url: string | null; headers: { name: string; value: string | null }[]; body: string } {
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
