import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { SYSTEM } from '../../domain/actor.ts';
import { toDatetime } from '../../domain/datetime.ts';
import {
  type Attempt,
  BREAKER_FAILURES,
  isDelivered,
  isPaused,
  LEASE_SECONDS,
} from '../../domain/events/delivery.ts';
import type { EventEndpoint } from '../../domain/events/endpoint.ts';
import { bodyOf, eventIdOf } from '../../domain/events/event.ts';
import type { DeliveryOfEvent } from '../../store/store.ts';
import type { Services } from '../execute.ts';
import type { Stopped } from './deliveries.ts';
import { PLACED_AT_ONCE } from './place-events.ts';
import { createWebhookSigner } from './signature.ts';

/** Deliveries of one endpoint that are read at a time, and concurrent requests to the endpoint. */
const READ_AT_ONCE = 100;
const IN_FLIGHT = 4;
/** Milliseconds after which a turn starts no further request, so that its results are recorded. */
const TURN_MS = 5_000;
/** Milliseconds that `stop` waits for receivers that have not answered yet. */
const STOP_MS = 3_000;

export type Deliveries = ReturnType<typeof createDeliveries>;

/**
 * Sends events to the endpoints. Any number of processes may do this: only the one that leases an endpoint sends to it.
 * @param onStop called when a failing receiver, or one that answers 410, stops its endpoint
 */
export function createDeliveries(
  { store, execute, clock, webhooks }: Pick<Services, 'store' | 'execute' | 'clock' | 'webhooks'>,
  onError: (error: unknown) => void,
  onStop: (id: number, stopped: Stopped) => void = () => {},
) {
  const { read } = store;
  const holder = randomUUID();
  const leaseEnd = () => toDatetime(clock() + LEASE_SECONDS * 1_000);
  const sending = new Map<number, Promise<void>>();
  let isStopping = false;

  async function attempt(
    sign: ReturnType<typeof createWebhookSigner>,
    headers: Readonly<Record<string, string>>,
    url: string,
    { delivery: { seq, attempts }, event }: DeliveryOfEvent,
  ): Promise<Attempt | null> {
    const body = bodyOf(event, seq);
    const signed = sign({ id: eventIdOf(event), at: Math.floor(clock() / 1_000), body });
    const outcome = await webhooks.send({ url, headers: { ...headers, ...signed }, body });
    // The outcome of an interrupted request is unknown. The next start sends the event again.
    if (isStopping && outcome.status === null) return null;
    // Round up to a whole second: a wait that the receiver asks for must not become shorter.
    const at = toDatetime(Math.ceil(clock() / 1_000) * 1_000);
    return { seq, attempts: attempts + 1, at, ...outcome };
  }

  /** Sends some due deliveries, one after the other to an ordered endpoint. Stops after the first failure. */
  async function takeTurn(endpoint: EventEndpoint, due: readonly DeliveryOfEvent[]): Promise<Attempt[]> {
    const { id, url, updatedAt } = endpoint;
    const secrets = await read.endpoints.secrets(id);
    if (url === null || secrets === null) return [];
    // The endpoint may have changed in between: headers for a new address must not go to the previous one.
    const latest = await read.endpoints.find(id);
    if (latest?.url !== url || latest.updatedAt !== updatedAt) return [];
    const sign = createWebhookSigner(secrets, endpoint);
    const until = performance.now() + TURN_MS;
    const [queue, ended] = [[...due], [] as Attempt[]];
    const sendNext = async (): Promise<void> => {
      while (!isStopping && performance.now() < until && ended.every(isDelivered)) {
        const next = queue.shift();
        if (!next) return;
        const result = await attempt(sign, secrets.headers, url, next);
        if (result) ended.push(result);
      }
    };
    // Send a failing receiver only one request at a time.
    const isOne = endpoint.isOrdered || endpoint.failures >= BREAKER_FAILURES;
    await Promise.all(Array.from({ length: isOne ? 1 : IN_FLIGHT }, sendNext));
    return ended;
  }

  /** Sends to a leased endpoint until nothing is due or the endpoint fails. */
  async function sendAll(id: number): Promise<void> {
    try {
      while (!isStopping) {
        const now = toDatetime(clock());
        const endpoint = await read.endpoints.find(id);
        if (endpoint?.state !== 'enabled' || isPaused(endpoint, now)) break;
        const due = await read.deliveries.due(id, now, READ_AT_ONCE);
        const attempts = due.length > 0 ? await takeTurn(endpoint, due) : [];
        if (attempts.length === 0) break;
        const results = { id, holder, url: endpoint.url, until: leaseEnd(), attempts };
        const { mayGoOn, stopped } = await execute('finish-deliveries', results, SYSTEM);
        if (stopped) onStop(id, stopped);
        if (!mayGoOn) break;
      }
    } finally {
      await execute('release-event-endpoint', { id, holder }, SYSTEM);
    }
  }

  /** Leases the endpoints with due deliveries, and begins to send. */
  async function startSending(): Promise<void> {
    if (isStopping || (await read.endpoints.due(toDatetime(clock()))).length === 0) return;
    // After the clock jumps ahead, leases look expired while this process still sends: exclude its own endpoints.
    const lease = { holder, until: leaseEnd(), busy: [...sending.keys()] };
    for (const id of await execute('lease-event-endpoints', lease, SYSTEM)) {
      const running = sendAll(id)
        .catch(onError)
        .finally(() => sending.delete(id));
      sending.set(id, running);
    }
  }

  return {
    /** Gives committed events their numbers, and begins to send due deliveries. Resolves when every event has its numbers. */
    async work(): Promise<void> {
      let isMore = await read.events.areUnplaced();
      do {
        if (isMore) isMore = (await execute('place-events', null, SYSTEM)) === PLACED_AT_ONCE;
        await startSending();
      } while (isMore && !isStopping);
    },
    /** Starts no further request, waits up to STOP_MS for requests in flight, and closes the connections. */
    async stop(): Promise<void> {
      isStopping = true;
      const all = Promise.all(sending.values());
      await Promise.race([all, setTimeout(STOP_MS, undefined, { ref: false })]);
      webhooks.close();
      await all;
    },
  };
}
