import type { StagedLicense } from '../store/store.ts';
import type { Command } from './command.ts';

export interface StageLicenses {
  batch: string;
  licenses: readonly StagedLicense[];
}
export interface Staged {
  /** Rows left out, because a license has the key, or an earlier row of the batch. */
  exists: number[];
  repeated: number[];
}

/**
 * Puts some licenses of a batch aside. Nobody sees them until `commit-staged-licenses`, so that a large batch is
 * written in many short transactions and still comes whole or not at all.
 */
export const stageLicenses: Command<StageLicenses, Staged> = async ({ licenses, staged }, input, { now }) => {
  const answer: Staged = { exists: [], repeated: [] };
  const existing = await licenses.existing(input.licenses.map(({ key }) => key));
  for (const license of input.licenses) {
    if (existing.has(license.key)) answer.exists.push(license.row);
    else if (!(await staged.insert(input.batch, license, now))) answer.repeated.push(license.row);
  }
  return answer;
};
