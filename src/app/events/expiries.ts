import { SYSTEM } from '../../domain/actor.ts';
import { addDays, addSeconds, type Datetime } from '../../domain/datetime.ts';
import type { NewEvent } from '../../domain/events/event.ts';
import { licenseValues, productsOf } from '../../domain/events/event-objects.ts';
import { MAX_REFERENCE } from '../../domain/fields.ts';
import { type ExpiringLicense, isWanted, StoreDamaged, type Transaction } from '../../store/store.ts';
import { defineCommand, type Executes } from '../command.ts';
import { asHeld } from '../licenses/held-seats.ts';
import { onceExpired } from './policy.ts';

/** Licenses of one transaction, so that other commands wait little. */
const TOLD_AT_ONCE = 200;
/** Seconds to wait before an expiry event: a change that began before the expiry may still be committed. */
const LAG = 60;
/** Seconds by which the mark may lag while no endpoint wants these events: moving the mark costs a write. */
const IDLE = 600;

/**
 * Writes events for the next licenses that expire in `days` days; with 0, for licenses that have expired. The mark in the
 * database records the last license that was found, so that exactly one process writes each event. Returns how many licenses
 * were found, at most TOLD_AT_ONCE.
 */
export const tellExpiries = defineCommand({
  name: 'tell-expiries',
  guarded: true,
  audit: { never: 'the expiry of each license says as much' },
  run: async (transaction, { days }: { days: number }, { now }): Promise<number> => {
    const { events, expiries } = transaction;
    const upTo = addSeconds(addDays(now, days) ?? now, -LAG) ?? now;
    const here = { at: upTo, id: MAX_REFERENCE };
    const mark = await expiries.mark(days);
    const type = days === 0 ? 'license.expired' : 'license.expiring';
    const isListening = isWanted(await events.wanted(), type);
    // No mark yet, or the clock was ahead, or no endpoint wants the events: skip to now without events.
    const isAhead = mark !== null && mark.at > (addDays(upTo, 1) ?? upTo);
    if (mark === null || isAhead || !isListening) {
      const isLate = mark === null || isAhead || mark.at < (addSeconds(upTo, -IDLE) ?? upTo);
      if (isLate) await expiries.move(days, mark, here);
      return 0;
    }
    if (mark.at >= upTo) return 0;
    // A license that expires soon has not expired yet, however old the mark is.
    const from = days > 0 && mark.at < now ? { at: now, id: MAX_REFERENCE } : mark;
    const found = await expiries.between(from, upTo, TOLD_AT_ONCE);
    const last = found.length === TOLD_AT_ONCE ? found.at(-1) : undefined;
    if (!(await expiries.move(days, mark, last ? { at: last.expiresAt, id: last.id } : here))) return 0;
    // The buyer of a license for exactly `days` days must not be told at once that it expires soon.
    const due = found.filter(
      ({ createdAt, expiresAt }) => days === 0 || createdAt < (addDays(expiresAt, -days) as Datetime),
    );
    const told = await Promise.all(due.map((license) => eventOf(transaction, license, days, now)));
    const made = told.filter((event) => event !== null);
    await events.insert(made, now);
    return found.length;
  },
});

/** Returns null if the license was given another expiry, or was deleted, after it was found: on PostgreSQL it can be. */
async function eventOf(
  transaction: Pick<Transaction, 'licenses' | 'activations'>,
  { id, productId, expiresAt }: ExpiringLicense,
  days: number,
  now: Datetime,
): Promise<NewEvent | null> {
  // An undecryptable license gets an event without values: the others must not wait for it.
  const license = await transaction.licenses.find({ id }).catch((error) => {
    if (error instanceof StoreDamaged) return 'damaged' as const;
    throw error;
  });
  if (license === null || (license !== 'damaged' && license.expiresAt !== expiresAt)) return null;
  const about = {
    object: 'license' as const,
    objectId: id,
    productIds: productsOf({ productId }),
    data: license === 'damaged' ? null : licenseValues(await asHeld(transaction, license, now), now),
  };
  if (days === 0) return { ...about, type: 'license.expired', once: onceExpired(id, expiresAt) };
  const data = about.data && { ...about.data, days_left: days };
  return { ...about, type: 'license.expiring', data, once: `expiring ${days} ${id} ${expiresAt}` };
}

/** Writes all due expiry events. @param notices days before an expiry at which to write `license.expiring` */
export async function tellAllExpiries(
  execute: Executes<typeof tellExpiries>,
  notices: readonly number[],
): Promise<void> {
  for (const days of [...notices, 0])
    while ((await execute('tell-expiries', { days }, SYSTEM)) === TOLD_AT_ONCE);
}
