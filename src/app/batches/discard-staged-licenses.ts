import type { Actor } from '../../domain/actor.ts';
import type { Datetime } from '../../domain/datetime.ts';
import { defineCommand, type Executes } from '../command.ts';
import { DISCARDED_AT_ONCE, discardAll } from '../discarding.ts';

/** Staged rows of one batch, or of all batches that began before an instant. */
type Which = { batch: string } | { before: Datetime };

/** Deletes some staged rows. Returns how many. */
export const discardStagedLicenses = defineCommand({
  name: 'discard-staged-licenses',
  guarded: true,
  audit: { never: 'nobody saw them' },
  run: ({ staged }, which: Which): Promise<number> => staged.discard(which, DISCARDED_AT_ONCE),
});

/** Deletes all of them. Batches that were never finished are those that a crash has left. */
export const discardStaged = (
  execute: Executes<typeof discardStagedLicenses>,
  which: Which,
  actor: Actor,
): Promise<void> => discardAll(() => execute('discard-staged-licenses', which, actor));
