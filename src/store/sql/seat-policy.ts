import { policyIn, SEAT_DEFAULTS, SEAT_FIELDS, type SeatPolicy } from '../../domain/seats.ts';
import { parseJson } from './record.ts';
import type { SeatColumn } from './schema.ts';

/** The policy in a row. Most rows have none. */
export const policyOf = ({ seat_policy }: SeatColumn): SeatPolicy =>
  seat_policy === null ? SEAT_DEFAULTS : { ...SEAT_DEFAULTS, ...parseJson(seat_policy) };

/** The same policy always has the same text: an update compares it with the one that was read. */
export const policyText = (policy: SeatPolicy): string | null =>
  SEAT_FIELDS.every((name) => policy[name] === SEAT_DEFAULTS[name]) ? null : JSON.stringify(policyIn(policy));

/**
 * Puts the fields of a policy into its column.
 * @param before the policy that a change of some fields is based on
 * @returns the other fields, with the column if any field of the policy is given
 */
export function withPolicyColumn<Values extends Partial<SeatPolicy>>(
  values: Values,
  before: SeatPolicy = SEAT_DEFAULTS,
): Omit<Values, keyof SeatPolicy> & Partial<{ seatPolicy: string | null }> {
  const { seatTtl, reclaimAfterDays, match, borrowMaxHours, takeoversPerMonth, ...others } = values;
  const given = { seatTtl, reclaimAfterDays, match, borrowMaxHours, takeoversPerMonth };
  const changed = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  if (Object.keys(changed).length === 0) return others;
  return { ...others, seatPolicy: policyText({ ...before, ...changed }) };
}
