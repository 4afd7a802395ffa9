import assert from 'node:assert/strict';
import { createEventEndpoint } from '../../src/app/events/new-endpoint.ts';
import { toDatetime } from '../../src/domain/datetime.ts';
import type { NewEndpoint } from '../../src/domain/events/endpoint.ts';
import { bodyOf } from '../../src/domain/events/event.ts';
import { actor } from './audited/audited.ts';
import { numberOf } from './engine.ts';
import type { Record_ } from './http/api.ts';
import type { Running } from './service.ts';
import { until } from './until.ts';

const NOTHING_CHOSEN: NewEndpoint = {
  kind: null,
  url: null,
  description: null,
  types: null,
  products: null,
  isOrdered: null,
  headers: null,
  isEnabled: null,
};

/** Creates an event endpoint. */
export async function newEndpoint({ service }: Pick<Running, 'service'>, values: Partial<NewEndpoint>) {
  const created = await createEventEndpoint(service, { ...NOTHING_CHOSEN, ...values }, actor);
  assert.ok(created.ok, JSON.stringify(created));
  return { ...created.value.endpoint, secret: created.value.secret };
}

/** Returns the bodies of all events of an endpoint so far, and asserts that their numbers have no gaps. */
export async function eventsAt(
  { service, deliveries }: Pick<Running, 'service' | 'deliveries'>,
  id: number,
  after = 0,
): Promise<Record_[]> {
  await deliveries.work();
  const found = await service.store.read.events.after(id, after, 100_000, null);
  assert.deepEqual(
    found.map(({ seq }) => seq),
    found.map((_, i) => after + i + 1),
  );
  return found.map(({ seq, event }) => JSON.parse(bodyOf(event, seq)));
}

/** Returns the events that `act` adds to an endpoint. */
export async function eventsOf(
  api: Pick<Running, 'service' | 'deliveries'>,
  id: number,
  act: () => Promise<unknown>,
): Promise<Record_[]> {
  const before = (await eventsAt(api, id)).length;
  await act();
  return eventsAt(api, id, before);
}

/** Sends everything that is due, and waits for the results. */
export async function delivered({
  service,
  deliveries,
  dataDir,
}: Pick<Running, 'service' | 'deliveries' | 'dataDir'>): Promise<void> {
  const leased = () => numberOf(dataDir, 'select count(*) from event_endpoints where leased_by is not null');
  const isDue = async () =>
    (await service.store.read.endpoints.due(toDatetime(service.clock()))).length > 0 ||
    (await service.store.read.events.areUnplaced());
  do {
    await deliveries.work();
    await until(async () => (await leased()) === 0);
  } while (await isDue());
}
