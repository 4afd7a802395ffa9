import { isDeepStrictEqual } from 'node:util';
import type { Activation, LicensedActivation } from '../../domain/activation.ts';
import type { Fact } from '../../domain/audit.ts';
import type { Datetime } from '../../domain/datetime.ts';
import {
  EVENT_TYPES,
  type EventObject,
  type EventType,
  type EventValues,
  type NewEvent,
} from '../../domain/events/event.ts';
import {
  activationValues,
  apiKeyValues,
  generatorValues,
  licenseValues,
  productsOf,
  releaseValues,
  softwareValues,
} from '../../domain/events/event-objects.ts';
import { DISABLED, isExpired, isRenewed, type License } from '../../domain/licenses/license.ts';
import type { Release } from '../../domain/releases/release.ts';
import type { Software } from '../../domain/releases/software.ts';
import { isWanted, type Transaction } from '../../store/store.ts';

/** Writes the events for the facts of one command that at least one endpoint wants. */
export async function tellFacts(
  { events, software }: Pick<Transaction, 'events' | 'software'>,
  facts: readonly Fact[],
  at: Datetime,
): Promise<void> {
  if (facts.length === 0) return;
  const wanted = await events.wanted();
  if (wanted.size === 0) return;
  const made: NewEvent[] = [];
  for (const fact of facts) {
    const undone = undoneExpiry(fact, at);
    // The license may get this expiry again, as by the undo of an extension: let it send license.expired again.
    if (undone !== null) await events.free(onceExpired(fact.id as number, undone));
    const told = eventsOf(fact, at).filter(({ type }) => isWanted(wanted, type));
    if (fact.batch && isWanted(wanted, 'license.created')) await events.insertBatch(fact.batch, at);
    made.push(...(await withProducts(told, fact, software)));
  }
  if (made.length > 0) await events.insert(made, at);
}

/** Adds products to the events of a release: the products of its software. */
async function withProducts(
  told: readonly NewEvent[],
  { before, after }: Fact,
  software: Transaction['software'],
): Promise<readonly NewEvent[]> {
  if (told[0]?.object !== 'release') return told;
  const { softwareId } = (after ?? before) as Release;
  const productIds = (await software.find(softwareId))?.productIds ?? null;
  return told.map((event) => ({ ...event, productIds }));
}

/** Returns the `once` text of an expiry event. A change and `tell-expiries` may both write that event; only one is kept. */
export const onceExpired = (id: number, expiresAt: Datetime): string => `expired ${id} ${expiresAt}`;

/** Returns the expiry of a license that was expired before a change and is not after it; otherwise null. */
function undoneExpiry({ action, before, after }: Fact, now: Datetime): Datetime | null {
  if (action !== 'license.update' || !before || !after) return null;
  const [was, is] = [before, after] as [License, License];
  return isExpired(was, now) && !isExpired(is, now) ? was.expiresAt : null;
}

/** Returns the events of a fact, whether or not an endpoint wants them. */
export function eventsOf(fact: Fact, now: Datetime): NewEvent[] {
  const { action, id, before, after } = fact;
  if (action.startsWith('activation.')) return eventsOfSeat(fact, now);
  if (action === 'license.move_in') return [movedIn(fact)];
  const noun = action.slice(0, action.indexOf('.')) as EventObject;
  const object = OBJECTS[noun];
  const type = (action === 'api_key.replace_secret' ? 'api_key.updated' : `${action}d`) as EventType;
  if (!object || !EVENT_TYPES.includes(type)) return [];
  // No event for an update that changed only `updatedAt` and `updatedBy`. Values that events hide, such as a key, count.
  if (before && after && !isChanged(before, after)) return [];
  const productsIn = (one: object | undefined) => object.productsOf?.(one as never) ?? null;
  const valuesOf = (one: object) => object.values(one as never, now);
  const record = after ?? before;
  const data = record ? valuesOf(record) : null;
  const previous = before && after ? previousValues(valuesOf(before), data ?? {}) : null;
  // Also tell the endpoints of a product that the record has left.
  const productIds = union(productsIn(before), productsIn(record));
  const types: Typed[] = [{ type }, ...(object.further?.(fact, now) ?? [])];
  return types.map(({ type, once }) => {
    const event = { type, object: noun, objectId: id, productIds, data };
    return { ...event, ...(previous && { previous }), ...(once && { once }) };
  });
}

