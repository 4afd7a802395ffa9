import type { Datetime } from '../../domain/datetime.ts';
import type { Command } from '../command.ts';
import { DISCARDED_AT_ONCE } from '../discarding.ts';

/** Removes staged rows of a batch, or those that a crash left behind: how many. Fewer than the most means all. */
export const discardStagedLicenses: Command<{ batch: string } | { before: Datetime }, number> = (
  { staged },
  which,
) => staged.discard(which, DISCARDED_AT_ONCE);
