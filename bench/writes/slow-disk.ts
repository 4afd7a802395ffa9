import { openConnections } from '../run/connection.ts';
import { load, type Measured, type Questions, quantile } from '../run/load.ts';
import { median, round } from '../run/turns.ts';
import type { Probe } from './probe.ts';

const ROUNDS = 3;
/** Milliseconds added to each commit. */
const DELAY = 50;
const [READERS, WRITERS] = [16, 16];

export interface Validates {
  rps: number;
  p50_ms: number;
  p99_ms: number;
  /** Activations per second that ran beside the validates. */
  activations_per_s: number;
}

/** Measures validates alone, beside activations, and beside activations on a slow disk. */
export async function measureSlowDisk(
  port: number,
  validate: Questions,
  activate: Questions,
  probe: Probe,
  seconds: number,
): Promise<Record<'alone' | 'beside_writes' | 'beside_slow_writes', Validates>> {
  const readers = await openConnections(port, READERS);
  const writers = await openConnections(port, WRITERS);
  const idle: Questions = { next: () => null };
  const take = async (writes: Questions, delay: number) => {
    probe.delayCommits(delay);
    const both = await Promise.all([load(readers, seconds, validate), load(writers, seconds, writes)]);
    for (const { failed } of both) if (failed > 0) throw new Error(`${failed} requests failed`);
    return both;
  };
  const [alone, beside, besideSlow]: [Measured[][], Measured[][], Measured[][]] = [[], [], []];
  await take(activate, 0);
  for (let nth = 0; nth < ROUNDS; nth++) {
    alone.push(await take(idle, 0));
    beside.push(await take(activate, 0));
    besideSlow.push(await take(activate, DELAY));
  }
  probe.delayCommits(0);
  for (const connection of [...readers, ...writers]) connection.close();
  return {
    alone: figuresOf(alone),
    beside_writes: figuresOf(beside),
    beside_slow_writes: figuresOf(besideSlow),
  };
}

/** Returns the medians of the rounds. A round has the figures of the readers and those of the writers. */
function figuresOf(rounds: Measured[][]): Validates {
  const of = (figure: (measured: Measured) => number, which: number) =>
    median(rounds.map((both) => figure(both[which] as Measured)));
  return {
    rps: Math.round(of(({ requests, seconds }) => requests / seconds, 0)),
    p50_ms: round(of(({ times }) => quantile(times, 0.5), 0)),
    p99_ms: round(of(({ times }) => quantile(times, 0.99), 0)),
    activations_per_s: Math.round(of(({ requests, seconds }) => requests / seconds, 1)),
  };
}
