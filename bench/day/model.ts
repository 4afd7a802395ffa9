import { eachMinute, once, sdk } from './clients.ts';
import { AUDIT_BYTES, COSTS, LICENSE_BYTES, PRIMARY_MIB, PROCESS_MIB } from './costs.ts';
import { MINUTES, ONE_ZONE, peakOf, startsByMinute, WORLD, type Zones } from './curve.ts';
import { busiest, capacityOf, LAYOUTS, type Layout, loadOf, type Mix, waitOf } from './layouts.ts';
import { about, ms, part, SEEN, seenAs, table } from './print.ts';
import { simulate } from './storm.ts';

/** Installs, of which each starts twice a day. */
export const INSTALLS = 10_000_000;
/** Requests of an install in a day. */
const PROGRAMS: Record<string, Mix> = {
  SDK: { renew: 1, note: 1 / 7, seen: 1, update: 1, activate: 0.002 },
  v1: { validate: 2, seen: 2, update: 1, activate: 0.002 },
};
/** A node is planned to be so busy in the busiest minute: the rest is for what nobody has planned. */
const PLANNED = 0.5;
const DAY = 86_400;
/** Connections that wait at each process (`LATCHKEY_MAX_CONNECTIONS`). */
const WAITING = 10_000;

const times = (mix: Mix, n: number): Mix =>
  Object.fromEntries(Object.entries(mix).map(([kind, rate]) => [kind, rate * n]));

/** Requests a second in the busiest minute. */
export const morningOf = (mix: Mix, zones: Zones, installs = INSTALLS): Mix =>
  times(mix, (installs * peakOf(startsByMinute(zones))) / DAY);
export const totalOf = ({ validate = 0, renew = 0, update = 0, activate = 0 }: Mix): number =>
  validate + renew + update + activate;

const VALIDATING: Mix = { validate: 1, seen: 1 };
const RENEWING: Mix = { renew: 1, note: 1 / 7, seen: 1 };

/** What each layout carries. */
export function capacities(): string {
  const peak = peakOf(startsByMinute(WORLD));
  const daily = (layout: Layout, mix: Mix) => about((capacityOf(layout, mix).times * PLANNED * DAY) / peak);
  const head = [
    ...['layout', 'validates a day', 'renewed leases a day', 'activations a day', 'installs', 'breaks first'],
    ...['memory of all nodes, MiB', 'disk for 10,000,000 licenses, GB', 'a year of activations, GB'],
    ...['cores of nodes', 'cores of databases'],
  ];
  const rows = LAYOUTS.map((layout) => {
    const { engine, nodes, processes, databaseCores, parts } = layout;
    const installs = capacityOf(layout, PROGRAMS.SDK as Mix);
    const memory = parts * nodes * (processes * PROCESS_MIB + (processes > 1 ? PRIMARY_MIB : 0));
    return [
      ...[layout.name, daily(layout, VALIDATING), daily(layout, RENEWING), daily(layout, { activate: 1 })],
      ...[daily(layout, PROGRAMS.SDK as Mix), installs.part, about(memory)],
      ((INSTALLS * LICENSE_BYTES[engine]) / 1e9).toFixed(1),
      ((INSTALLS * 0.002 * 365 * (AUDIT_BYTES + LICENSE_BYTES[engine] / 4)) / 1e9).toFixed(1),
      ...[String(parts * nodes * processes), String(parts * databaseCores)],
    ];
  });
  return table(
    `What the layouts carry, ${part(PLANNED)} busy in the busiest minute, which has ${peak.toFixed(1)} times the average`,
    [head, ...rows],
  );
}

/** A usual day of all installs. */
export function usualDay(): string {
  const rows = Object.entries(PROGRAMS).flatMap(([program, mix]) =>
    Object.entries({ 'over the world': WORLD, 'in one time zone': ONE_ZONE }).flatMap(([where, zones]) => {
      const minutes = startsByMinute(zones);
      const morning = morningOf(mix, zones);
      const average = (INSTALLS * totalOf(mix)) / DAY;
      return LAYOUTS.map((layout) => {
        const { part: first, load } = busiest(loadOf(layout, morning));
        const { node } = COSTS[layout.engine][program === 'SDK' ? 'renew' : 'validate'];
        const nodeLoad = loadOf(layout, morning).node;
        const most = minutes.indexOf(Math.max(...minutes));
        return [
          ...[program, where, layout.name, average.toFixed(0), totalOf(morning).toFixed(0)],
          `${Math.floor((most * 24) / MINUTES)}:${String(most % 60).padStart(2, '0')}`,
          ...[part(load), first, ms(waitOf(nodeLoad, node / 1e6))],
        ];
      });
    }),
  );
  const head = [
    ...['programs', 'where', 'layout', 'a second', 'in the busiest minute', 'at (UTC)'],
    ...['busy then', 'part', 'p99 of the wait'],
  ];
  return table(`A day of ${INSTALLS.toLocaleString('en')} installs`, [head, ...rows]);
}

/** All programs start within one minute. */
export function outage(layouts: readonly Layout[] = LAYOUTS): string {
  const rows = layouts.flatMap((layout) =>
    [sdk(5), sdk(5, true), once, eachMinute].map((client) => {
      const capacity = capacityOf(layout, client.asks === 'renew' ? RENEWING : VALIDATING).times;
      const waiting = WAITING * layout.nodes * layout.processes * layout.parts;
      const seen = simulate({ client, clients: INSTALLS, within: 60, capacity, waiting });
      return [layout.name, client.name, (INSTALLS / 60 / capacity).toFixed(1), ...seenAs(seen)];
    }),
  );
  return table(`${INSTALLS.toLocaleString('en')} programs start within one minute`, [
    ['layout', 'programs', 'times what is answered', ...SEEN],
    ...rows,
  ]);
}
