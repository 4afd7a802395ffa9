import { setTimeout } from 'node:timers/promises';
import { ask, type Request } from '../run/connection.ts';
import { cpuMicroseconds } from '../run/cpu.ts';
import { type Questions, quantile } from '../run/load.ts';
import type { Server } from '../run/processes.ts';
import { post } from '../run/scenarios.ts';
import { AUTHORIZATION } from '../run/session.ts';
import { round } from '../run/turns.ts';

const AMOUNT = 100_000;
const ROUNDS = 3;
const TEMPLATE = {
  name: 'Bench',
  charset: 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789',
  chunks: 4,
  chunk_length: 5,
  separator: '-',
  activations_limit: 3,
};
/** Milliseconds between two requests. */
const [READS_EVERY, WRITES_EVERY] = [5, 50];

interface Times {
  requests: number;
  p50_ms: number;
  p99_ms: number;
  slowest_ms: number;
}

export interface Generated {
  /** Generation alone, for each round: wall time, and processor time of all threads of the service. */
  seconds: number[];
  cpu_s: number[];
  /** Generation beside the requests below, for each round. The requests are of all rounds. */
  seconds_beside: number[];
  reads: Times;
  writes: Times;
}

/** Measures generating and saving 100,000 keys, alone and beside validates and activations at a steady pace. */
export async function measureGenerate(
  { port, pid }: Server,
  validate: Questions,
  activate: Questions,
): Promise<Generated> {
  const { text } = await ask(port, post('/generators', TEMPLATE));
  const id = Number(/"id":(\d+)/.exec(text)?.[1]);
  const [alone, cpu, beside]: [number[], number[], number[]] = [[], [], []];
  const [reads, writes]: [number[], number[]] = [[], []];
  while (alone.length < ROUNDS) {
    const before = cpuMicroseconds(pid);
    alone.push(await generate(port, id));
    cpu.push((cpuMicroseconds(pid) - before) / 1e6);
    const generating = generate(port, id);
    const times = await Promise.all([
      steady(port, READS_EVERY, validate, generating),
      steady(port, WRITES_EVERY, activate, generating),
    ]);
    reads.push(...times[0]);
    writes.push(...times[1]);
    beside.push(await generating);
  }
  const inOrder = (times: number[]) => times.sort((a, b) => a - b);
  return {
    seconds: alone.map((time) => round(time)),
    cpu_s: cpu.map((time) => round(time)),
    seconds_beside: beside.map((time) => round(time)),
    reads: timesOf(inOrder(reads)),
    writes: timesOf(inOrder(writes)),
  };
}

const timesOf = (times: readonly number[]): Times => ({
  requests: times.length,
  p50_ms: round(quantile(times, 0.5)),
  p99_ms: round(quantile(times, 0.99)),
  slowest_ms: round(quantile(times, 1)),
});

/** Returns the seconds that generating takes. */
async function generate(port: number, id: number): Promise<number> {
  const begun = performance.now();
  const response = await fetch(`http://127.0.0.1:${port}/wp-json/dlm/v1/generators/${id}/generate`, {
    method: 'POST',
    headers: { authorization: AUTHORIZATION, 'content-type': 'application/json' },
    body: JSON.stringify({ amount: AMOUNT, save: true }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`generate: ${response.status} ${text}`);
  return (performance.now() - begun) / 1_000;
}

/** Sends requests at a fixed interval, without waiting for earlier answers. @returns the milliseconds of each */
async function steady(
  port: number,
  every: number,
  { next }: Questions,
  until: Promise<unknown>,
): Promise<number[]> {
  let over = false;
  void until.finally(() => {
    over = true;
  });
  const sent: Promise<number>[] = [];
  const start = performance.now();
  while (!over) {
    // Count from the time when a request was due: a delayed client would hide what others would have waited.
    const due = start + sent.length * every;
    await setTimeout(Math.max(0, due - performance.now()));
    sent.push(timed(port, next() as Request, due));
  }
  return Promise.all(sent);
}

async function timed(port: number, request: Request, due: number): Promise<number> {
  const { status, text } = await ask(port, request);
  if (status !== 200) throw new Error(`${request.split('\r\n')[0]} was answered with ${text}`);
  return performance.now() - due;
}
