import type { LicensedActivation } from '../../domain/activation.ts';
import { done, invalid, type Outcome, refused } from '../../domain/refusal.ts';
import { endedAt, seatEnd } from '../../domain/seats.ts';
import { defineCommand } from '../command.ts';
import { factOf, findActivation } from './activations.ts';
import { refusedAsEnded } from './seats.ts';

interface Hold {
  id: number;
  /** Hours to borrow the seat for; 0 to extend it by its TTL. */
  borrowHours: number;
}

/** Extends or borrows a floating seat, and never shortens it. Does not mark the device as seen. */
export const holdSeat = defineCommand({
  name: 'hold-seat',
  guarded: true,
  audit: 'always',
  run: async (
    transaction,
    { id, borrowHours }: Hold,
    { actor, now, record },
  ): Promise<Outcome<LicensedActivation>> => {
    const found = await findActivation(transaction, { id }, actor);
    if (!found.ok) return found;
    const { activation, license } = found.value;
    if (endedAt(activation, now) !== null) return refusedAsEnded(activation.endedAs);
    if (license.seatTtl === 0) return refused('seat_node_locked');
    if (borrowHours > license.borrowMaxHours)
      return invalid('borrowHours', 'out_of_range', { min: 0, max: license.borrowMaxHours });
    const kept = await transaction.activations.keep(id, {}, null, seatEnd(license, now, borrowHours));
    if (!kept) return refusedAsEnded(null);
    const borrowed = borrowHours > 0 && { borrow_hours: borrowHours };
    const { times } = kept;
    record(factOf('activation.extend', activation, { ...borrowed, seat_expires_at: times.seatExpiresAt }));
    return done({ activation: { ...activation, ...times }, license });
  },
});
