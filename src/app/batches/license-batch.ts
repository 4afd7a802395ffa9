import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { type Actor, SYSTEM } from '../../domain/actor.ts';
import type { Datetime } from '../../domain/datetime.ts';
import type { Outcome } from '../../domain/refusal.ts';
import {
  type Reads,
  type RepeatableRequest,
  type StagedLicense,
  StoreUnavailable,
} from '../../store/store.ts';
import { YIELD_MS } from '../discarding.ts';
import type { Execute, Services } from '../execute.ts';
import { type CommitStagedLicenses, type Committed, discardStaged } from './staged-licenses.ts';

/** Licenses of one transaction: about 15 ms of work. */
export const BATCH_CHUNK = 2_000;

export type LicenseBatch = ReturnType<typeof beginLicenseBatch>;

/** Creates many licenses, all or none, in short transactions between which other commands run. */
export function beginLicenseBatch(reads: Reads, execute: Execute, actor: Actor) {
  const batch = randomUUID();
  let rows = 0;
  let hasNotes = false;
  /** Whether licenses may lack notes that only the staged rows have. */
  let owesNotes = false;
  return {
    /** Stages licenses. Returns the rows left out because a license has their key. Duplicates within the batch stay. */
    async add(licenses: readonly StagedLicense[]): Promise<number[]> {
      const staged = await execute('stage-licenses', { batch, licenses }, actor);
      rows += licenses.length - staged.length;
      hasNotes ||= licenses.some(({ notes }) => notes);
      await setTimeout(YIELD_MS);
      return staged;
    },
    /** Returns the rows that repeat the key of an earlier row. */
    repeated: () => reads.staged.repeated(batch),
    async commit(
      options: Pick<CommitStagedLicenses, 'source' | 'generatorId' | 'skipConflicts'>,
      request?: RepeatableRequest | null,
    ): Promise<Outcome<Committed>> {
      const input = { batch, rows, ...options };
      owesNotes = hasNotes;
      const committed = await execute('commit-staged-licenses', input, actor, { request });
      owesNotes &&= committed.ok && !committed.value.isEarlier;
      if (owesNotes) owesNotes = await noteStaged(execute, batch).then(() => false, isAway);
      return committed;
    },
    /** Whether licenses may lack notes, because the database was away. Housekeeping writes them within two hours. */
    owesNotes: () => owesNotes,
    /**
     * Deletes the staged rows, unless notes are missing. Call it after a commit too. Otherwise, and if this fails,
     * housekeeping writes missing notes and deletes the staged rows.
     */
    async discard(): Promise<void> {
      if (!owesNotes) await discardStaged(execute, { batch }).catch(() => {});
    },
  };
}

/** The licenses are committed, so their batch has not failed if the database is away now. */
function isAway(error: unknown): true {
  if (error instanceof StoreUnavailable) return true;
  throw error;
}

/** Writes the notes of a batch that are not written yet; none if it is not committed. */
async function noteStaged(execute: Execute, batch: string): Promise<void> {
  for (let after: number | null = -1; after !== null; await setTimeout(YIELD_MS))
    after = await execute('note-staged-licenses', { batch, after }, SYSTEM);
}

/**
 * Deletes the rows staged before an instant, after writing the notes of imports that were stopped after their commit.
 * @param noted an instant before which a batch must have begun for its notes to be written: the others may still run
 */
export async function discardOldStaged(
  { store, execute }: Pick<Services, 'store' | 'execute'>,
  { before, noted }: { before: Datetime; noted: Datetime },
): Promise<void> {
  const { staged } = store.read;
  for (let one = await staged.next(''); one; one = await staged.next(one.batch))
    if (one.stagedAt < noted) await noteStaged(execute, one.batch);
  await discardStaged(execute, { before });
}
