import { SYSTEM } from '../../domain/actor.ts';
import type { Datetime } from '../../domain/datetime.ts';
import type { LicenseSource } from '../../domain/licenses/license.ts';
import { type LicenseNotes, NO_NOTES } from '../../domain/licenses/license-notes.ts';
import { done, type Outcome, refused } from '../../domain/refusal.ts';
import type { StagedLicense } from '../../store/store.ts';
import { defineCommand, type Executes } from '../command.ts';
import { DISCARDED_AT_ONCE, discardAll } from '../discarding.ts';

/**
 * Stages some licenses of a batch. They stay invisible until `commit-staged-licenses`, so a large batch takes many short
 * transactions and is still all or nothing.
 * @returns the rows left out because a license has their key
 */
export const stageLicenses = defineCommand({
  name: 'stage-licenses',
  guarded: true,
  audit: { never: 'they are invisible until commit-staged-licenses, which is recorded' },
  run: (
    { staged },
    { batch, licenses }: { batch: string; licenses: readonly StagedLicense[] },
    { now },
  ): Promise<number[]> => staged.insert(batch, licenses, now),
});

export interface CommitStagedLicenses {
  batch: string;
  /** The number of rows staged. An incomplete batch is not committed. */
  rows: number;
  source: LicenseSource;
  /** The generator of the keys; null for an import. */
  generatorId: number | null;
  /** Skip rows whose key another license or an earlier row has, instead of refusing the batch. */
  skipConflicts: boolean;
}
export interface Committed {
  created: number;
  /** Rows skipped because their key is taken. */
  conflicts: number[];
  /** When the licenses were created, and an upper bound of their ids. */
  createdAt: Datetime;
  upTo: number;
  /** Whether an earlier request with the same idempotency key created the licenses, with its own license keys. */
  isEarlier: boolean;
}

/** Turns a whole batch of staged licenses into licenses. The caller discards the staged rows afterwards. */
export const commitStagedLicenses = defineCommand(
  {
    name: 'commit-staged-licenses',
    guarded: true,
    audit: 'always',
    run: async (
      { staged, licenses },
      { batch, rows, source, generatorId, skipConflicts }: CommitStagedLicenses,
      { actor, now, record },
    ): Promise<Outcome<Committed>> => {
      if ((await staged.count(batch)) !== rows) throw new Error('staged rows of a batch are missing');
      const created = await staged.commit(batch, { source, createdAt: now, createdBy: actor.userId });
      // Search only if rows are missing: for 100,000 licenses the search blocks other commands for 70 to 150 ms.
      const conflicts = created < rows ? await staged.conflicts(batch) : [];
      if (created < rows && !skipConflicts) return refused('staged_keys_exist', { rows: conflicts });
      // One entry for the whole batch. Each license has the same source, author and time.
      const action = generatorId === null ? 'license.import' : 'license.generate';
      const about = { created, source, ...(generatorId !== null && { generator_id: generatorId }) };
      if (created > 0) record({ action, id: null, about, batch });
      const [newest] = (await licenses.list({}, { limit: 1, before: null, offset: 0 })).items;
      return done({ created, conflicts, createdAt: now, upTo: newest?.id ?? 0, isEarlier: false });
    },
  },
  {
    note: (committed) => committed,
    recall: async (_transaction, committed) => ({ ...(committed as Committed), isEarlier: true }),
  },
);

/** Licenses whose notes one transaction writes. */
const NOTED_AT_ONCE = 200;

/**
 * Writes the notes, tags and metadata of a committed batch, some licenses at a time, and deletes their staged rows. Indexing
 * the words of many notes in the transaction of the commit would block other commands.
 * @returns the row to continue after; null at the end
 */
export const noteStagedLicenses = defineCommand({
  name: 'note-staged-licenses',
  audit: { never: 'the import is recorded' },
  run: async (
    { staged, notes },
    { batch, after }: { batch: string; after: number },
  ): Promise<number | null> => {
    const some = await staged.notes(batch, after, NOTED_AT_ONCE);
    const made = some.flatMap(({ licenseId, ...one }) => (licenseId === null ? [] : [{ ...one, licenseId }]));
    // A noted row must go: if it were noted again, it could undo what people have changed.
    await staged.discardRows(
      batch,
      made.map(({ row }) => row),
    );
    const known = await notes.of(made.map(({ licenseId }) => licenseId));
    for (const { licenseId, notes: imported } of made)
      await notes.set(licenseId, completed(known.get(licenseId) ?? NO_NOTES, imported));
    return some.length < NOTED_AT_ONCE ? null : (some.at(-1)?.row ?? null);
  },
});

/** Fills in imported notes where people have written none since the commit. */
const completed = (now: LicenseNotes, imported: LicenseNotes): LicenseNotes => ({
  note: now.note ?? imported.note,
  tags: now.tags.length > 0 ? now.tags : imported.tags,
  meta: now.meta.length > 0 ? now.meta : imported.meta,
});

/** Staged rows of one batch, or of all batches that began before an instant. */
type Which = { batch: string } | { before: Datetime };

/** Deletes at most DISCARDED_AT_ONCE staged rows. Returns how many. */
export const discardStagedLicenses = defineCommand({
  name: 'discard-staged-licenses',
  guarded: true,
  audit: { never: 'they were never visible' },
  run: ({ staged }, which: Which): Promise<number> => staged.discard(which, DISCARDED_AT_ONCE),
});

/** Deletes all staged rows of `which`. */
export const discardStaged = (execute: Executes<typeof discardStagedLicenses>, which: Which): Promise<void> =>
  discardAll(() => execute('discard-staged-licenses', which, SYSTEM));
