import { openConnections } from '../run/connection.ts';
import { load, type Questions, quantile } from '../run/load.ts';
import { round } from '../run/turns.ts';
import type { Probe } from './probe.ts';

export interface Grouped {
  activations_per_s: number;
  /** How many activations share one disk sync. */
  activations_per_commit: number;
  p50_ms: number;
  p99_ms: number;
}

/** Measures how well writes are grouped, by the number of clients that activate at once. */
export async function measureCommits(
  port: number,
  activate: Questions,
  probe: Probe,
  seconds: number,
): Promise<Record<string, Grouped>> {
  const figures: Record<string, Grouped> = {};
  for (const count of [1, 16, 64, 256]) {
    const connections = await openConnections(port, count);
    await load(connections, seconds / 2, activate);
    const before = probe.commits();
    const { requests, seconds: took, times, failed } = await load(connections, seconds, activate);
    const commits = probe.commits() - before;
    for (const connection of connections) connection.close();
    if (failed > 0) throw new Error(`${failed} of ${requests} activations failed`);
    figures[`c${count}`] = {
      activations_per_s: Math.round(requests / took),
      activations_per_commit: round(requests / commits, 1),
      p50_ms: round(quantile(times, 0.5)),
      p99_ms: round(quantile(times, 0.99)),
    };
  }
  return figures;
}
