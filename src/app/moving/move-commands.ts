import type { Datetime } from '../../domain/datetime.ts';
import type {
  Committed,
  Gone,
  MovedCounts,
  MovingKind,
  MovingRecord,
  NewRotation,
} from '../../store/store.ts';
import { defineCommand } from '../command.ts';
import { DISCARDED_AT_ONCE } from '../discarding.ts';

const STAGED = 'staged records are invisible until commit-move, which is recorded';

/** Stages some records of a shop. */
export const stageRecords = defineCommand({
  name: 'stage-records',
  guarded: true,
  audit: { never: STAGED },
  run: async (
    { moves },
    { shop, records }: { shop: string; records: readonly MovingRecord[] },
    { now },
  ): Promise<null> => {
    await moves.stage(shop, records, now);
    return null;
  },
});

/** Deletes staged records by their ids in the shop. */
export const unstageRecords = defineCommand({
  name: 'unstage-records',
  guarded: true,
  audit: { never: STAGED },
  run: ({ moves }, { shop, kind, ids }: { shop: string; kind: MovingKind; ids: number[] }): Promise<number> =>
    moves.unstage(shop, kind, ids),
});

/** Deletes some staged records: of one shop, from before an instant, or all. Returns how many. */
export const discardStagedRecords = defineCommand({
  name: 'discard-staged-records',
  guarded: true,
  audit: { never: STAGED },
  run: ({ moves }, which: { shop: string } | { before: Datetime } | 'all'): Promise<number> =>
    moves.discard(which, DISCARDED_AT_ONCE),
});

interface CommitMove {
  shop: string;
  plugin: string;
  /** Number of records that the caller staged. A different number means that another move of the shop is in progress. */
  staged: number;
  gone: Gone;
  /** Rolls everything back, and returns what would have been done. */
  dryRun: boolean;
}

/** Turns a shop's staged records into records, in one transaction. Does nothing unless `staged` is their number. */
export const commitMove = defineCommand({
  name: 'commit-move',
  guarded: true,
  audit: 'always',
  run: async (
    { moves },
    { shop, plugin, staged, gone, dryRun }: CommitMove,
    { now, record },
  ): Promise<{ ok: boolean; committed: Committed | null }> => {
    if ((await moves.countStaged(shop)) !== staged) return { ok: false, committed: null };
    const committed = await moves.commit(shop, gone, now);
    const sum = (what: keyof MovedCounts) =>
      Object.values(committed.totals).reduce((total, counts) => total + counts[what], 0);
    const about = { created: sum('created'), updated: sum('updated'), deleted: sum('deleted') };
    if (about.created + about.updated + about.deleted > 0)
      record({ action: 'license.move_in', id: null, about: { plugin, ...about } });
    return { ok: !dryRun, committed };
  },
});

/**
 * Makes the secret of a shop the key that license keys are hashed with. Returns false if licenses exist. Discards
 * records that an interrupted dry run has staged: they were hashed with the previous key.
 */
export const adoptHashKey = defineCommand({
  name: 'adopt-hash-key',
  audit: { never: 'no license exists yet; the move that follows is recorded' },
  run: async ({ masterKey, moves }, { bundles }: Pick<NewRotation, 'bundles'>): Promise<boolean> => {
    const adopted = await masterKey.adopt(bundles);
    if (adopted) await moves.discard('all', Number.MAX_SAFE_INTEGER);
    return adopted;
  },
});
