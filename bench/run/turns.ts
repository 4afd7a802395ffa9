import { type Connection, openConnections } from './connection.ts';
import { cpuMicroseconds, cpuOfEach, cpuSince } from './cpu.ts';
import { load, type Measured, type Questions, quantile } from './load.ts';
import type { BareServer, Server } from './processes.ts';
import type { Scenario } from './scenarios.ts';

export interface Figures {
  rps: number;
  p50_ms: number;
  p99_ms: number;
  /** Of all threads of the service, per request. */
  cpu_us: number;
  bare_cpu_us: number;
  ratio: number;
  /** The least and the greatest ratio of a turn of the service to the bare server's next turn. */
  ratio_spread: [number, number];
  bare_rps: number;
  bare_p99_ms: number;
  /** Of the validates alone. */
  validate_p99_ms?: number;
  /** `validate_p99_ms` divided by `bare_p99_ms`. */
  validate_p99_ratio?: number;
  /** Of PostgreSQL's processes, per request, if they are on this machine. */
  database_cpu_us?: number;
  /** Share of one core that the load generator took, in the service's turns and in the bare server's. */
  generator_share: [number, number];
  /**
   * Whether the load generator was busy all the time in the service's turns: `rps`, `p50_ms` and `p99_ms` are then its
   * own.
   */
  generator_busy: boolean;
  failed: number;
}

/** The length of a measurement, in seconds. */
export interface Plan {
  warm: number;
  /** Of one turn. Shorter turns would vary more: both servers begin a turn with cold caches. */
  seconds: number;
  turns: number;
  /** No turn begins after this time of `performance.now`, except the first. */
  until: number;
}

export interface Sides {
  service: Server;
  bare: BareServer;
  /** Returns the processes of the database, if they are on this machine. */
  databasePids: () => number[] | null;
}

const BUSY = 0.9;
/** Activations are made ahead over `STOCKING` connections: `AMPLE` times as many as the rate of the warm-up needs. */
const STOCKING = 64;
const AMPLE = 1.5;
/** Requests per second, until the warm-up has measured them. */
const FIRST_GUESS = 4_000;
/** Requests until V8 has compiled the hot code. */
const COMPILED = 40_000;

/**
 * Sends requests until V8 has compiled the hot code. docs/contribute/performance.md says how many that takes, and how
 * the number was found.
 * @param seconds at most, per server
 */
export async function warmUp({ service, bare }: Sides, scenario: Scenario, seconds: number): Promise<void> {
  await bare.imitate(service, scenario.sample());
  for (const { port } of [service, bare]) {
    const connections = await openConnections(port, 16);
    await load(connections, seconds, { next: atMost(COMPILED, scenario.next) });
    for (const connection of connections) connection.close();
  }
}

function atMost(requests: number, next: Questions['next']): Questions['next'] {
  let left = requests;
  return () => (left-- > 0 ? next() : null);
}

interface Turn extends Measured {
  cpu: number;
  databaseCpu: number | null;
  /** Processor time of the load generator in microseconds. */
  generator: number;
}

/**
 * Measures one scenario. After a warm-up, the service and the bare server alternate, over the same number of
 * connections. The first failed answer goes to standard error.
 * @param activating makes the activations that the scenario lacks
 */
export async function measure(
  { service, bare, databasePids }: Sides,
  scenario: Scenario,
  activating: Questions,
  connections: number,
  plan: Plan,
): Promise<Figures> {
  const sample = scenario.sample();
  await bare.imitate(service, sample);
  const [ours, theirs] = await Promise.all([
    openConnections(service.port, connections),
    openConnections(bare.port, connections),
  ]);
  const takeOurs = async (seconds: number) => {
    await stock(service.port, activating, scenario.lacks?.(Math.ceil(seconds * likely)) ?? 0, seconds);
    return take(service.pid, ours, seconds, scenario, databasePids);
  };
  const takeTheirs = () => take(bare.pid, theirs, plan.seconds, { next: () => sample }, () => null);
  let likely = FIRST_GUESS;
  const turns: { our: Turn; their: Turn }[] = [];
  try {
    const warm = await takeOurs(plan.warm);
    await takeTheirs();
    likely = AMPLE * (warm.requests / warm.seconds);
    do turns.push({ our: await takeOurs(plan.seconds), their: await takeTheirs() });
    while (turns.length < plan.turns && performance.now() < plan.until);
  } finally {
    for (const connection of [...ours, ...theirs]) connection.close();
  }
  const failure = turns.find(({ our }) => our.failure)?.our.failure;
  if (failure) console.error(failure);
  return figuresOf(turns);
}

