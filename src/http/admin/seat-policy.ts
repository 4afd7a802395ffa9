import Type from 'typebox';
import { SEAT_MATCHES } from '../../domain/seats.ts';

/** How devices share the seats of a license, or of the licenses of a generator. */
export const seatPolicy = {
  /** Seconds; 0 for node-locked. */
  seat_ttl: Type.Integer(),
  /** 0 for never. */
  reclaim_after_days: Type.Integer(),
  match: Type.Enum(SEAT_MATCHES),
  /** 0 for none. */
  borrow_max_hours: Type.Integer(),
  /** 0 for none. */
  takeovers_per_month: Type.Integer(),
};
