import { AggregatorRegistry, collectDefaultMetrics, type Metric, Registry } from 'prom-client';
import { type Family, familiesOf, jobFailureCounts, type Sources } from './families.ts';

/** The metrics of one process as plain data, which can be sent to another process. */
export type Report = object[];

/** What one process measures. */
export interface Measured {
  /** In the text format of Prometheus. */
  page(): Promise<string>;
  report(): Promise<Report>;
}

/** The metrics of a process that serves: its own, and those of the runtime. */
export function measure(sources: Sources): Measured {
  const registry = new Registry();
  add(registry, familiesOf(sources));
  collectDefaultMetrics({ register: registry });
  // Of several processes the slowest one is of interest, not their average.
  for (const part of ['', '_mean', '_stddev', '_p50', '_p90', '_p99'])
    Object.assign(registry.getSingleMetric(`nodejs_eventloop_lag${part}_seconds`) ?? {}, {
      aggregator: 'max',
    });
  return { page: () => registry.metrics(), report: () => registry.getMetricsAsJSON() };
}

/** The page of several processes together. @param failures of the jobs of the process that supervises them */
export async function sumOf(reports: readonly Report[], failures: Sources['jobFailures']): Promise<string> {
  const own = new Registry();
  add(own, [jobFailureCounts(failures)]);
  return AggregatorRegistry.aggregate([...reports, await own.getMetricsAsJSON()]).metrics();
}

/** Not the library's counters and histograms: they take a microsecond for each value that is counted. */
function add(registry: Registry, families: readonly Family[]): void {
  for (const { values, ...family } of families) {
    const get = async () => ({ ...family, values: await values() });
    registry.registerMetric({ ...family, get } as unknown as Metric);
  }
}
