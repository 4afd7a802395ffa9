import type { Activation, LicensedActivation } from '../../domain/activation.ts';
import { type Clock, type Datetime, toDatetime } from '../../domain/datetime.ts';
import type { License } from '../../domain/licenses/license.ts';
import { endedAt } from '../../domain/seats.ts';
import { ACTIVATIONS_AT_ONCE, type Reads } from '../../store/store.ts';

/** Returns licenses whose `timesActivated` leaves out lapsed seats that are not recorded as ended yet. */
export async function allAsHeld<Some extends License>(
  { activations }: Pick<Reads, 'activations'>,
  licenses: readonly Some[],
  now: Datetime,
): Promise<Some[]> {
  const floating = licenses.filter(({ seatTtl }) => seatTtl > 0).map(({ id }) => id);
  if (floating.length === 0) return licenses as Some[];
  const lapsed = await activations.lapsed(floating, now);
  return licenses.map((one) => ({ ...one, timesActivated: one.timesActivated - (lapsed.get(one.id) ?? 0) }));
}

/** Does the same for one license, for the results of commands. */
export const asHeld = async <Some extends License>(
  reads: Pick<Reads, 'activations'>,
  license: Some,
  now: Datetime,
): Promise<Some> => (license.seatTtl === 0 ? license : ((await allAsHeld(reads, [license], now))[0] as Some));

/**
 * Returns reads that show a lapsed floating seat as free, and its activation as ended, before that is recorded. The next
 * activation that needs the seat records it.
 */
export function withHeldSeats(read: Reads, clock: Clock): Reads {
  const { activations, licenses, moves } = read;
  const now = () => toDatetime(clock());
  const heldBy = <Some extends License>(found: readonly Some[]) => allAsHeld(read, found, now());
  const licensed = async <Some extends LicensedActivation>(found: readonly Some[]): Promise<Some[]> => {
    const at = now();
    const distinct = new Map(found.map(({ license }) => [license.id, license]));
    const held = await allAsHeld(read, [...distinct.values()], at);
    const byId = new Map(held.map((license) => [license.id, license]));
    return found.map((one) => ({
      ...one,
      license: byId.get(one.license.id) ?? one.license,
      activation: asOf(one.activation, at),
    }));
  };
  const licensedOne = async <Some extends LicensedActivation>(found: Some | null): Promise<Some | null> =>
    found === null || (found.license.seatTtl === 0 && found.activation.seatExpiresAt === null)
      ? found
      : ((await licensed([found]))[0] ?? null);
  return {
    ...read,
    licenses: {
      ...licenses,
      async find(ref) {
        const found = await licenses.find(ref);
        return found && asHeld(read, found, now());
      },
      async findWithActivations(ref) {
        const found = await licenses.findWithActivations(ref);
        if (found === null || found.license.seatTtl === 0) return found;
        const at = now();
        const all = found.activations.map((one) => asOf(one, at));
        // If all activations were read, count them, so that the number describes the same moment.
        const isAll = all.length < ACTIVATIONS_AT_ONCE;
        const lapsed = all.filter(({ deactivatedAt }) => deactivatedAt !== null).length;
        const license = isAll
          ? { ...found.license, timesActivated: found.license.timesActivated - lapsed }
          : await asHeld(read, found.license, at);
        return { license, activations: all };
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
      find: async (id) => licensedOne(await activations.find(id)),
      findByToken: async (token) => licensedOne(await activations.findByToken(token)),
      findLeasable: async (token) => licensedOne(await activations.findLeasable(token)),
      async before(licenseId, id) {
        const at = now();
        return (await activations.before(licenseId, id)).map((one) => asOf(one, at));
      },
      async search(filter, page) {
        const found = await activations.search({ ...filter, at: now() }, page);
        return { ...found, items: await licensed(found.items) };
      },
    },
    moves: {
      ...moves,
      async activations(after, atMost) {
        const at = now();
        return (await moves.activations(after, atMost)).map((one) => asOf(one, at));
      },
    },
  };
}

/** Returns an activation as ended if its seat has lapsed. */
function asOf(activation: Activation, now: Datetime): Activation {
  const deactivatedAt = endedAt(activation, now);
  return deactivatedAt === activation.deactivatedAt
    ? activation
    : { ...activation, deactivatedAt, endedAs: 'lapsed' };
}
