import { type Activation, seenAt } from '../../domain/activation.ts';
import { SYSTEM } from '../../domain/actor.ts';
import { type Clock, type Datetime, toDatetime } from '../../domain/datetime.ts';
import { defineCommand, type Executes } from '../command.ts';
import { createWriteBehind } from '../write-behind.ts';

/** Minimum number of milliseconds between two records that the same activation was seen. */
const SEEN_MS = 6 * 3_600_000;
/** Activations that one transaction updates, so that other commands wait little. */
const AT_ONCE = 1_000;
/** Milliseconds for which the datetime SEEN_MS ago is cached: every validation compares with it. */
const LIMIT_MS = 60_000;

/** Stores when activations were last seen. */
export const touchActivations = defineCommand({
  name: 'touch-activations',
  guarded: true,
  audit: { never: 'when a device was last seen' },
  run: async ({ activations }, seen: { id: number; at: Datetime }[]): Promise<null> => {
    await activations.touch(seen);
    return null;
  },
});

/** Collects in memory when activations were last seen, until the next flush. */
export type LastSeen = ReturnType<typeof createLastSeen>;

export function createLastSeen(execute: Executes<typeof touchActivations>, clock: Clock) {
  const write = async (seen: readonly (readonly [number, number])[]) => {
    // Sort by id: rows with neighbouring ids share database pages.
    const all = seen
      .toSorted(([one], [other]) => one - other)
      .map(([id, ms]) => ({ id, at: toDatetime(ms) }));
    for (let from = 0; from < all.length; from += AT_ONCE)
      await execute('touch-activations', all.slice(from, from + AT_ONCE), SYSTEM);
  };
  const { note, flush } = createWriteBehind(write, (_earlier: number, latest: number) => latest);
  let limit = { since: Number.NEGATIVE_INFINITY, at: '' };
  return {
    /** Notes an activation that was not seen for SEEN_MS. A program that validates every minute thus costs few writes. */
    note(activation: Activation): void {
      const ms = clock();
      if (ms < limit.since || ms >= limit.since + LIMIT_MS)
        limit = { since: ms, at: toDatetime(ms - SEEN_MS) };
      if (seenAt(activation) < limit.at) note(activation.id, ms);
    },
    flush,
  };
}
