import type { LicenseSource } from '../../domain/license.ts';
import { done, type Outcome, refused } from '../../domain/refusal.ts';
import { defineCommand } from '../command.ts';

export interface CommitStagedLicenses {
  batch: string;
  /** How many rows were staged; an incomplete batch is not committed. */
  rows: number;
  source: LicenseSource;
  /** The generator that made the keys; null for an import. */
  generatorId: number | null;
  /** Skip a row whose key another license has got meanwhile, or an earlier row has, instead of refusing the batch. */
  skipConflicts: boolean;
}
export interface Committed {
  created: number;
  /** Rows skipped because another license has got their key meanwhile. */
  conflicts: number[];
}

/** Turns a whole batch of staged licenses into licenses. The caller discards the staged rows afterwards. */
export const commitStagedLicenses = defineCommand({
  name: 'commit-staged-licenses',
  guarded: true,
  audit: 'always',
  run: async (
    { staged },
    { batch, rows, source, generatorId, skipConflicts }: CommitStagedLicenses,
    { actor, now, record },
  ): Promise<Outcome<Committed>> => {
    if ((await staged.count(batch)) !== rows) throw new Error('staged rows of a batch are missing');
    const made = { source, createdAt: now, createdBy: actor.userId };
    const created = await staged.commit(batch, made);
    // Searched only if rows are missing: for 100,000 licenses it makes others wait 70 to 150 ms.
    const conflicts = created < rows ? await staged.conflicts(batch) : [];
    if (created < rows && !skipConflicts) return refused('staged_keys_exist', { rows: conflicts });
    // One entry for the whole batch: each license has the source, the maker and the time of the entry.
    const action = generatorId === null ? 'license.import' : 'license.generate';
    const about = { created, source, ...(generatorId !== null && { generator_id: generatorId }) };
    if (created > 0) record({ action, id: null, about });
    return done({ created, conflicts });
  },
});
