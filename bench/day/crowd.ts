import { setTimeout as pause } from 'node:timers/promises';
import { type Connection, openConnections, type Request } from '../run/connection.ts';
import { Due } from './due.ts';
import { Notes, type Seen, type Storm } from './storm.ts';

/** Length of a time step in milliseconds. */
const STEP = 5;

/** What the clients saw, and what the service answered. */
export interface Crowded {
  seen: Seen;
  statuses: Record<string, number>;
  /** Answers per second while other requests waited: the most that the service can do. */
  rate: number;
}

/**
 * Runs the storm of `simulate` against the real service. The requests reach the service over a few connections that
 * stay open, as a proxy keeps them. This process holds the queue for these connections and the clients' timeouts.
 * @param speed divides the clients' times: a minute lasts 60 / speed seconds
 */
export async function crowd(
  port: number,
  { client, clients, within, waiting }: Omit<Storm, 'capacity'>,
  { connections, speed, next }: { connections: number; speed: number; next: () => Request },
): Promise<Crowded> {
  const notes = new Notes(clients);
  const due = new Due(clients);
  const ms = (seconds: number) => (seconds * 1_000) / speed;
  const started = (one: number) => (one / clients) * ms(within);
  for (let one = 0; one < clients; one++) due.add(one, Math.floor(started(one) / STEP));
  const failures = new Uint8Array(clients);
  const idle = await openConnections(port, connections);
  const all = [...idle];
  const statuses: Record<string, number> = {};
  /** Clients that wait for a connection, and then for an answer. `one` is null once the client has left. */
  const line: { one: number | null; since: number }[] = [];
  let [head, awaited] = [0, 0];
  /** Counts only while clients wait for a connection: at other times the service could do more. */
  const full = { answers: 0, ms: 0 };
  const begun = performance.now();
  /** @param at in the client's time, which goes on while this process is busy */
  const fail = (one: number, at: number, how: 'refused' | 'late') => {
    const count = (failures[one] as number) + 1;
    failures[one] = count;
    notes.failed(count, how);
    const again = client.again(count, ((at - started(one)) * speed) / 1_000);
    if (again !== null) due.add(one, Math.max(Math.ceil((at + ms(again)) / STEP), step + 1));
  };
  const feed = (connection: Connection) => {
    const first = line[head];
    if (first === undefined) return void idle.push(connection);
    head++;
    connection.onBroken = (error) => {
      throw error;
    };
    connection.onAnswer = (status) => {
      const now = performance.now() - begun;
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (head < line.length) full.answers++;
      if (first.one !== null)
        notes.served((now * speed) / 1_000, ((now - first.since) * speed) / 1_000, failures[first.one] === 0);
      first.one = null;
      busy--;
      feed(connection);
    };
    busy++;
    connection.send(next());
  };
  let busy = 0;
  let step = 0;
  let before = 0;
  while (due.size > 0 || busy > 0) {
    const now = performance.now() - begun;
    if (head < line.length) full.ms += now - before;
    before = now;
    for (; step * STEP <= now; step++) {
      for (const one of due.take(step)) {
        notes.attempts++;
        if (line.length - head + busy >= waiting) fail(one, step * STEP, 'refused');
        else line.push({ one, since: now });
      }
    }
    while (idle.length > 0 && head < line.length) feed(idle.pop() as Connection);
    for (; awaited < line.length; awaited++) {
      const first = line[awaited] as { one: number | null; since: number };
      if (first.one !== null && first.since > now - ms(client.timeout)) break;
      if (first.one === null) continue;
      fail(first.one, first.since + ms(client.timeout), 'late');
      first.one = null;
    }
    await pause(1);
  }
  for (const connection of all) connection.close();
  return { seen: notes.seen(), statuses, rate: full.answers / (full.ms / 1_000) };
}
