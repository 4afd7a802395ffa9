/**
 * The processor time of requests in µs, with 10,000,000 licenses. Everything in docs/scaling.md is computed from these
 * figures; its table of costs repeats them. `npm run measure:day` measures them on the machine that it runs on.
 */
export interface Cost {
  /** On the thread that answers requests. Each process has one. */
  node: number;
  /** On SQLite's writer, which all processes share. Includes waiting for the disk. */
  writer: number;
  /** In PostgreSQL's processes. */
  database: number;
}

/**
 * `validate` and `update` are requests of the v1 API. `renew` is a validate of the client API with a nonce, which signs
 * a lease; `note` is its weekly write for each device, estimated at the cost of an activation. `activate` takes a seat.
 * `seen` records that a device was seen: once in six hours for each device, in batches. `connection` is a new
 * connection for one request, if the proxy keeps none open.
 */
export type Kind = 'validate' | 'renew' | 'note' | 'update' | 'activate' | 'seen' | 'connection';
export type Engine = 'sqlite' | 'postgres';

export const COSTS: Record<Engine, Record<Kind, Cost>> = {
  sqlite: {
    validate: { node: 55, writer: 0, database: 0 },
    renew: { node: 128, writer: 0, database: 0 },
    note: { node: 66, writer: 149, database: 0 },
    update: { node: 106, writer: 0, database: 0 },
    activate: { node: 66, writer: 149, database: 0 },
    seen: { node: 2, writer: 20, database: 0 },
    connection: { node: 100, writer: 0, database: 0 },
  },
  postgres: {
    validate: { node: 113, writer: 0, database: 61 },
    renew: { node: 185, writer: 0, database: 61 },
    note: { node: 306, writer: 0, database: 288 },
    update: { node: 340, writer: 0, database: 191 },
    activate: { node: 306, writer: 0, database: 288 },
    seen: { node: 8, writer: 0, database: 50 },
    connection: { node: 100, writer: 0, database: 0 },
  },
};

/**
 * The factor on the cost of writing while several processes write to one SQLite file (docs/decisions/0008-workers.md).
 */
export const SHARED_WRITER = 1.3;

/** Memory in MiB of a process, and of the primary process of workers. */
export const PROCESS_MIB = 200;
export const PRIMARY_MIB = 100;
