import type { Activation, LicensedActivation } from '../../domain/activation.ts';
import { addDays, type Datetime } from '../../domain/datetime.ts';
import type { License } from '../../domain/license.ts';
import { done, type Outcome, refused } from '../../domain/refusal.ts';
import { seatEnd } from '../../domain/seats.ts';
import type { KeptActivation, Reads, Transaction } from '../../store/store.ts';
import type { Context } from '../command.ts';

/** What a program says about its device. */
export interface Device {
  fingerprint?: string | null;
  label: string | null;
}

/** What a device is known by. */
const [FINGERPRINT, LABEL] = ['f', 'l'];

/** The keyed hash that tells a device of a license from others; null if nothing does. */
export async function deviceOf(
  { activations }: Pick<Reads, 'activations'>,
  { id, match }: License,
  { fingerprint = null, label }: Device,
): Promise<string | null> {
  if (fingerprint !== null) return FINGERPRINT + (await activations.deviceOf(id, FINGERPRINT + fingerprint));
  return match === 'label' && label ? LABEL + (await activations.deviceOf(id, LABEL + label)) : null;
}

/** Whether an activation is of another device than the one with a fingerprint. */
export const isOfAnother = async (
  reads: Pick<Reads, 'activations'>,
  { activation, license }: LicensedActivation,
  fingerprint: string | null,
): Promise<boolean> =>
  fingerprint !== null &&
  activation.device?.startsWith(FINGERPRINT) === true &&
  activation.device !== (await deviceOf(reads, license, { fingerprint, label: null }));

/** The longer of two times that a seat is held; null for ever. */
export const later = (one: Datetime | null, other: Datetime | null): Datetime | null =>
  one === null || other === null ? null : one > other ? one : other;

/**
 * Gives a device the seat that it has, whether it has lapsed or not: a lapsed seat that nobody has ended is still counted.
 * @returns null if it was ended meanwhile
 */
export async function keepSeat(
  { activations }: Transaction,
  { activation, license }: LicensedActivation,
  values: KeptActivation,
  now: Datetime,
  borrowHours = 0,
): Promise<LicensedActivation | null> {
  const end = seatEnd(license, now, borrowHours);
  // A borrowed seat keeps its time. Of a license that floats no longer, no seat lapses.
  const seatExpiresAt = activation.seatExpiresAt === null ? end : later(end, activation.seatExpiresAt);
  const kept = { ...values, lastSeenAt: now, seatExpiresAt };
  if (!(await activations.keep(activation.id, kept))) return null;
  return { activation: { ...activation, ...kept }, license };
}

/** Days for which takeovers count. */
const TAKEOVER_DAYS = 30;

/**
 * Takes a seat: a free one, one that has lapsed, one of a device that was not seen for long, or, if asked for, that of the
 * device that was not seen for longest.
 * @param take takes a free seat; null if there is none
 */
export async function takeSeat<Taken>(
  transaction: Transaction,
  license: License,
  take: () => Promise<Taken | null>,
  { now, record }: Context,
  takeover = false,
): Promise<Outcome<Taken>> {
  const { activations, licenses } = transaction;
  const free = await take();
  if (free) return done(free);
  // From here on one after the other, so that each one sees the seats that others have freed or taken.
  await licenses.lock(license.id);
  const end = async (as: 'reclaimed' | 'taken_over', seenBefore: Datetime | null) => {
    const ended = await activations.endOldest(license.id, as, seenBefore, now);
    if (ended) record(factOfEnd(ended));
    return ended !== null;
  };
  const ways = [
    async () => (await activations.endLapsed(license.id, now)) > 0,
    async () =>
      license.reclaimAfterDays > 0 && (await end('reclaimed', addDays(now, -license.reclaimAfterDays))),
    async () => takeover && (await mayTakeOver(transaction, license, now)) && (await end('taken_over', null)),
  ];
  for (const makeRoom of ways) {
    if (!(await makeRoom())) continue;
    const taken = await take();
    if (taken) return done(taken);
  }
  return refused('activation_limit_reached', { limit: license.activationsLimit });
}

/** Whether the customer may take over a seat now. */
export async function mayTakeOver(
  { activations }: Pick<Reads, 'activations'>,
  license: License,
  now: Datetime,
): Promise<boolean> {
  if (license.takeoversPerMonth === 0) return false;
  const since = addDays(now, -TAKEOVER_DAYS) as Datetime;
  return (await activations.takenOver(license.id, since)) < license.takeoversPerMonth;
}

const factOfEnd = ({ id, licenseId, label, endedAs }: Activation) =>
  ({
    action: 'activation.deactivate',
    id: licenseId,
    about: { activation_id: id, label, ended_as: endedAs },
    always: true,
  }) as const;