/** Makes activations between turns. If that takes too long, it makes fewer, and the turn ends when they are used up. */
async function stock(port: number, activating: Questions, amount: number, seconds: number): Promise<void> {
  if (amount === 0) return;
  const connections = await openConnections(port, STOCKING);
  await load(connections, AMPLE * seconds, { ...activating, next: atMost(amount, activating.next) });
  for (const connection of connections) connection.close();
}

async function take(
  pid: number,
  connections: readonly Connection[],
  seconds: number,
  questions: Questions,
  databasePids: () => number[] | null,
): Promise<Turn> {
  const database = databasePids();
  const databaseBefore = database && cpuOfEach(database);
  const before = cpuMicroseconds(pid);
  const own = process.cpuUsage();
  const measured = await load(connections, seconds, questions);
  const { user, system } = process.cpuUsage(own);
  const cpu = cpuMicroseconds(pid) - before;
  return {
    ...measured,
    cpu,
    generator: user + system,
    databaseCpu: databaseBefore && cpuSince(databaseBefore, databasePids() ?? []),
  };
}

/**
 * Returns medians of the turns for times and `cpu_us`, and figures of all turns together for rates, shares and
 * `database_cpu_us`.
 */
function figuresOf(turns: readonly { our: Turn; their: Turn }[]): Figures {
  const ours = turns.map(({ our }) => our);
  const theirs = turns.map(({ their }) => their);
  const sum = (of: readonly Turn[], part: (turn: Turn) => number) =>
    of.reduce((total, turn) => total + part(turn), 0);
  const requests = (turn: Turn) => turn.requests;
  const cpuOf = (turn: Turn) => turn.cpu / turn.requests;
  const rate = (of: readonly Turn[]) => Math.round(sum(of, requests) / sum(of, (turn) => turn.seconds));
  const share = (of: readonly Turn[]) =>
    sum(of, (turn) => turn.generator) / 1e6 / sum(of, (turn) => turn.seconds);
  const time = (of: readonly Turn[], part: number) => median(of.map(({ times }) => quantile(times, part)));
  const [cpu, bareCpu] = [median(ours.map(cpuOf)), median(theirs.map(cpuOf))];
  const ratios = turns.map(({ our, their }) => cpuOf(our) / cpuOf(their));
  const apart = ours.map(({ timesApart }) => timesApart).filter(({ length }) => length > 0);
  const apartP99 = median(apart.map((times) => quantile(times, 0.99)));
  const bareP99 = time(theirs, 0.99);
  return {
    rps: rate(ours),
    p50_ms: round(time(ours, 0.5)),
    p99_ms: round(time(ours, 0.99)),
    cpu_us: round(cpu, 1),
    bare_cpu_us: round(bareCpu, 1),
    ratio: round(cpu / bareCpu),
    ratio_spread: [round(Math.min(...ratios)), round(Math.max(...ratios))],
    bare_rps: rate(theirs),
    bare_p99_ms: round(bareP99),
    ...(apart.length > 0 && {
      validate_p99_ms: round(apartP99),
      validate_p99_ratio: round(apartP99 / bareP99),
    }),
    ...(ours[0]?.databaseCpu != null && {
      database_cpu_us: round(sum(ours, (turn) => turn.databaseCpu ?? 0) / sum(ours, requests), 1),
    }),
    generator_share: [round(share(ours)), round(share(theirs))],
    generator_busy: share(ours) > BUSY,
    failed: sum(ours, (turn) => turn.failed),
  };
}

export const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0;
export const round = (n: number, digits = 2): number => Number(n.toFixed(digits));
