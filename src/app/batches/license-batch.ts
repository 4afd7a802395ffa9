import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Actor } from '../../domain/actor.ts';
import type { Outcome } from '../../domain/refusal.ts';
import type { Reads, StagedLicense } from '../../store/store.ts';
import { YIELD_MS } from '../discarding.ts';
import type { Execute } from '../execute.ts';
import type { CommitStagedLicenses, Committed } from './commit-staged-licenses.ts';
import { discardStaged } from './discard-staged-licenses.ts';

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
  /** Deletes the staged rows; call it after a commit too. */
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
    // Housekeeping deletes after a day what is left now.
    discard: () => discardStaged(execute, { batch }, actor).catch(() => {}),
  };
}
