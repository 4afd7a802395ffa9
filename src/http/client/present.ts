import type { LicensedActivation } from '../../domain/activation.ts';
import { LICENSE_STATUSES } from '../../domain/license.ts';
import { rfc3339 } from './errors.ts';

const timeOrNull = (at: string | null): string | null => at && rfc3339(at);

/** @param withToken only the answer of an activation has the token */
export const presentSeat = ({ activation, license }: LicensedActivation, withToken: boolean) => ({
  activation: {
    id: activation.id,
    ...(withToken && { token: activation.token }),
    label: activation.label,
    created_at: rfc3339(activation.createdAt),
    seat_expires_at: timeOrNull(activation.seatExpiresAt),
  },
  license: {
    id: license.id,
    status: LICENSE_STATUSES[license.status - 1],
    product: license.productId,
    expires_at: timeOrNull(license.expiresAt),
    seats: { used: license.timesActivated, limit: license.activationsLimit || null },
  },
});
