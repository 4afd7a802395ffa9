import { type Activation, KNOWN_BY, type LicensedActivation } from '../../domain/activation.ts';
import type { Fact } from '../../domain/audit.ts';
import { addDays, addSeconds, type Datetime } from '../../domain/datetime.ts';
import type { License } from '../../domain/licenses/license.ts';
import { done, type Outcome, type Refused, refused } from '../../domain/refusal.ts';
import { type EndedAs, endedAt, seatEnd } from '../../domain/seats.ts';
import { ACTIVATIONS_AT_ONCE, type KeptActivation, type Reads, type Transaction } from '../../store/store.ts';
import type { Context } from '../command.ts';
import { FORGOTTEN_AT_ONCE, isTurnToForget } from '../discarding.ts';
import { asHeld } from './held-seats.ts';

/** What a program says about its device. */
export interface Device {
  fingerprint?: string | null;
  label: string | null;
  /** Public half of the device key. */
  deviceKey?: string | null;
}

const { fingerprint: FINGERPRINT, label: LABEL, deviceKey: KEY } = KNOWN_BY;

/** Returns the keyed hash that identifies a device within a license; null if the device sent nothing to identify it. */
export async function deviceOf(
  { activations }: Pick<Reads, 'activations'>,
  { id, match }: License,
  { fingerprint = null, label, deviceKey = null }: Device,
): Promise<string | null> {
  if (fingerprint !== null) return FINGERPRINT + (await activations.deviceOf(id, FINGERPRINT + fingerprint));
  if (match === 'label' && label) return LABEL + (await activations.deviceOf(id, LABEL + label));
  return deviceKey === null ? null : KEY + (await activations.deviceOf(id, KEY + deviceKey));
}

/** Whether the device of an activation is identified by its fingerprint. */
export const isKnownByFingerprint = ({ device }: Activation): boolean =>
  device?.startsWith(FINGERPRINT) === true;

/** Whether an activation belongs to another device than the given fingerprint. */
export const isOfAnother = async (
  reads: Pick<Reads, 'activations'>,
  { activation, license }: LicensedActivation,
  fingerprint: string | null,
): Promise<boolean> =>
  fingerprint !== null &&
  isKnownByFingerprint(activation) &&
  activation.device !== (await deviceOf(reads, license, { fingerprint, label: null }));

/**
 * Renews the seat that a device has, even a lapsed one: a lapsed seat still counts until it is recorded as ended.
 * @returns null if the seat was ended meanwhile, or has lapsed and the license is over a lowered limit
 */
export async function keepSeat(
  transaction: Transaction,
  { activation, license }: LicensedActivation,
  values: KeptActivation,
  now: Datetime,
  borrowHours = 0,
): Promise<LicensedActivation | null> {
  const isOver = license.activationsLimit > 0 && license.timesActivated > license.activationsLimit;
  if (isOver && endedAt(activation, now) !== null) return null;
  // `keep` never shortens a borrowed seat. Without `seatTtl` the end is null: the seat does not lapse any more.
  const end = seatEnd(license, now, borrowHours);
  const kept = await transaction.activations.keep(activation.id, values, now, end);
  if (!kept) return null;
  const { times, timesActivated } = kept;
  return {
    activation: { ...activation, ...values, ...times },
    // On PostgreSQL, a concurrent request may have taken this seat after the license was read.
    license: await asHeld(transaction, { ...license, timesActivated }, now),
  };
}

/** Days for which a takeover counts towards `takeoversPerMonth`. */
const TAKEOVER_DAYS = 30;
export const takeoversSince = (now: Datetime): Datetime => addDays(now, -TAKEOVER_DAYS) as Datetime;

/** Further ways to find a seat. */
interface Finding {
  /** Takes over the seat of another device. */
  takeover?: boolean;
  /** The device that needs the seat. */
  device?: string | null;
}

/**
 * Takes a seat. Tries in this order: a free seat; a lapsed one; a seat of a device not seen for `reclaimAfterDays`;
 * with `takeover`, the seat of the least recently seen device. Each step locks activations before their license, as
 * deactivations do.
 * @param take takes a free seat; null if there is none
 */
