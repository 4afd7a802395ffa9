import { maskedLabel } from '../../domain/activation.ts';
import { addDays, addSeconds, type Datetime } from '../../domain/datetime.ts';
import type { KeyRef } from '../../domain/licenses/license.ts';
import type { SeatsTaken } from '../../domain/seats.ts';
import type { Reads } from '../../store/store.ts';
import { takeoversLeft } from './seats.ts';

/** Maximum number of devices that a refusal names. */
const HOLDERS_MAX = 20;

/** Returns who holds the seats of a full license, and when the next seat is free; null if the license was deleted. */
export async function seatsTaken(reads: Reads, ref: KeyRef, now: Datetime): Promise<SeatsTaken | null> {
  const license = await reads.licenses.find(ref);
  if (!license) return null;
  const { id, seatTtl, reclaimAfterDays } = license;
  const lapsesBy = addSeconds(now, seatTtl) ?? now;
  const { devices, firstEnd, oldestSeenAt } = await reads.activations.holders(id, now, lapsesBy, HOLDERS_MAX);
  const reclaimedAfter =
    reclaimAfterDays > 0 && oldestSeenAt ? addDays(oldestSeenAt, reclaimAfterDays) : null;
  const ends = [firstEnd, reclaimedAfter && addSeconds(reclaimedAfter, 1)]
    .filter((end) => end !== null)
    .sort();
  return {
    holders: devices.map(({ label, lastSeenAt }) => ({ label: maskedLabel(label), lastSeenAt })),
    freesAt: ends[0] ?? null,
    takeoverAllowed: (await takeoversLeft(reads, license, now)) > 0,
  };
}
