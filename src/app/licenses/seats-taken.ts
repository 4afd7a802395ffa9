import { seenAt } from '../../domain/activation.ts';
import type { Datetime } from '../../domain/datetime.ts';
import type { KeyRef } from '../../domain/license.ts';
import type { SeatsTaken } from '../../domain/seats.ts';
import type { Reads } from '../../store/store.ts';
import { takeoversLeft } from './seats.ts';

/** Devices that a refusal names. */
const HOLDERS_MAX = 20;
/** Characters of a label that tell its owner which device it is, and others little. */
const SHOWN = 3;

const masked = (label: string | null): string | null =>
  label === null ? null : `${[...label].slice(0, SHOWN).join('')}…`;

/** Who holds the seats of a full license, and when the next one is free; null if the license does not exist any more. */
export async function seatsTaken(reads: Reads, ref: KeyRef, now: Datetime): Promise<SeatsTaken | null> {
  const found = await reads.licenses.findWithActivations(ref);
  if (!found) return null;
  const held = found.activations.filter(({ deactivatedAt }) => deactivatedAt === null);
  const ends = held.flatMap(({ seatExpiresAt }) => (seatExpiresAt === null ? [] : [seatExpiresAt])).sort();
  return {
    holders: held.slice(0, HOLDERS_MAX).map((one) => ({ label: masked(one.label), lastSeenAt: seenAt(one) })),
    freesAt: ends[0] ?? null,
    takeoverAllowed: (await takeoversLeft(reads, found.license, now)) > 0,
  };
}
