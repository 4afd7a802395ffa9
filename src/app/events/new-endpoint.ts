import type { Actor } from '../../domain/actor.ts';
import type { EndpointChanges, EventEndpoint, NewEndpoint } from '../../domain/events/endpoint.ts';
import { done, invalid, type Outcome } from '../../domain/refusal.ts';
import type { Sender } from '../../webhooks/webhooks.ts';
import type { Services } from '../execute.ts';
import type { EndpointWithSecret } from './endpoints.ts';

type Needs = Pick<Services, 'store' | 'execute'> & { webhooks: Pick<Sender, 'addressFault'> };

/** Creates an endpoint. The endpoint gets the events of every change that begins after the promise resolves. */
export async function createEventEndpoint(
  { store, execute, webhooks }: Needs,
  values: NewEndpoint,
  actor: Actor,
): Promise<Outcome<EndpointWithSecret>> {
  const address = checkAddress(webhooks, values.url);
  if (!address.ok) return address;
  const created = await execute('create-event-endpoint', { values }, actor);
  if (created.ok) await store.settled();
  return created;
}

/** Changes an endpoint. The new values apply to the events of every change that begins after the promise resolves. */
export async function updateEventEndpoint(
  { store, execute, webhooks }: Needs,
  input: { named: string; changes: EndpointChanges },
  actor: Actor,
): Promise<Outcome<EventEndpoint>> {
  const address = checkAddress(webhooks, input.changes.url);
  if (!address.ok) return address;
  const updated = await execute('update-event-endpoint', input, actor);
  if (updated.ok && (input.changes.isEnabled || input.changes.types !== undefined)) await store.settled();
  return updated;
}

function checkAddress({ addressFault }: Needs['webhooks'], url: string | null | undefined): Outcome<null> {
  const why = url ? addressFault(url) : null;
  return why === null ? done(null) : invalid('url', 'address_refused', { why });
}
