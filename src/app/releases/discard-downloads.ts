import type { Datetime } from '../../domain/datetime.ts';
import type { Command } from '../command.ts';
import { DISCARDED_AT_ONCE } from '../discarding.ts';

/** Deletes records of downloads that began before an instant, oldest first: how many. Counts stay. */
export const discardDownloads: Command<{ before: Datetime }, number> = ({ downloads }, { before }) =>
  downloads.discard(before, DISCARDED_AT_ONCE);
