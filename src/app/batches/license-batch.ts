import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Actor } from '../../domain/actor.ts';
import type { Outcome } from '../../domain/refusal.ts';
import type { Reads, RepeatableRequest, StagedLicense } from '../../store/store.ts';
import { YIELD_MS } from '../discarding.ts';
import type { Execute } from '../execute.ts';
import { type CommitStagedLicenses, type Committed, discardStaged } from './staged-licenses.ts';

/** Licenses of one transaction: about 15 ms of work. */
export const BATCH_CHUNK = 2_000;

type CommitOptions = Pick<CommitStagedLicenses, 'source' | 'generatorId' | 'skipConflicts'>;

/** Creates many licenses, all or none, in short transactions between which other commands run. */
export interface LicenseBatch {
  /** Stages licenses. Returns the rows left out because a license has their key. Duplicates within the batch stay. */
  add(licenses: readonly StagedLicense[]): Promise<number[]>;
  /** Returns the rows that repeat the key of an earlier row. */
  repeated(): Promise<number[]>;
  commit(options: CommitOptions, request?: RepeatableRequest | null): Promise<Outcome<Committed>>;
  /** Deletes the staged rows. Call it after a commit too. */
  discard(): Promise<void>;
}

export function beginLicenseBatch(reads: Reads, execute: Execute, actor: Actor): LicenseBatch {
  const batch = randomUUID();
  let rows = 0;
  let hasNotes = false;
  return {
    async add(licenses) {
      const staged = await execute('stage-licenses', { batch, licenses }, actor);
      rows += licenses.length - staged.length;
      hasNotes ||= licenses.some(({ notes }) => notes);
      await setTimeout(YIELD_MS);
      return staged;
    },
    repeated: () => reads.staged.repeated(batch),
    async commit(options, request) {
      const input = { batch, rows, ...options };
      const committed = await execute('commit-staged-licenses', input, actor, { request });
      if (!committed.ok || !hasNotes || committed.value.isEarlier) return committed;
      for (let after: number | null = -1; after !== null; await setTimeout(YIELD_MS))
        after = await execute('note-staged-licenses', { batch, after }, actor);
      return committed;
    },
    // If this fails, housekeeping deletes the staged rows after a day.
    discard: () => discardStaged(execute, { batch }, actor).catch(() => {}),
  };
}