const union = (one: readonly number[] | null, other: readonly number[] | null) =>
  one && other ? [...new Set([...one, ...other])] : (one ?? other);

interface Typed {
  type: EventType;
  once?: string;
}
/** The event of a license that has expired. */
const expired = ({ id, expiresAt }: License): Typed => ({
  type: 'license.expired',
  once: onceExpired(id, expiresAt as Datetime),
});

interface Told {
  /** Returns the fields that the API shows. */
  values(record: never, now: Datetime): EventValues;
  productsOf?(record: never): readonly number[] | null;
  /** Returns the events for particular changes, which follow the one that the action names. */
  further?(fact: Fact, now: Datetime): Typed[];
}
/** The records whose changes are events. The type of the first event is the action in the past tense. */
const OBJECTS: Partial<Record<EventObject, Told>> = {
  license: {
    values: licenseValues,
    productsOf,
    further({ before, after, deletedAt }, now) {
      const [was, is] = [before, after] as [License | undefined, License | undefined];
      // `tell-expiries` does not see what expires in the trash.
      if (is && deletedAt) return isExpired(is, now) && !isExpired(is, deletedAt) ? [expired(is)] : [];
      if (!was || !is) return [];
      const types: Typed[] = [];
      if (was.status !== DISABLED && is.status === DISABLED) types.push({ type: 'license.disabled' });
      if (was.status === DISABLED && is.status !== DISABLED) types.push({ type: 'license.enabled' });
      if (isRenewed(was, is)) types.push({ type: 'license.renewed' });
      if (isExpired(is, now) && !isExpired(was, now)) types.push(expired(is));
      return types;
    },
  },
  generator: { values: generatorValues },
  software: {
    values: softwareValues,
    productsOf: (software: Software | undefined) => software?.productIds ?? null,
  },
  release: {
    values: releaseValues,
    further({ before, after }) {
      const [was, is] = [before, after] as [Release | undefined, Release | undefined];
      if (!is || is.status === was?.status) return [];
      if (is.status === 'published') return [{ type: 'release.published' }];
      return is.status === 'yanked' ? [{ type: 'release.yanked' }] : [];
    },
  },
  api_key: { values: apiKeyValues },
};

/** Returns the earlier values of the fields that differ, except `updated_at` and `updated_by`. */
function previousValues(before: EventValues, after: EventValues): EventValues {
  const differs = (name: string) => JSON.stringify(before[name]) !== JSON.stringify(after[name]);
  const names = Object.keys(before).filter((name) => name !== 'updated_at' && name !== 'updated_by');
  return Object.fromEntries(names.filter(differs).map((name) => [name, before[name]]));
}

function isChanged(before: object, after: object): boolean {
  const valuesOf = (record: object) => ({ ...record, updatedAt: null, updatedBy: null });
  return !isDeepStrictEqual(valuesOf(before), valuesOf(after));
}

const SEAT_EVENTS: Readonly<Record<string, EventType>> = {
  'activation.create': 'activation.created',
  'activation.reactivate': 'activation.reactivated',
  'activation.deactivate': 'activation.ended',
  'activation.delete': 'activation.ended',
};

function eventsOfSeat({ action, seat, lapsed }: Fact, now: Datetime): NewEvent[] {
  if (lapsed)
    return lapsed.ids.map((objectId) => ({
      type: 'activation.ended',
      object: 'activation',
      objectId,
      data: null,
      productIds: productsOf(lapsed),
    }));
  const type = SEAT_EVENTS[action];
  if (!type || !seat) return [];
  if (isTaken(seat.activation)) return [seatEvent('activation.reclaimed', seat, now)];
  if (type !== 'activation.ended') return [seatEvent(type, seat, now)];
  return [seatEvent(type, { ...seat, activation: { ...seat.activation, endedAs: 'deactivated' } }, now)];
}

const isTaken = ({ deactivatedAt, endedAs }: Activation): boolean =>
  deactivatedAt !== null && (endedAs === 'reclaimed' || endedAs === 'taken_over');

const seatEvent = (
  type: EventType,
  { activation, license }: LicensedActivation,
  now: Datetime,
): NewEvent => ({
  type,
  object: 'activation',
  objectId: activation.id,
  productIds: productsOf(license),
  data: activationValues(activation, license, now),
});

const movedIn = ({ about = {} }: Fact): NewEvent => ({
  type: 'license.moved_in',
  object: 'move',
  objectId: null,
  productIds: null,
  data: about,
});
