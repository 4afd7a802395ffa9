import { COSTS, type Engine, type Kind, SHARED_WRITER } from './costs.ts';

/** The machines and processes of an installation. */
export interface Layout {
  name: string;
  engine: Engine;
  nodes: number;
  /** Processes of each node (`LATCHKEY_WORKERS`), each with its own core. */
  processes: number;
  /** Cores of each PostgreSQL primary; 0 on SQLite. */
  databaseCores: number;
  /** Separate installations, each with its own nodes and database, and a share of the licenses. */
  parts: number;
}

const sqlite = (name: string, processes: number): Layout => ({
  name,
  engine: 'sqlite',
  nodes: 1,
  processes,
  databaseCores: 0,
  parts: 1,
});
const postgres = (nodes: number, databaseCores: number, parts = 1): Layout => ({
  name: `${parts > 1 ? `${parts} × ` : ''}PostgreSQL, ${nodes} ${nodes === 1 ? 'node' : 'nodes'}`,
  engine: 'postgres',
  nodes,
  processes: 1,
  databaseCores,
  parts,
});

export const LAYOUTS: readonly Layout[] = [
  sqlite('SQLite', 1),
  sqlite('SQLite, 4 workers', 4),
  postgres(1, 2),
  postgres(2, 2),
  postgres(4, 4),
  postgres(10, 8),
  postgres(10, 8, 4),
];

/** Requests per second of each kind. */
export type Mix = Partial<Record<Kind, number>>;
export type Part = 'node' | 'writer' | 'database';

/** Returns the load that a mix puts on each part: 1 is all that the part can do. */
export function loadOf(
  { engine, nodes, processes, databaseCores, parts }: Layout,
  mix: Mix,
): Record<Part, number> {
  const cores = (part: Part): number =>
    Object.entries(mix).reduce(
      (sum, [kind, rate]) => sum + (rate * COSTS[engine][kind as Kind][part]) / 1e6,
      0,
    ) / parts;
  return {
    node: cores('node') / (nodes * processes),
    writer: cores('writer') * (processes > 1 ? SHARED_WRITER : 1),
    database: databaseCores === 0 ? 0 : cores('database') / databaseCores,
  };
}

/** Returns the busiest part, which breaks first. */
export function busiest(load: Record<Part, number>): { part: Part; load: number } {
  const [part, most] = Object.entries(load).sort(([, one], [, other]) => other - one)[0] as [Part, number];
  return { part, load: most };
}

/** Returns how many times over a layout can do a mix, and the part that limits it. */
export function capacityOf(layout: Layout, mix: Mix): { times: number; part: Part } {
  const { part, load } = busiest(loadOf(layout, mix));
  return { times: 1 / load, part };
}

/**
 * Returns the seconds within which 99 of 100 requests get their turn, with random arrivals at a single server and
 * exponential service times.
 */
export function waitOf(load: number, requestSeconds: number): number {
  if (load >= 1) return Number.POSITIVE_INFINITY;
  return (Math.max(0, Math.log(load / 0.01)) * requestSeconds) / (1 - load);
}
