import type { Activation, LicensedActivation } from '../../domain/activation.ts';
import { type Clock, type Datetime, toDatetime } from '../../domain/datetime.ts';
import type { License } from '../../domain/license.ts';
import { endedAt } from '../../domain/seats.ts';
import type { Reads } from '../../store/store.ts';

/**
 * Reads in which a floating seat that has lapsed is free, and its activation ended, although nobody has recorded that yet:
 * the next activation that needs the seat does.
 */
export function withHeldSeats(read: Reads, clock: Clock): Reads {
  const { activations, licenses, moves } = read;
  const now = () => toDatetime(clock());
  const heldBy = async <Some extends License>(found: readonly Some[]): Promise<Some[]> => {
    const floating = found.filter(({ seatTtl }) => seatTtl > 0).map(({ id }) => id);
    if (floating.length === 0) return found as Some[];
    const lapsed = await activations.lapsed(floating, now());
    return found.map((one) => ({ ...one, timesActivated: one.timesActivated - (lapsed.get(one.id) ?? 0) }));
  };
  const heldByOne = async <Some extends License | null>(found: Some): Promise<Some> =>
    found === null || found.seatTtl === 0 ? found : ((await heldBy([found]))[0] as Some);
  const licensed = async <Some extends LicensedActivation | null>(found: Some): Promise<Some> => {
    if (found === null || (found.license.seatTtl === 0 && found.activation.seatExpiresAt === null))
      return found;
    return { ...found, license: await heldByOne(found.license), activation: ended(found.activation, now()) };
  };
  return {
    ...read,
    licenses: {
      ...licenses,
      find: async (ref) => heldByOne(await licenses.find(ref)),
      async findWithActivations(ref) {
        const found = await licenses.findWithActivations(ref);
        if (found === null || found.license.seatTtl === 0) return found;
        const at = now();
        const license = await heldByOne(found.license);
        return { license, activations: found.activations.map((one) => ended(one, at)) };
      },
      async list(filter, page) {
        const found = await licenses.list(filter, page);
        return { ...found, items: await heldBy(found.items) };
      },
      async search(filter, page) {
        const found = await licenses.search(filter, page);
        return { ...found, items: await heldBy(found.items) };
      },
      after: async (id, limit, filter) => heldBy(await licenses.after(id, limit, filter)),
    },
    activations: {
      ...activations,
      find: async (id) => licensed(await activations.find(id)),
      findByToken: async (token) => licensed(await activations.findByToken(token)),
      async before(licenseId, id) {
        const at = now();
        return (await activations.before(licenseId, id)).map((one) => ended(one, at));
      },
      async search(filter, page) {
        const found = await activations.search({ ...filter, at: now() }, page);
        return { ...found, items: await Promise.all(found.items.map(licensed)) };
      },
    },
    moves: {
      ...moves,
      async activations(after, atMost) {
        const at = now();
        return (await moves.activations(after, atMost)).map((one) => ended(one, at));
      },
    },
  };
}

/** The activation as it is now. */
function ended(activation: Activation, now: Datetime): Activation {
  const deactivatedAt = endedAt(activation, now);
  return deactivatedAt === activation.deactivatedAt
    ? activation
    : { ...activation, deactivatedAt, endedAs: 'lapsed' };
}
