import assert from 'node:assert/strict';
import { createEventEndpoint } from '../../src/app/events/new-endpoint.ts';
import { openService } from '../../src/installation/service.ts';
import { actor } from '../support/audited/audited.ts';
import { createRandom, type Random } from '../support/faults/random.ts';
import { newKey } from '../support/http/api.ts';
import { pause, until } from '../support/postgres/cluster.ts';
import { storeConfig } from '../support/service.ts';
import { type Receiver, startEventReceiver, verifyLog } from './event-log.ts';
import { createInstallation, type EngineName, type Installation } from './installation.ts';

interface EventPlan {
  engine: EngineName;
  rounds: number;
  /** Number of processes that serve and deliver. */
  nodes: number;
  seed: number;
  print(line: string): void;
}

const CLIENTS = 6;
const PATHS = ['/any', '/ordered'];
/** Milliseconds until everything is delivered: a killed process holds its endpoints for half a minute. */
const DELIVERED_MS = 240_000;
/** Milliseconds between two looks, each of which connects to the database. */
const LOOK_MS = 500;

/**
 * Kills processes that deliver events, again and again, and compares the received events with the changes.
 * @throws Error if a change has no event or two, or if an event was not delivered or came too early
 */
export async function runEventRounds({ engine, rounds, nodes, seed, print }: EventPlan): Promise<void> {
  const random = createRandom(seed);
  const receiver = await startEventReceiver(random);
  const installation = await createInstallation(engine, null, {
    LATCHKEY_WEBHOOK_NETWORKS: '127.0.0.0/8',
  });
  try {
    await installation.start(nodes);
    const log = await makeEndpoints(installation, receiver);
    for (let round = 1; round <= rounds; round++) {
      await installation.start(nodes);
      const killed = await oneRound(installation, random);
      print(`${engine} round ${round}: killed ${killed}`);
    }
    await installation.start(nodes);
    await untilDelivered(installation);
    const events = await verifyLog(installation, log);
    const counts = PATHS.map((path) => {
      const received = receiver.received(path);
      assert.deepEqual(
        [...received.keys()].sort((one, other) => one - other),
        range(events),
        path,
      );
      return [...received.values()].reduce((sum, count) => sum + count, 0);
    });
    assert.deepEqual(receiver.early, []);
    print(`${engine}: ${events} events, each logged once; received ${counts.join(' and ')} times`);
  } catch (error) {
    await installation.close({ keep: true });
    throw new Error(`${engine}: --events --rounds ${rounds} --nodes ${nodes} --seed ${seed}`, {
      cause: error,
    });
  } finally {
    receiver.close();
  }
  await installation.close({ keep: false });
}

const range = (length: number): number[] => Array.from({ length }, (_, i) => i + 1);

/** Creates two webhooks, one of them ordered, and a polled endpoint. @returns the id of the polled one */
async function makeEndpoints({ dataDir, databaseUrl }: Installation, receiver: Receiver): Promise<number> {
  const config = { ...storeConfig(dataDir), databaseUrl, webhookNetworks: ['127.0.0.0/8'] };
  const service = await openService(config, { mustExist: true });
  const none = { kind: null, url: null, description: null, types: null, products: null };
  const values = { ...none, isOrdered: null, headers: null, isEnabled: null };
  try {
    for (const path of PATHS) {
      const url = receiver.url(path);
      const made = await createEventEndpoint(
        service,
        { ...values, url, isOrdered: path === '/ordered' },
        actor,
      );
      assert.ok(made.ok);
    }
    const polled = await createEventEndpoint(service, { ...values, kind: 'poll' }, actor);
    assert.ok(polled.ok);
    return polled.value.endpoint.id;
  } finally {
    await service.close();
  }
}

/** Changes records while one process or all of them are killed. @returns what was killed, in words */
async function oneRound(installation: Installation, random: Random): Promise<string> {
  const api = installation.running();
  let isOver = false;
  let answers = 0;
  const call = async (method: string, path: string, options = {}) => {
    const answer = await api.call(method, path, options).catch(() => null);
    if (answer?.status === 200) answers++;
    else await pause(20);
    return answer?.status === 200 ? answer.body.data : null;
  };
  const client = async () => {
    while (!isOver) {
      const key = newKey();
      const values = { license_key: key, status: 3, valid_for: 0, activations_limit: 2 };
      await call('POST', '/licenses', { json: values });
      if (isOver) return;
      const activation = await call('GET', `/licenses/activate/${key}`);
      await call('PUT', `/licenses/${key}`, { json: { order_id: random.between(1, 1_000) } });
      if (activation && random.chance(0.5)) await call('GET', `/licenses/deactivate/${activation.token}`);
    }
  };
  const clients = Array.from({ length: CLIENTS }, client);
  const enough = random.between(30, 200);
  await until('answers', async () => answers > enough);
  await pause(random.between(0, 600));
  const isAll = random.chance(0.3);
  if (isAll) await installation.kill(true);
  else {
    const pid = random.pick(installation.workerIds());
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
    await pause(random.between(0, 500));
  }
  isOver = true;
  await Promise.all(clients);
  return isAll ? 'all processes' : 'one process';
}

async function untilDelivered({ rows }: Installation): Promise<void> {
  const left = async () => {
    const counted = await rows(
      `select (select count(*) from events where placed = 0) as unplaced,
        (select count(*) from event_deliveries where state = 'pending') as pending`,
    );
    return Number(counted[0]?.unplaced) + Number(counted[0]?.pending);
  };
  const isDelivered = () => pause(LOOK_MS).then(async () => (await left()) === 0);
  await until('the delivery of all events', isDelivered, DELIVERED_MS);
}
