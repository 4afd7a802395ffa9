import Type from 'typebox';
import { SEAT_MATCHES } from '../../domain/seats.ts';

/** The terms of a license, or of the licenses of a generator. */
export const licenseTerms = {
  /** Seconds; 0 for node-locked. */
  seat_ttl: Type.Integer(),
  /** 0 for never. */
  reclaim_after_days: Type.Integer(),
  match: Type.Enum(SEAT_MATCHES),
  /** 0 for none. */
  borrow_max_hours: Type.Integer(),
  /** 0 for none. */
  takeovers_per_month: Type.Integer(),
  entitlements: Type.Array(Type.String()),
  lease_refresh_hours: Type.Integer(),
  lease_days: Type.Integer(),
  lease_grace_days: Type.Integer(),
  offline_lease_days: Type.Integer(),
};
