import assert from 'node:assert/strict';
import { createEventEndpoint } from '../../src/app/events/new-endpoint.ts';
import type { NewEndpoint } from '../../src/domain/events/endpoint.ts';
import { bodyOf } from '../../src/domain/events/event.ts';
import { actor } from './audited/audited.ts';
import type { Record_ } from './http/api.ts';
import type { Running } from './service.ts';

const NOTHING_CHOSEN: NewEndpoint = {
  ...{ kind: null, url: null, description: null, types: null, products: null },
  ...{ isOrdered: null, headers: null, isEnabled: null },
};

/** A new endpoint of a service. */
export async function newEndpoint({ service }: Pick<Running, 'service'>, values: Partial<NewEndpoint>) {
  const created = await createEventEndpoint(service, { ...NOTHING_CHOSEN, ...values }, actor);
  assert.ok(created.ok, JSON.stringify(created));
  return { ...created.value.endpoint, secret: created.value.secret };
}

/** The bodies of all events of an endpoint so far, without gaps in their numbers. */
export async function eventsAt(
  { service, deliveries }: Pick<Running, 'service' | 'deliveries'>,
  id: number,
  after = 0,
): Promise<Record_[]> {
  await deliveries.work();
  const found = await service.store.read.events.after(id, after, 100_000);
  assert.deepEqual(
    found.map(({ seq }) => seq),
    found.map((_, i) => after + i + 1),
  );
  return found.map(({ seq, event }) => JSON.parse(bodyOf(event, seq)));
}

/** What `act` adds to the events of an endpoint. */
export async function eventsOf(
  api: Pick<Running, 'service' | 'deliveries'>,
  id: number,
  act: () => Promise<unknown>,
): Promise<Record_[]> {
  const before = (await eventsAt(api, id)).length;
  await act();
  return eventsAt(api, id, before);
}