export async function takeSeat<Taken>(
  transaction: Transaction,
  license: License,
  take: () => Promise<Taken | null>,
  context: Context,
  { takeover = false, device = null }: Finding = {},
): Promise<Outcome<Taken>> {
  const { activations } = transaction;
  const { now, record } = context;
  const free = await take();
  if (free) return done(free);
  const { seatTtl, reclaimAfterDays } = license;
  const end = async (as: 'reclaimed' | 'taken_over', seenBefore: Datetime | null) => {
    // Do not reclaim a borrowed seat: its device has announced that it will not be seen.
    const lapsesBy = as === 'reclaimed' ? addSeconds(now, seatTtl) : null;
    const which = { seenBefore, lapsesBy, not: device };
    const ended = await activations.endOldest(license.id, as, which, now);
    if (ended) record(factOfEnd(ended.activation, { ...license, timesActivated: ended.timesActivated }));
    return ended !== null;
  };
  /** Makes room until a seat is free, which takes several rounds if the limit was lowered. */
  const takeAfter = async (makeRoom: () => Promise<boolean>): Promise<Taken | null> => {
    for (;;) {
      const isMade = await makeRoom();
      const taken = await take();
      if (taken || !isMade) return taken;
    }
  };
  const left = () => takeoversLeft(transaction, license, now);

  let taken: Taken | null = null;
  if (seatTtl > 0)
    taken = await takeAfter(
      async () => (await endLapsed(transaction, license, ACTIVATIONS_AT_ONCE, context)) > 0,
    );
  if (!taken && reclaimAfterDays > 0)
    taken = await takeAfter(() => end('reclaimed', addDays(now, -reclaimAfterDays)));
  if (!taken && takeover && (await left()) > 0) {
    taken = await takeAfter(() => end('taken_over', null));
    // Count again: before this transaction locked the license, others could take over seats.
    if ((await left()) < 0) taken = null;
  }
  if (taken) return done(taken);
  return refused('activation_limit_reached', { licenseId: license.id, limit: license.activationsLimit });
}

/** Takes a seat for an activation that this transaction has just reactivated. */
export async function takeSeatAgain(
  transaction: Transaction,
  { activation, license }: LicensedActivation,
  seatExpiresAt: Datetime | null,
  context: Context,
): Promise<Outcome<LicensedActivation>> {
  const { now } = context;
  const taken = await takeSeat(transaction, license, () => transaction.licenses.takeSeat(license), context);
  if (!taken.ok) return taken;
  const held = { deactivatedAt: null, endedAs: null, seatExpiresAt };
  return done({
    activation: { ...activation, ...held, updatedAt: now, lastSeenAt: now },
    license: await asHeld(transaction, { ...license, timesActivated: taken.value }, now),
  });
}

/** Refuses an activation that has ended. @param as null if the reason is not recorded */
export const refusedAsEnded = (as: EndedAs | null): Refused =>
  refused('activation_deactivated', { as: as ?? 'deactivated' });

/** Returns how many seats the customer may still take over now; negative if takeovers exceed the limit. */
export async function takeoversLeft(
  { activations }: Pick<Reads, 'activations'>,
  { id, takeoversPerMonth }: License,
  now: Datetime,
): Promise<number> {
  if (takeoversPerMonth === 0) return 0;
  return takeoversPerMonth - (await activations.takenOver(id, takeoversSince(now)));
}

/**
 * Deletes old ended activations of a license whose seats end without a deactivation. For other licenses, deactivations do
 * this.
 */
export async function forgetEnded(
  transaction: Transaction,
  license: License,
  keep: number,
  context: Context,
): Promise<void> {
  const { id, seatTtl, reclaimAfterDays, takeoversPerMonth } = license;
  const isEnding = seatTtl > 0 || reclaimAfterDays > 0 || takeoversPerMonth > 0;
  if (keep === 0 || !isEnding || !isTurnToForget()) return;
  // While seats are free, no other command records lapsed seats as ended.
  if (seatTtl > 0) await endLapsed(transaction, license, FORGOTTEN_AT_ONCE, context);
  await transaction.activations.forget(id, keep, FORGOTTEN_AT_ONCE, takeoversSince(context.now));
}

/** Records that seats have lapsed, and frees them. @returns how many */
export async function endLapsed(
  { activations }: Transaction,
  { id, productId }: Pick<License, 'id' | 'productId'>,
  atMost: number,
  { now, record }: Context,
): Promise<number> {
  const lapsed = await activations.endLapsed(id, now, atMost);
  if (lapsed.length > 0) record({ action: 'activation.lapse', id, lapsed: { ids: lapsed, productId } });
  return lapsed.length;
}

const factOfEnd = (activation: Activation, license: License): Fact => ({
  action: 'activation.deactivate',
  id: license.id,
  about: { activation_id: activation.id, label: activation.label, ended_as: activation.endedAs },
  always: true,
  seat: { activation, license },
});
