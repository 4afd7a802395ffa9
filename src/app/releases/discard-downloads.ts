import type { Actor } from '../../domain/actor.ts';
import type { Datetime } from '../../domain/datetime.ts';
import { defineCommand, type Executes } from '../command.ts';
import { DISCARDED_AT_ONCE, discardAll } from '../discarding.ts';

/** Deletes some records of downloads that began before an instant, oldest first. Returns how many. */
export const discardDownloads = defineCommand({
  name: 'discard-downloads',
  guarded: true,
  audit: { never: 'records older than a setting allows' },
  run: ({ downloads }, { before }: { before: Datetime }): Promise<number> =>
    downloads.discard(before, DISCARDED_AT_ONCE),
});

/** Deletes all of them. Counts stay. */
export const discardOldDownloads = (
  execute: Executes<typeof discardDownloads>,
  before: Datetime,
  actor: Actor,
): Promise<void> => discardAll(() => execute('discard-downloads', { before }, actor));
