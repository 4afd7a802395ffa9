import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Actor } from '../../domain/actor.ts';
import type { Outcome } from '../../domain/refusal.ts';
import type { Reads, StagedLicense } from '../../store/store.ts';
import { discardAll, YIELD_MS } from '../discarding.ts';
import type { Execute } from '../execute.ts';
import type { CommitStagedLicenses, Committed } from './commit-staged-licenses.ts';

/** Licenses written by one transaction; some 15 ms of work. */
export const BATCH_CHUNK = 2_000;

type CommitOptions = Pick<CommitStagedLicenses, 'source' | 'generatorId' | 'skipConflicts'>;

/** Many licenses that come whole or not at all, written in short transactions between which others get their turn. */
export interface LicenseBatch {
  /** Answers the rows left out, because a license has their key. Keys that repeat within the batch are not noticed. */
  add(licenses: readonly StagedLicense[]): Promise<number[]>;
  /** Rows whose key an earlier row has too. */
  repeated(): Promise<number[]>;
  commit(options: CommitOptions): Promise<Outcome<Committed>>;
  /** Removes what is staged; owed after a commit too. What a crash leaves, `discardAbandoned` removes. */
  discard(): Promise<void>;
}

export function beginLicenseBatch(reads: Reads, execute: Execute, actor: Actor): LicenseBatch {
  const batch = randomUUID();
  let rows = 0;
  return {
    async add(licenses) {
      const staged = await execute('stage-licenses', { batch, licenses }, actor);
      rows += licenses.length - staged.length;
      await setTimeout(YIELD_MS);
      return staged;
    },
    repeated: () => reads.staged.repeated(batch),
    commit: (options) => execute('commit-staged-licenses', { batch, rows, ...options }, actor),
    // What cannot be removed now is removed after a day; the batch itself is done with, one way or the other.
    discard: () => discardAll(() => execute('discard-staged-licenses', { batch }, actor)).catch(() => {}),
  };
}

/** Removes the staged rows of batches that began before an instant and were never finished. */
export const discardAbandoned = (execute: Execute, before: string, actor: Actor): Promise<void> =>
  discardAll(() => execute('discard-staged-licenses', { before }, actor));
