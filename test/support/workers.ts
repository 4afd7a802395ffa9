import type { Credentials } from '../../src/app/api-keys/credentials.ts';
import { ENGINE } from './engine.ts';
import { basicHeader, type Record_ } from './http/api.ts';
import { Wire, type WireAnswer } from './http/wire.ts';
import { type RunningProcess, startProcess } from './process.ts';
import { until } from './until.ts';

/** Number of workers without LATCHKEY_WORKERS. Each takes half a second of processor time to start. */
export const WORKERS = 2;

export interface RunningWorkers extends RunningProcess {
  port: number;
  /** Returns all complete lines of the log. */
  logs(): Record_[];
  /** Returns the process ids of the workers that have listened, in that order. */
  workerIds(): number[];
  /** Opens connections that stay open, by default more than there are workers. */
  connections(count?: number): Promise<Connection[]>;
}

export interface Connection extends Wire {
  get(path: string, options?: { credentials?: Credentials; from?: string }): Promise<WireAnswer>;
}

/** Repeats a request if PostgreSQL, which serves other tests at the same time, answers too late for the service. */
export async function answeredInTime<Answer extends { status: number }>(
  ask: () => Promise<Answer>,
): Promise<Answer> {
  const answer = await ask();
  return ENGINE === 'postgres' && answer.status === 503 ? ask() : answer;
}

/** Starts the service with several processes. */
export async function startWorkers(
  t: { after(stop: () => unknown): void },
  dataDir: string,
  options: { env?: Record<string, string>; credentials?: Credentials } = {},
): Promise<RunningWorkers> {
  const env = { LATCHKEY_WORKERS: String(WORKERS), ...options.env };
  const api = await startProcess(t, dataDir, { ...options, env });
  const port = Number(new URL(api.origin).port);
  const logs = () =>
    api
      .output()
      .split('\n')
      // The last line is incomplete or empty.
      .slice(0, -1)
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line));

  async function connection(): Promise<Connection> {
    const wire = await Wire.open(port);
    t.after(() => wire.close());
    const get: Connection['get'] = (path, { credentials = api.credentials, from } = {}) => {
      const lines = [
        `GET /wp-json/dlm/v1${path} HTTP/1.1`,
        'Host: x',
        `Authorization: ${basicHeader(credentials)}`,
        ...(from ? [`X-Forwarded-For: ${from}`] : []),
      ];
      return answeredInTime(() => wire.write(`${lines.join('\r\n')}\r\n\r\n`).answer());
    };
    return Object.assign(wire, { get });
  }
  const workerIds = () =>
    logs().flatMap(({ pid, msg }) => (msg?.startsWith('Server listening') ? [pid] : []));
  // The last worker may report to the primary process before it writes to the log.
  await until(() => workerIds().length === Number(env.LATCHKEY_WORKERS));
  return {
    ...api,
    port,
    logs,
    workerIds,
    connections: (count = 12) => Promise.all(Array.from({ length: count }, connection)),
  };
}

export const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
