import type { StagedLicense } from '../../store/store.ts';
import type { Command } from '../command.ts';

export interface StageLicenses {
  batch: string;
  licenses: readonly StagedLicense[];
}

/**
 * Puts some licenses of a batch aside. Nobody sees them until `commit-staged-licenses`, so that a large batch is
 * written in many short transactions and still comes whole or not at all.
 * Answers the rows left out, because a license has their key.
 */
export const stageLicenses: Command<StageLicenses, number[]> = ({ staged }, { batch, licenses }, { now }) =>
  staged.insert(batch, licenses, now);
