import type { PoolFigures, StoreFigures } from '../store/reports/figures.ts';
import type { RequestCounts } from './request-counts.ts';
import { read, type Tally } from './tally.ts';

/** The sources of a process's metrics. They are read when a page is requested. */
export interface Sources {
  info: { version: string; engine: string; schema: string };
  requests: RequestCounts;
  /** The number of successes since the start, by kind, such as `activations`. */
  usage: Readonly<Record<string, number>>;
  jobFailures: Readonly<Record<string, number>>;
  store(): StoreFigures;
  /** Returns the state. Each gauge calls it for the same page at the same time, so the calls should share one read. */
  state(): Promise<State>;
}

/** The state of the installation. A figure is null if it is unknown. */
interface State {
  /** Whether the database answers and has all migrations. */
  isReady: boolean;
  licenses: number | null;
  /** Seconds for which the oldest new audit entry has waited for its place in the chain. */
  chainLag: number | null;
  /** Seconds until the certificate of the signing key ends; less than 0 after that. */
  certificateLeft: number | null;
  /** Event endpoints that Latchkey has stopped. */
  stoppedEndpoints: number | null;
  /** Seconds since the newest backup began. */
  backupAge: number | null;
  /** Free bytes on the disk of the data directory. */
  diskFree: number | null;
}

type Labels = Record<string, string | number>;
export interface Value {
  /** The name of the family, if absent. */
  metricName?: string;
  labels: Labels;
  value: number;
}

/** Metrics of one name. */
export interface Family {
  name: string;
  type: 'counter' | 'gauge' | 'histogram';
  help: string;
  /** How the values of several processes become one. */
  aggregator: 'sum' | 'max' | 'min' | 'first';
  values(): Value[] | Promise<Value[]>;
}

const counter = (name: string, help: string, values: Family['values']): Family => ({
  name,
  type: 'counter',
  help,
  aggregator: 'sum',
  values,
});
const gauge = (
  name: string,
  help: string,
  aggregator: Family['aggregator'],
  values: Family['values'],
): Family => ({ name, type: 'gauge', help, aggregator, values });
const histogram = (
  name: string,
  help: string,
  tallies: () => { labels: Labels; tally: Tally }[],
): Family => ({
  name,
  type: 'histogram',
  help,
  aggregator: 'sum',
  values: () => tallies().flatMap(({ labels, tally }) => bucketsOf(name, labels, read(tally))),
});

const bucketsOf = (name: string, labels: Labels, { upTo, count, sum }: ReturnType<typeof read>): Value[] => [
  ...[...upTo, { bound: '+Inf', count }].map(({ bound, count }) => ({
    metricName: `${name}_bucket`,
    labels: { ...labels, le: bound },
    value: count,
  })),
  { metricName: `${name}_sum`, labels, value: sum },
  { metricName: `${name}_count`, labels, value: count },
];

const one = (value: number | null): Value[] => (value === null ? [] : [{ labels: {}, value }]);
const by = (label: string, values: Iterable<readonly [string | number, number]>, labels = {}): Value[] =>
  Array.from(values, ([name, value]) => ({ labels: { ...labels, [label]: name }, value }));

export const jobFailureCounts = (failures: Sources['jobFailures']): Family =>
  counter('latchkey_job_failures_total', 'Failed runs of background jobs, by name', () =>
    by('name', Object.entries(failures)),
  );

/**
 * Returns the names, types, descriptions and values of all metrics except those of the runtime. docs/operate/monitoring.md
 * lists them.
 */
export function familiesOf({ info, requests, usage, jobFailures, store, state }: Sources): Family[] {
  const ofState = (figure: keyof State) => async () => {
    const value = (await state())[figure];
    return one(value === null ? null : Number(value));
  };
  const ofPools = (values: (pool: PoolFigures) => Value[]) => () =>
    store().pools.flatMap((pool) =>
      values(pool).map((one) => ({ ...one, labels: { pool: pool.name, ...one.labels } })),
    );
  const commits = (which: 'seconds' | 'changes') => () => {
    const tally = store().commits?.[which];
    return tally ? [{ labels: {}, tally }] : [];
  };
  return [
    gauge(
      'latchkey_info',
      'Version of the program, engine of the database, latest migration; always 1',
      'first',
      () => [{ labels: info, value: 1 }],
    ),
    gauge('latchkey_processes', 'Serving processes', 'sum', () => one(1)),
    counter('latchkey_http_requests_total', 'Answers by method, route and status', () =>
      requests.routes.flatMap(({ method, route, statuses }) => by('status', statuses, { method, route })),
    ),
    histogram('latchkey_http_request_duration_seconds', 'Time to answer a request, by method and route', () =>
      requests.routes.map(({ method, route, seconds }) => ({ labels: { method, route }, tally: seconds })),
    ),
    counter('latchkey_refusals_total', 'Refused and failed requests by reason', () =>
      by('reason', requests.refusals),
    ),
    ...Object.keys(usage).map((kind) =>
      counter(`latchkey_${kind}_total`, `Successful ${kind}`, () => one(usage[kind] ?? null)),
    ),
    gauge('latchkey_changes_pending', 'Changes that are waiting or being written', 'sum', () =>
      one(store().pending),
    ),
    histogram('latchkey_commit_duration_seconds', 'Time of a commit to disk (SQLite)', commits('seconds')),
    histogram('latchkey_commit_changes', 'Changes that shared a commit (SQLite)', commits('changes')),
    gauge(
      'latchkey_pool_connections',
      'Open connections by pool and state (PostgreSQL)',
      'sum',
      ofPools(({ open, idle }) => by('state', Object.entries({ idle, busy: open - idle }))),
    ),
    gauge(
      'latchkey_pool_connections_max',
      'Maximum number of connections by pool (PostgreSQL)',
      'sum',
      ofPools(({ max }) => one(max)),
    ),
    gauge(
      'latchkey_pool_waiting',
      'Requests that wait for a connection, by pool (PostgreSQL)',
      'sum',
      ofPools(({ waiting }) => one(waiting)),
    ),
    // Place the gauges that query the database after those of the pools, which would otherwise show these queries.
    gauge(
      'latchkey_ready',
      'Whether the database answers and has all migrations: 1 or 0',
      'min',
      ofState('isReady'),
    ),
    gauge('latchkey_licenses', 'Licenses in the database', 'max', ofState('licenses')),
    gauge(
      'latchkey_audit_chain_lag_seconds',
      'Time that the oldest audit entry without a place in the chain has waited for it',
      'max',
      ofState('chainLag'),
    ),
    gauge(
      'latchkey_certificate_left_seconds',
      'Time until the certificate of the signing key ends, after which programs refuse all leases',
      'min',
      ofState('certificateLeft'),
    ),
    gauge(
      'latchkey_event_endpoints_stopped',
      'Event endpoints that Latchkey has stopped, and nobody has enabled again',
      'max',
      ofState('stoppedEndpoints'),
    ),
    gauge(
      'latchkey_backup_age_seconds',
      'Time since the newest backup with release files in the folder began; absent if there is none',
      'max',
      ofState('backupAge'),
    ),
    gauge(
      'latchkey_disk_free_bytes',
      'Free space on the disk of the data directory',
      'min',
      ofState('diskFree'),
    ),
    jobFailureCounts(jobFailures),
  ];
}
