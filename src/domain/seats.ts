import { addDays, addSeconds, type Datetime } from './datetime.ts';
import { integer, oneOf, optional } from './fields.ts';

/** How devices share the seats of a license. */
export interface SeatPolicy {
  /** Seconds that a seat is held after the last activate or validate; 0 until it is deactivated (node-locked). */
  seatTtl: number;
  /** Days after which an unseen device loses its seat to a device that finds no free seat; 0 for never. */
  reclaimAfterDays: number;
  /** What identifies a device: its fingerprint, or `label` for programs that send no fingerprint. */
  match: (typeof SEAT_MATCHES)[number];
  /** Maximum number of hours for which a device may borrow a floating seat, for travel; 0 for no longer than `seatTtl`. */
  borrowMaxHours: number;
  /** Maximum number of seats that the customer may take over from other devices in 30 days. */
  takeoversPerMonth: number;
}
export const SEAT_MATCHES = ['fingerprint', 'label'] as const;

export const SEAT_DEFAULTS: SeatPolicy = {
  seatTtl: 0,
  reclaimAfterDays: 0,
  match: 'fingerprint',
  borrowMaxHours: 0,
  takeoversPerMonth: 0,
};

const YEAR = { days: 366, hours: 366 * 24, seconds: 366 * 86_400 };

/** The parameters of a seat policy, for licenses and generators. */
export const seatShape = {
  seatTtl: optional(
    integer({
      max: YEAR.seconds,
      description:
        'Seconds that a seat is held after the last activate or validate (floating seats); 0 until it is deactivated',
    }),
  ),
  reclaimAfterDays: optional(
    integer({
      max: 10 * YEAR.days,
      description:
        'If no seat is free, the least recently seen device loses its seat if it has not been seen for more than this many days; 0 never',
    }),
  ),
  match: optional(
    oneOf(
      SEAT_MATCHES,
      'label: activations without a fingerprint are the same device if their labels are equal',
    ),
  ),
  borrowMaxHours: optional(
    integer({ max: YEAR.hours, description: 'Hours that a device may borrow a floating seat for; 0 none' }),
  ),
  takeoversPerMonth: optional(
    integer({
      max: 1_000,
      description: 'Seats that the customer may take over from other devices within 30 days; 0 none',
    }),
  ),
};

/** Returns when a seat that is taken or extended now lapses; null for a node-locked license. */
export function seatEnd(
  { seatTtl, borrowMaxHours }: Pick<SeatPolicy, 'seatTtl' | 'borrowMaxHours'>,
  now: Datetime,
  borrowHours = 0,
): Datetime | null {
  if (seatTtl === 0) return null;
  return addSeconds(now, Math.max(seatTtl, Math.min(borrowHours, borrowMaxHours) * 3_600));
}

/**
 * Whether an activate or validate extends a seat: only once a third of `seatTtl` has passed, so that frequent ones cost no
 * write. A borrowed seat is never shortened.
 */
export function isSeatDue({ seatTtl }: SeatPolicy, seatExpiresAt: Datetime | null, now: Datetime): boolean {
  if (seatTtl === 0) return seatExpiresAt !== null;
  return (
    seatExpiresAt === null || seatExpiresAt < (addSeconds(now, seatTtl - Math.floor(seatTtl / 3)) ?? now)
  );
}

/** Why an activation has ended. */
export const ENDED_AS = ['deactivated', 'reclaimed', 'lapsed', 'taken_over'] as const;
export type EndedAs = (typeof ENDED_AS)[number];

interface Seat {
  seatExpiresAt: Datetime | null;
  deactivatedAt: Datetime | null;
}

/** Returns when an activation ended; null while it holds its seat. A lapsed seat has ended even before that is recorded. */
export const endedAt = ({ seatExpiresAt, deactivatedAt }: Seat, now: Datetime): Datetime | null =>
  deactivatedAt ?? (seatExpiresAt !== null && seatExpiresAt <= now ? seatExpiresAt : null);

/** Whether a device holds its seat for longer than `seatTtl` from now. */
export function isBorrowed({ seatTtl }: SeatPolicy, { seatExpiresAt }: Seat, now: Datetime): boolean {
  const end = addSeconds(now, seatTtl);
  return seatTtl > 0 && seatExpiresAt !== null && end !== null && seatExpiresAt > end;
}

/** Whether a device was not seen for so long that another may reclaim its seat. A borrowed seat is never reclaimed. */
export function isStale(
  license: SeatPolicy & { activationsLimit: number },
  seat: Seat,
  seenAt: Datetime,
  now: Datetime,
): boolean {
  const { reclaimAfterDays, activationsLimit } = license;
  const since = addDays(now, -reclaimAfterDays);
  const isOld = reclaimAfterDays > 0 && since !== null && seenAt < since;
  return activationsLimit > 0 && isOld && !isBorrowed(license, seat, now);
}

/** Who holds the seats of a full license. */
export interface SeatsTaken {
  /** Some of the devices, with masked labels. */
  holders: { label: string | null; lastSeenAt: Datetime }[];
  /** When the next seat lapses or may be reclaimed, unless its device is seen before then; null if no seat will. */
  freesAt: Datetime | null;
  takeoverAllowed: boolean;
}
