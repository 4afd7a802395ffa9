import { ask, openConnections, type Request } from '../run/connection.ts';
import { cpuMicroseconds, cpuOfEach, cpuSince, memory } from '../run/cpu.ts';
import { load } from '../run/load.ts';
import type { DatabaseOptions } from '../run/options.ts';
import { openSession, type Session } from '../run/session.ts';
import { type Client, eachMinute, once, sdk } from './clients.ts';
import { crowd } from './crowd.ts';
import { newConnections } from './new-connections.ts';
import { ms, SEEN, seenAs, table, time } from './print.ts';
import { ASKED, requestsOf } from './requests.ts';
import { type Storm, simulate } from './storm.ts';

/** The load on the real service. */
export interface Check {
  /** Starts per minute, divided by the answers per minute that the service can give. */
  factor: number;
  /** One minute of the clients' time lasts 60 / speed seconds. */
  speed: number;
  /** Requests per second in the busiest minute of a usual day. */
  morning: number;
}

const CONNECTIONS = 32;
/**
 * Requests that may wait in the storm, including those on a connection. The number is scaled down like the clients'
 * time: the wait takes the same part of a client's patience as with 10,000 waiting requests on a dedicated machine.
 */
const WAITING = 128;
const SECONDS = 4;
const MORNING_SECONDS = 10;
/** Clients that open a connection for each request. */
const NEW_CONNECTIONS = { atOnce: 32, factor: 2, seconds: 5, timeout: 10_000 };

/** Measures what requests cost, replays the busiest minute and the storm, and prints the results beside the model's. */
export async function check(options: DatabaseOptions, plan: Check): Promise<void> {
  const session = await openSession(options);
  const { service } = session;
  try {
    const requests = requestsOf(options.licenses);
    for (const kind of ASKED) await closedLoop(session, requests[kind]);
    const measured = [];
    for (const kind of ASKED) measured.push([kind, await closedLoop(session, requests[kind])] as const);
    const head = ['request', 'µs', 'µs of PostgreSQL', 'a second', 'failed', 'cores of the generator'];
    const rows = measured.map(([kind, { cpu, database, rate, failed, generator }]) => [
      ...[kind, cpu.toFixed(0), database?.toFixed(0) ?? ''],
      ...[rate.toFixed(0), String(failed), generator.toFixed(2)],
    ]);
    console.log(`${options.engine}, ${CONNECTIONS} connections\n`);
    console.log(table([head, ...rows]));
    await morning(service.port, requests.validate, plan.morning);
    const storms = [];
    for (const client of [sdk(5, true), eachMinute])
      storms.push(...(await storm(session, requests.validate, client, plan)));
    console.log(
      table([
        [`${plan.factor} times too many starts; a minute lasts ${60 / plan.speed} s`, '', ...SEEN],
        ...storms,
      ]),
    );
    await direct(service.port, requests.validate);
    console.log(`resident ${memory(service.pid).now} MiB, ${memory(service.pid).most} at most\n`);
  } finally {
    await session.close();
  }
}

/** Sends the next request on each connection as soon as the previous one is answered. */
async function closedLoop({ service, database }: Session, next: () => Request) {
  const connections = await openConnections(service.port, CONNECTIONS);
  const before = cpuMicroseconds(service.pid);
  const pids = database.pids();
  const databaseBefore = pids && cpuOfEach(pids);
  const own = process.cpuUsage();
  const { requests, seconds, failed } = await load(connections, SECONDS, { next });
  const { user, system } = process.cpuUsage(own);
  for (const connection of connections) connection.close();
  return {
    failed,
    cpu: (cpuMicroseconds(service.pid) - before) / requests,
    database: databaseBefore && cpuSince(databaseBefore, database.pids() ?? []) / requests,
    rate: requests / seconds,
    generator: (user + system) / 1e6 / seconds,
  };
}

async function morning(port: number, next: () => Request, rate: number): Promise<void> {
  const storm = { client: once, clients: Math.round(rate * MORNING_SECONDS), within: MORNING_SECONDS };
  const { seen, statuses } = await crowd(
    port,
    { ...storm, waiting: storm.clients },
    { connections: CONNECTIONS, speed: 1, next },
  );
  console.log(
    `the busiest minute of the day, ${rate.toFixed(0)} requests a second: ${JSON.stringify(statuses)}, p99 ${ms(seen.p99)}\n`,
  );
}

async function storm(
  session: Session,
  next: () => Request,
  client: Client,
  { factor, speed }: Check,
): Promise<string[][]> {
  const { rate } = await closedLoop(session, next);
  const within = 60;
  const clients = Math.round((factor * rate * within) / speed);
  const plan: Omit<Storm, 'capacity'> = { client, clients, within, waiting: WAITING };
  const real = await crowd(session.service.port, plan, { connections: CONNECTIONS, speed, next });
  const model = simulate({ ...plan, capacity: real.rate / speed });
  const what = `${client.name}: ${clients.toLocaleString('en')} starts, ${real.rate.toFixed(0)} answers a second`;
  return [
    [what, 'model', ...seenAs(model)],
    [JSON.stringify(real.statuses), 'service', ...seenAs(real.seen)],
  ];
}

async function direct(port: number, next: () => Request): Promise<void> {
  const until = performance.now() + SECONDS * 1_000;
  let answers = 0;
  await Promise.all(
    Array.from({ length: NEW_CONNECTIONS.atOnce }, async () => {
      for (; performance.now() < until; answers++) await ask(port, next());
    }),
  );
  const rate = (answers / SECONDS) * NEW_CONNECTIONS.factor;
  const { seconds, timeout } = NEW_CONNECTIONS;
  const { sent, outcomes, p50, p99, took } = await newConnections(port, { rate, seconds, timeout, next });
  console.log(
    `a connection for each request: ${(answers / SECONDS).toFixed(0)} a second. With ${NEW_CONNECTIONS.factor} times as many for ${seconds} s ` +
      `(${sent}): ${JSON.stringify(outcomes)}, p50 ${ms(p50 / 1_000)}, p99 ${ms(p99 / 1_000)}, over after ${time(took)}`,
  );
}
