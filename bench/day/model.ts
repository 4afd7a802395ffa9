import { eachMinute, sdk } from './clients.ts';
import { COSTS, PRIMARY_MIB, PROCESS_MIB } from './costs.ts';
import { ONE_ZONE, peakOf, startsByMinute, WORLD, type Zones } from './curve.ts';
import { busiest, capacityOf, LAYOUTS, type Layout, loadOf, type Mix, type Part, waitOf } from './layouts.ts';
import { about, ms, part, SEEN, seenAs, table, whole } from './print.ts';
import { simulate } from './storm.ts';

/** The number of installs. Each starts twice a day. */
export const INSTALLS = 10_000_000;
/** Requests of each install per day. */
const PROGRAMS: Record<string, Mix> = {
  SDK: { renew: 1, note: 1 / 7, seen: 1, update: 1, activate: 0.002 },
  v1: { validate: 2, seen: 2, update: 1, activate: 0.002 },
};
/** The planned load of a node in the busiest minute. The rest is a reserve for the unexpected. */
const PLANNED = 0.5;
const DAY = 86_400;
/** Connections that can wait at each process (`LATCHKEY_MAX_CONNECTIONS`). */
const WAITING = 10_000;

const times = (mix: Mix, n: number): Mix =>
  Object.fromEntries(Object.entries(mix).map(([kind, rate]) => [kind, rate * n]));

/** Returns the requests per second in the busiest minute. */
export const morningOf = (mix: Mix, zones: Zones, installs = INSTALLS): Mix =>
  times(mix, (installs * peakOf(startsByMinute(zones))) / DAY);
export const totalOf = ({ validate = 0, renew = 0, update = 0, activate = 0 }: Mix): number =>
  validate + renew + update + activate;

const VALIDATING: Mix = { validate: 1, seen: 1 };
const RENEWING: Mix = { renew: 1, note: 1 / 7, seen: 1 };
const ACTIVATING: Mix = { activate: 1 };

const BREAKS: Record<Part, string> = {
  node: 'the cores that answer',
  writer: 'SQLite’s writer',
  database: 'the cores of the database',
};

// The functions below return the tables of docs/scaling.md.

/** Returns the table of what each layout carries. */
export function capacities(): string {
  const peak = peakOf(startsByMinute(WORLD));
  const head = [
    ...[
      'layout',
      'installs',
      'validates a day',
      'renewed leases a day',
      'activations a day',
      'memory of nodes',
    ],
    ...['cores of nodes', 'cores of databases', 'breaks first'],
  ];
  const rows = LAYOUTS.map((layout) => {
    const { nodes, processes, databaseCores, parts } = layout;
    const carried = [PROGRAMS.SDK as Mix, VALIDATING, RENEWING, ACTIVATING].map((mix) =>
      capacityOf(layout, mix),
    );
    const memory = parts * nodes * (processes * PROCESS_MIB + (processes > 1 ? PRIMARY_MIB : 0));
    return [
      ...[layout.name, ...carried.map(({ times }) => about((times * PLANNED * DAY) / peak))],
      ...[`${whole(memory)} MiB`, String(parts * nodes * processes)],
      ...[databaseCores === 0 ? '' : String(parts * databaseCores), breaks(carried.map((one) => one.part))],
    ];
  });
  return table([head, ...rows]);
}

/** Names the part that breaks first under a mix of installs, and kinds of requests that break another part first. */
function breaks([installs, ...others]: readonly Part[]): string {
  const names = ['validates', 'renewals', 'activations'];
  const other = others.find((one) => one !== installs);
  if (!other) return BREAKS[installs as Part];
  const kinds = names.filter((_, i) => others[i] === other);
  return `${BREAKS[installs as Part]}; for ${kinds.join(' and ')}, ${BREAKS[other]}`;
}

/** Returns the table of a usual day of all installs. */
export function usualDay(): string {
  const layouts = LAYOUTS.slice(0, 5);
  const head = [
    ...[
      'programs',
      'where',
      'requests a second',
      'in the busiest minute',
      ...layouts.map(({ name }) => name),
    ],
    'p99 of the wait, SQLite',
  ];
  const rows = Object.entries(PROGRAMS).flatMap(([program, mix]) =>
    Object.entries({ 'the world': WORLD, 'one time zone': ONE_ZONE }).map(([where, zones]) => {
      const morning = morningOf(mix, zones);
      const [sqlite] = layouts as [Layout];
      const { node } = COSTS.sqlite[program === 'SDK' ? 'renew' : 'validate'];
      return [
        ...[program, where, whole((INSTALLS * totalOf(mix)) / DAY), whole(totalOf(morning))],
        ...layouts.map((layout) => part(busiest(loadOf(layout, morning)).load)),
        ms(waitOf(loadOf(sqlite, morning).node, node / 1e6)),
      ];
    }),
  );
  return table([head, ...rows]);
}

/** Returns the table of an outage, after which all programs start within one minute. */
export function outage(): string {
  const rows = LAYOUTS.flatMap((layout, i) =>
    [sdk(5, true), ...(i === 0 ? [sdk(5)] : []), eachMinute].map((client) => {
      const capacity = capacityOf(layout, client.asks === 'renew' ? RENEWING : VALIDATING).times;
      const waiting = WAITING * layout.nodes * layout.processes * layout.parts;
      const seen = simulate({ client, clients: INSTALLS, within: 60, capacity, waiting });
      return [layout.name, client.name, (INSTALLS / 60 / capacity).toFixed(1), ...seenAs(seen)];
    }),
  );
  return table([['layout', 'programs', 'times too many', ...SEEN], ...rows]);
}
