import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Random } from '../support/faults/random.ts';
import type { Installation } from './installation.ts';

/** A webhook receiver that records every event and fails now and then. */
export interface Receiver {
  url(path: string): string;
  /** Returns how often each event of a path was received, by sequence number. */
  received(path: string): ReadonlyMap<number, number>;
  /** Events at paths that begin with `/ordered` that arrived before their predecessor was accepted. */
  early: string[];
  close(): void;
}

const FAILS = 0.005;

export async function startEventReceiver(random: Random): Promise<Receiver> {
  const counts = new Map<string, Map<number, number>>();
  const accepted = new Map<string, number>();
  const early: string[] = [];
  const at = (path: string) => counts.get(path) ?? new Map<number, number>();
  const server = createServer(async (request, response) => {
    const path = String(request.url);
    const { seq } = JSON.parse(await text(request).catch(() => '{}'));
    if (seq === undefined) return response.destroy();
    const times = (at(path).get(seq) ?? 0) + 1;
    counts.set(path, at(path).set(seq, times));
    const last = accepted.get(path) ?? 0;
    if (path.startsWith('/ordered') && seq > last + 1) early.push(`${path}: ${seq} after ${last}`);
    // Fail only the first attempt: after a second failure, the service would wait five minutes.
    if (times === 1 && random.chance(FAILS)) return response.writeHead(500).end();
    accepted.set(path, Math.max(last, seq));
    response.end('ok');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: (path) => `http://127.0.0.1:${port}${path}`,
    received: at,
    early,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** The event type of each change, and the query that finds those changes in the database. */
const CHANGES: Record<string, string> = {
  'license.created': 'select id from licenses',
  'license.updated': "select subject_id as id from audit_entries where action = 'license.update'",
  'activation.created': 'select id from activations',
  'activation.ended': 'select id from activations where deactivated_at is not null',
};

/**
 * Compares the events of an endpoint that gets every event with the records. Each change must have exactly
 * one event, and the sequence numbers must have no gap.
 * @returns the number of events
 */
export async function verifyLog({ rows }: Installation, endpointId: number): Promise<number> {
  const log = await rows(
    `select d.seq, e.type, e.object_id from event_deliveries d join events e on e.id = d.event_id
     where d.endpoint_id = ${endpointId} order by d.seq`,
  );
  assert.deepEqual(
    log.map(({ seq }) => Number(seq)),
    log.map((_, i) => i + 1),
  );
  for (const [type, changes] of Object.entries(CHANGES)) {
    const told = sorted(log.filter((one) => one.type === type).map(({ object_id }) => object_id));
    const made = sorted((await rows(changes)).map(({ id }) => id));
    assert.deepEqual(told, made, type);
  }
  return log.length;
}

const sorted = (ids: readonly unknown[]): number[] => ids.map(Number).sort((one, other) => one - other);
