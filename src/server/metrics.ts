import type { Worker } from 'node:cluster';
import { type EventEmitter, on } from 'node:events';
import { oneAtATime } from '../app/one-at-a-time.ts';
import type { Installation } from '../app/reports/installation.ts';
import type { Config } from '../config/config.ts';
import { readFigures } from '../installation/figures.ts';
import type { Service } from '../installation/service.ts';
import type { Report } from '../metrics/registry.ts';
import { RequestCounts } from '../metrics/request-counts.ts';
import type { JobFailures } from './job-failures.ts';

/** Milliseconds that the primary process waits for each worker, and a worker for the primary process. */
const WORKER_MS = 4_000;
const PRIMARY_MS = 5_000;

/** Messages about metrics, from a worker to the primary process and back. */
export type MetricsFromWorker = { wants: 'metrics' } | { report: Report };
export type MetricsToWorker = 'report metrics' | { metrics: string | null };

export const wantsMetrics = ({ metricsPort, metricsToken }: Config): boolean =>
  metricsPort !== null || metricsToken !== null;

/** Opens the metrics of this process. @param sum returns the page for all processes, if there are several */
export async function openMetrics(
  config: Config,
  service: Service,
  { version, database, schema }: Installation,
  jobFailures: JobFailures,
  sum?: () => Promise<string>,
) {
  // Loaded on demand, because most installations do not use metrics.
  const { measure } = await import('../metrics/registry.ts');
  const requests = new RequestCounts();
  const { page, report } = measure({
    info: { version, engine: database.kind, schema },
    requests,
    usage: service.usage.totals,
    jobFailures,
    store: service.store.figures,
    state: oneAtATime(() => readFigures(config, service)).start,
  });
  return { counts: requests, token: config.metricsToken, page: oneAtATime(sum ?? page).start, report };
}

/** Sums the metrics of workers, in the primary process. @throws if a worker does not report in time */
export async function gatherMetrics(workers: readonly Worker[], failures: JobFailures): Promise<string> {
  const { sumOf } = await import('../metrics/registry.ts');
  const reports = await Promise.all(
    workers.map((worker) => {
      const report = answered<Report>(worker, 'report', WORKER_MS);
      worker.send('report metrics' satisfies MetricsToWorker);
      return report;
    }),
  );
  return sumOf(reports, failures);
}

/**
 * Asks the primary process for the metrics of all workers. Runs in a worker.
 * @throws if the primary process has none, or does not answer in time
 */
export async function askPrimary(): Promise<string> {
  const answer = answered<string | null>(process, 'metrics', PRIMARY_MS);
  if (process.connected) process.send?.({ wants: 'metrics' } satisfies MetricsFromWorker);
  const page = await answer;
  if (page === null) throw new Error('a worker did not report its metrics in time');
  return page;
}

/** Waits for a message that has the key, and returns its value. @throws if none arrives within `patience` milliseconds */
export async function answered<T>(from: EventEmitter, key: string, patience: number): Promise<T> {
  for await (const [message] of on(from, 'message', { signal: AbortSignal.timeout(patience) })) {
    if (typeof message === 'object' && key in message) return message[key];
  }
  throw new Error(`no message with ${key}`);
}
