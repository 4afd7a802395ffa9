import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Actor } from '../../domain/actor.ts';
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

type CommitOptions = Pick<CommitStagedLicenses, 'source' | 'generatorId' | 'skipConflicts'>;

/** Creates many licenses, all or none, in short transactions between which other commands run. */
export interface LicenseBatch {
  /** Stages licenses. Returns the rows left out because a license has their key. Duplicates within the batch stay. */
  add(licenses: readonly StagedLicense[]): Promise<number[]>;
  /** Returns the rows that repeat the key of an earlier row. */
  repeated(): Promise<number[]>;
  commit(options: CommitOptions, request?: RepeatableRequest | null): Promise<Outcome<Committed>>;
  /** Deletes the staged rows, unless notes are missing. Call it after a commit too. */
  discard(): Promise<void>;
  /** Whether licenses may lack notes, because the database was away. Housekeeping writes them within two hours. */
  owesNotes(): boolean;
}

export function beginLicenseBatch(reads: Reads, execute: Execute, actor: Actor): LicenseBatch {
  const batch = randomUUID();
  let rows = 0;
  let hasNotes = false;
  /** Whether licenses may lack notes that only the staged rows have. */
  let owesNotes = false;
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
      owesNotes = hasNotes;
      const committed = await execute('commit-staged-licenses', input, actor, { request });
      owesNotes &&= committed.ok && !committed.value.isEarlier;
      if (owesNotes) owesNotes = await noteStaged(execute, batch, actor).then(() => false, isAway);
      return committed;
    },
    owesNotes: () => owesNotes,
    // Otherwise, and if this fails, housekeeping writes missing notes and deletes the staged rows.
    async discard() {
      if (!owesNotes) await discardStaged(execute, { batch }, actor).catch(() => {});
    },
  };
}

/** The licenses are committed, so their batch has not failed if the database is away now. */
function isAway(error: unknown): true {
  if (error instanceof StoreUnavailable) return true;
  throw error;
}

/** Writes the notes of a batch that are not written yet; none if it is not committed. */
async function noteStaged(execute: Execute, batch: string, actor: Actor): Promise<void> {
  for (let after: number | null = -1; after !== null; await setTimeout(YIELD_MS))
    after = await execute('note-staged-licenses', { batch, after }, actor);
}

/**
 * Deletes the rows staged before an instant, after writing the notes of imports that were stopped after their commit.
 * @param noted an instant before which a batch must have begun for its notes to be written: the others may still run
 */
export async function discardOldStaged(
  { store, execute }: Pick<Services, 'store' | 'execute'>,
  { before, noted }: { before: Datetime; noted: Datetime },
  actor: Actor,
): Promise<void> {
  const { staged } = store.read;
  for (let one = await staged.next(''); one; one = await staged.next(one.batch))
    if (one.stagedAt < noted) await noteStaged(execute, one.batch, actor);
  await discardStaged(execute, { before }, actor);
}
