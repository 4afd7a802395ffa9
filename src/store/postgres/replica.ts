import type { Connection } from '../sql/statement.ts';
import type { Reads } from '../store.ts';
import { isTooSlow } from './errors.ts';

/** Milliseconds for which a failed replica is not used. */
const AWAY_MS = 1_000;

/** Reads from a replica; from the primary where the replica fails, or lacks migrations. */
export function preferring(replica: Connection, primary: Connection): Connection {
  let awayUntil = 0;
  return {
    async execute(text, parameters, kind) {
      if (performance.now() > awayUntil) {
        try {
          return await replica.execute(text, parameters, kind);
        } catch (error) {
          // The statement would take too long on the primary, too.
          if (isTooSlow(error)) throw error;
          awayUntil = performance.now() + AWAY_MS;
        }
      }
      return primary.execute(text, parameters, kind);
    },
  };
}

type Find<Asked extends unknown[], Found> = (...asked: Asked) => Promise<Found | null>;

const orElse =
  <Asked extends unknown[], Found>(one: Find<Asked, Found>, other: Find<Asked, Found>): Find<Asked, Found> =>
  async (...asked) =>
    (await one(...asked)) ?? other(...asked);

/**
 * Reads single records from a replica, and those that it lacks from the primary: a program that is told that its new token
 * is unknown forgets it. If the primary does not answer, such a read fails.
 */
export const orOfPrimary = (replica: Reads, primary: Reads): Reads => ({
  ...replica,
  licenses: {
    ...replica.licenses,
    find: orElse(replica.licenses.find, primary.licenses.find),
    findWithActivations: orElse(replica.licenses.findWithActivations, primary.licenses.findWithActivations),
  },
  activations: {
    ...replica.activations,
    find: orElse(replica.activations.find, primary.activations.find),
    async findByToken(token) {
      const found = await replica.activations.findByToken(token);
      // An activation that has ended on the replica may have been reactivated since.
      return found?.activation.deactivatedAt === null ? found : primary.activations.findByToken(token);
    },
    findByDevice: primary.activations.findByDevice,
    wasDeleted: primary.activations.wasDeleted,
  },
  generators: { ...replica.generators, find: orElse(replica.generators.find, primary.generators.find) },
  software: {
    ...replica.software,
    find: orElse(replica.software.find, primary.software.find),
    findBySlug: orElse(replica.software.findBySlug, primary.software.findBySlug),
  },
  releases: {
    ...replica.releases,
    find: orElse(replica.releases.find, primary.releases.find),
    findByVersion: orElse(replica.releases.findByVersion, primary.releases.findByVersion),
  },
});

/** Combines reads from their sources. Those of `primary` must see the latest commits, which a replica may not have yet. */
export const combined = (primary: Reads, single: Reads, lists: Reads): Reads => ({
  ...primary,
  licenses: {
    ...single.licenses,
    list: (filter, page) => (page.latest ? primary : lists).licenses.list(filter, page),
    after: lists.licenses.after,
  },
  // A lease is valid for days, so it must not be issued from outdated data.
  activations: { ...single.activations, findLeasable: primary.activations.findLeasable },
  generators: { ...single.generators, list: lists.generators.list },
  software: { ...single.software, list: lists.software.list },
  releases: { ...single.releases, list: lists.releases.list },
  downloads: lists.downloads,
  products: lists.products,
  reports: lists.reports,
});
