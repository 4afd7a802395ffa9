import type { StagedLicense } from '../../store/store.ts';
import { defineCommand } from '../command.ts';

export interface StageLicenses {
  batch: string;
  licenses: readonly StagedLicense[];
}

/**
 * Stages some licenses of a batch. Nobody sees them before `commit-staged-licenses`: a large batch is written in many
 * short transactions and is still all or nothing.
 * @returns the rows left out because a license has their key
 */
export const stageLicenses = defineCommand({
  name: 'stage-licenses',
  guarded: true,
  audit: { never: 'nobody sees them before commit-staged-licenses, which is recorded' },
  run: ({ staged }, { batch, licenses }: StageLicenses, { now }): Promise<number[]> =>
    staged.insert(batch, licenses, now),
});
