import { AggregatorRegistry, collectDefaultMetrics, type Metric, Registry } from 'prom-client';
import { type Family, familiesOf, jobFailureCounts, type Sources } from './families.ts';

/** Metrics of which several processes report the highest value, not the sum: the limits apply to each process. */
const HIGHEST = [
  ...['', '_mean', '_stddev', '_p50', '_p90', '_p99'].map((part) => `nodejs_eventloop_lag${part}_seconds`),
  'nodejs_heap_size_used_bytes',
  'process_open_fds',
  'process_max_fds',
];

/** The metrics of one process as plain data, which can be sent to another process. */
export type Report = object[];

/** Returns the metrics of a serving process, including those of the Node.js runtime. */
export function measure(sources: Sources) {
  const registry = new Registry();
  add(registry, familiesOf(sources));
  collectDefaultMetrics({ register: registry });
  for (const name of HIGHEST) Object.assign(registry.getSingleMetric(name) ?? {}, { aggregator: 'max' });
  return {
    /** Returns the metrics in the text format of Prometheus. */
    page: () => registry.metrics(),
    report: (): Promise<Report> => registry.getMetricsAsJSON(),
  };
}

/** Returns one page for several processes. @param failures the job failures of the primary process */
export async function sumOf(reports: readonly Report[], failures: Sources['jobFailures']): Promise<string> {
  const own = new Registry();
  add(own, [jobFailureCounts(failures)]);
  return AggregatorRegistry.aggregate([...reports, await own.getMetricsAsJSON()]).metrics();
}

/**
 * Adds metrics that are read when a page is requested. The library's own counters and histograms take a microsecond per
 * counted value.
 */
function add(registry: Registry, families: readonly Family[]): void {
  for (const { values, ...family } of families) {
    const get = async () => ({ ...family, values: await values() });
    registry.registerMetric({ ...family, get } as unknown as Metric);
  }
}
