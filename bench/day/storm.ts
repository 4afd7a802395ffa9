import type { Client } from './clients.ts';
import { Due } from './due.ts';

/** A storm: all programs start at about the same time, and the service cannot answer them all at once. */
export interface Storm {
  client: Client;
  clients: number;
  /** Seconds within which the clients start, evenly spaced. */
  within: number;
  /** Requests that the service answers per second. */
  capacity: number;
  /** Requests that may wait for an answer at the same time: connections. A further request is refused at once. */
  waiting: number;
}

/** What the clients saw. */
export interface Seen {
  /** Shares of the clients, by the outcome of their first attempt. */
  first: { served: number; refused: number; late: number };
  /** The 99th percentile of the seconds that answers took, of those that came in time. */
  p99: number;
  /** Seconds from the first start until half, 99 % and all of the clients that got an answer had it. */
  served: { half: number; most: number; all: number };
  /** Share of the clients that never got an answer. */
  never: number;
  /** Per client. */
  attempts: number;
}

const STEP = 0.05;
/** Limit of the simulation in seconds: without it, a service whose answers all come too late would never end it. */
const LONGEST = 2 * 86_400;

/** Simulates a storm client by client, in time steps. The service answers requests in the order of their arrival. */
export function simulate({ client, clients, within, capacity, waiting }: Storm): Seen {
  const notes = new Notes(clients);
  const due = new Due(clients);
  for (let one = 0; one < clients; one++) due.add(one, Math.floor(((one / clients) * within) / STEP));
  const started = (one: number) => (one / clients) * within;
  const failures = new Uint8Array(clients);
  const line = new Line(waiting);
  const fail = (one: number, now: number, how: 'refused' | 'late') => {
    failures[one] = (failures[one] as number) + 1;
    notes.failed(failures[one] as number, how);
    const pause = client.again(failures[one] as number, now - started(one));
    if (pause !== null) due.add(one, Math.max(Math.ceil((now + pause) / STEP), Math.round(now / STEP) + 1));
  };
  let credit = 0;
  for (let step = 0; (due.size > 0 || line.length > 0) && step * STEP < LONGEST; step++) {
    const now = step * STEP;
    const arrived = due.take(step);
    // A client that has waited too long has left. The service does not know that, and still answers.
    for (let one = line.late(now - client.timeout); one !== null; one = line.late(now - client.timeout))
      fail(one, now, 'late');
    // Answers and arrivals alternate within a step.
    const turns = Math.max(1, arrived.length);
    for (let turn = 0; turn < turns; turn++) {
      for (credit += (capacity * STEP) / turns; credit >= 1 && line.length > 0; credit--) {
        const { one, since } = line.take();
        if (one !== null) notes.served(now, now - since, failures[one] === 0);
      }
      if (line.length === 0) credit = Math.min(credit, 1);
      const one = arrived[turn];
      if (one === undefined) continue;
      notes.attempts++;
      if (line.isFull) fail(one, now, 'refused');
      else line.add(one, now);
    }
  }
  return notes.seen();
}

/** The waiting clients, in the order of arrival. */
class Line {
  readonly #clients: (number | null)[];
  readonly #since: Float64Array;
  #head = 0;
  #tail = 0;
  /** The position of the first client that may still time out. */
  #awaited = 0;

  constructor(most: number) {
    this.#clients = new Array(most).fill(null);
    this.#since = new Float64Array(most);
  }

  get length(): number {
    return this.#tail - this.#head;
  }
  get isFull(): boolean {
    return this.length >= this.#clients.length;
  }

  add(client: number, now: number): void {
    const at = this.#tail++ % this.#clients.length;
    this.#clients[at] = client;
    this.#since[at] = now;
  }

  /** Takes the next entry; `one` is null if that client has left. */
  take(): { one: number | null; since: number } {
    const at = this.#head++ % this.#clients.length;
    this.#awaited = Math.max(this.#awaited, this.#head);
    return { one: this.#clients[at] as number | null, since: this.#since[at] as number };
  }

  /** Removes the first client if it has waited since `since` or longer. @returns the client, or null */
  late(since: number): number | null {
    if (this.#awaited >= this.#tail) return null;
    const at = this.#awaited % this.#clients.length;
    if ((this.#since[at] as number) > since) return null;
    this.#awaited++;
    const one = this.#clients[at] as number;
    this.#clients[at] = null;
    return one;
  }
}

/** Counts what clients saw, in a simulation or with a real service. */
export class Notes {
  readonly #clients: number;
  readonly #served: number[] = [];
  readonly #waits: number[] = [];
  readonly #first = { served: 0, refused: 0, late: 0 };
  #count = 0;
  attempts = 0;

  constructor(clients: number) {
    this.#clients = clients;
  }

  /** @param now seconds since the first start @param wait seconds */
  served(now: number, wait: number, isFirst: boolean): void {
    this.#count++;
    if (isFirst) this.#first.served++;
    add(this.#served, Math.round(now * 10));
    add(this.#waits, Math.round(wait * 1_000));
  }

  failed(failures: number, how: 'refused' | 'late'): void {
    if (failures === 1) this.#first[how]++;
  }

  seen(): Seen {
    const part = (n: number) => n / this.#clients;
    const { served, refused, late } = this.#first;
    const at = (of: number) => quantileOf(this.#served, this.#count, of) / 10;
    return {
      first: { served: part(served), refused: part(refused), late: part(late) },
      p99: quantileOf(this.#waits, this.#count, 0.99) / 1_000,
      served: { half: at(0.5), most: at(0.99), all: at(1) },
      never: part(this.#clients - this.#count),
      attempts: part(this.attempts),
    };
  }
}

function add(counts: number[], at: number): void {
  while (counts.length <= at) counts.push(0);
  counts[at] = (counts[at] as number) + 1;
}

/** Returns a quantile of counted values. */
function quantileOf(counts: readonly number[], all: number, part: number): number {
  let sum = 0;
  return counts.findIndex((count) => {
    sum += count;
    return sum >= all * part && sum > 0;
  });
}
