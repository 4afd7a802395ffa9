import type { Activation, LicensedActivation } from '../../domain/activation.ts';
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
  /** Its public half. */
  deviceKey?: string | null;
}

/** What a device is known by. */
const [FINGERPRINT, LABEL, KEY] = ['f', 'l', 'k'];

/** The keyed hash that tells a device of a license from others; null if nothing does. */
export async function deviceOf(
  { activations }: Pick<Reads, 'activations'>,
  { id, match }: License,
  { fingerprint = null, label, deviceKey = null }: Device,
): Promise<string | null> {
  if (fingerprint !== null) return FINGERPRINT + (await activations.deviceOf(id, FINGERPRINT + fingerprint));
  if (match === 'label' && label) return LABEL + (await activations.deviceOf(id, LABEL + label));
  return deviceKey === null ? null : KEY + (await activations.deviceOf(id, KEY + deviceKey));
}

/** Whether the device of an activation is known by its fingerprint. */
export const isKnownByFingerprint = ({ device }: Activation): boolean =>
  device?.startsWith(FINGERPRINT) === true;

/** Whether an activation is of another device than the one with a fingerprint. */
export const isOfAnother = async (
  reads: Pick<Reads, 'activations'>,
  { activation, license }: LicensedActivation,
  fingerprint: string | null,
): Promise<boolean> =>
  fingerprint !== null &&
  isKnownByFingerprint(activation) &&
  activation.device !== (await deviceOf(reads, license, { fingerprint, label: null }));

/**
 * Gives a device the seat that it has, whether it has lapsed or not: a lapsed seat that nobody has ended is still counted.
 * @returns null if it was ended meanwhile, or has lapsed and the limit was lowered since
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
  // A borrowed seat keeps its time. Of a license that floats no longer, no seat lapses.
  const end = seatEnd(license, now, borrowHours);
  const kept = await transaction.activations.keep(activation.id, values, now, end);
  if (!kept) return null;
  return {
    activation: { ...activation, ...values, ...kept },
    license: await asHeld(transaction, license, now),
  };
}

/** Days for which takeovers count. */
const TAKEOVER_DAYS = 30;
export const takeoversSince = (now: Datetime): Datetime => addDays(now, -TAKEOVER_DAYS) as Datetime;

/** What else may be done to find a seat. */
interface Finding {
  /** Takes over the seat of another device. */
  takeover?: boolean;
  /** The device that needs the seat. */
  device?: string | null;
}

/**
 * Takes a seat: a free one, one that has lapsed, one of a device that was not seen for long, or, if asked for, that of the
 * device that was not seen for longest. Each step locks activations before it locks their license, as deactivations do.
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
    // A borrowed seat is that of a device that said it would not be seen.
    const lapsesBy = as === 'reclaimed' ? addSeconds(now, seatTtl) : null;
    const which = { seenBefore, lapsesBy, not: device };
    const ended = await activations.endOldest(license.id, as, which, now);
    if (ended) record(factOfEnd(ended, license));
    return ended !== null;
  };
  /** Makes room until a seat is free: several times, if the limit was lowered. */
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
    // Count again: until this transaction locked the license, others could take over seats.
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
  const taken = await takeSeat(transaction, license, () => transaction.licenses.takePlace(license), context);
  if (!taken.ok) return taken;
  const held = { deactivatedAt: null, endedAs: null, seatExpiresAt };
  return done({
    activation: { ...activation, ...held, updatedAt: now, lastSeenAt: now },
    license: await asHeld(transaction, { ...license, timesActivated: taken.value }, now),
  });
}

/** @param as null if that is not recorded */
export const refusedAsEnded = (as: EndedAs | null): Refused =>
  refused('activation_deactivated', { as: as ?? 'deactivated' });

/** Seats that the customer may take over now. */
export async function takeoversLeft(
  { activations }: Pick<Reads, 'activations'>,
  { id, takeoversPerMonth }: License,
  now: Datetime,
): Promise<number> {
  if (takeoversPerMonth === 0) return 0;
  return takeoversPerMonth - (await activations.takenOver(id, takeoversSince(now)));
}

/**
 * Forgets old activations of a license whose seats end by themselves. Otherwise deactivations do this, but such a license may
 * never have one.
 */
export async function forgetEnded(
  transaction: Transaction,
  license: License,
  keep: number,
  context: Context,
): Promise<void> {
  const { id, seatTtl, reclaimAfterDays, takeoversPerMonth } = license;
  const isEnding = seatTtl > 0 || reclaimAfterDays > 0 || takeoversPerMonth > 0;
  if (keep === 0 || !isEnding || !isTurnToForget(context)) return;
  // While seats are free, nobody else ends them.
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
