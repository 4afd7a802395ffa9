import Type from 'typebox';
import { SEAT_MATCHES } from '../../domain/seats.ts';

/** The terms of a license, or of the licenses of a generator. */
export const licenseTerms = {
  /** Seconds; 0 for node-locked. */
  seat_ttl: Type.Integer(),
  /** Days after which an unseen device may lose its seat; 0 for never. */
  reclaim_after_days: Type.Integer(),
  match: Type.Enum(SEAT_MATCHES),
  /** Maximum hours for which a seat can be borrowed; 0 if it cannot. */
  borrow_max_hours: Type.Integer(),
  /** 0 if takeovers are not allowed. */
  takeovers_per_month: Type.Integer(),
  entitlements: Type.Array(Type.String()),
  lease_refresh_hours: Type.Integer(),
  lease_days: Type.Integer(),
  lease_grace_days: Type.Integer(),
  offline_lease_days: Type.Integer(),
};
