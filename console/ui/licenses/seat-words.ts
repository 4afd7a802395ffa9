import type { TFunction } from 'i18next';
import type { Item } from '../../client/api.ts';
import { formatDuration } from '../format.ts';

/** How devices share the seats of a license, as the API sends it. */
export type SeatPolicy = Pick<Item<'listLicenses'>, (typeof SEAT_NAMES)[number]>;
/** The fields of a policy, in the order in which they are shown. */
export const SEAT_NAMES = [
  'seat_ttl',
  'match',
  'borrow_max_hours',
  'reclaim_after_days',
  'takeovers_per_month',
] as const satisfies (keyof Item<'listLicenses'>)[];

/** A policy in words, one for each rule that differs from the default. */
export function seatWords(t: TFunction<'seats'>, policy: SeatPolicy): string[] {
  const {
    seat_ttl: ttl,
    borrow_max_hours: hours,
    reclaim_after_days: days,
    takeovers_per_month: count,
  } = policy;
  return [
    ttl === 0 ? t('nodeLocked') : t('floating', { time: formatDuration(ttl, 'second') }),
    ttl > 0 && hours > 0 && t('borrowing', { time: formatDuration(hours, 'hour') }),
    days > 0 && t('reclaim', { time: formatDuration(days, 'day') }),
    count > 0 && t('takeovers', { count }),
    policy.match === 'label' && t('byLabel'),
  ].filter((one) => one !== false);
}
