import { setTimeout } from 'node:timers/promises';
import { type Actor, reaches, SYSTEM } from '../../domain/actor.ts';
import type { Datetime } from '../../domain/datetime.ts';
import type { TrashedLicense } from '../../domain/licenses/license.ts';
import { done, notFound, type Outcome, refused } from '../../domain/refusal.ts';
import type { Reads } from '../../store/store.ts';
import { defineCommand, type Executes } from '../command.ts';
import { DISCARDED_AT_ONCE, discardAll, YIELD_MS } from '../discarding.ts';
import { unlessTaken } from '../unless-taken.ts';
import { asHeld } from './held-seats.ts';
import { ACTIVATIONS_PER_STEP } from './licenses.ts';

/** Finds a deleted license by its id, if it exists for the actor. */
async function findTrashed({ trash }: Reads, id: number, actor: Actor): Promise<TrashedLicense | null> {
  const license = await trash.find(id);
  return license && reaches(actor, license) ? license : null;
}

/** The result of a restore, by license id. */
export interface Restored {
  restored: number[];
  /** Ids that are not in the trash. */
  gone: number[];
  /** Ids that stay in the trash, because another license now has the key or the id. */
  taken: number[];
}

/** Restores deleted licenses, up to ACTIVATIONS_PER_STEP activations in a step. Returns in `left` the remaining ids. */
export const restoreLicenses = defineCommand({
  name: 'restore-licenses',
  audit: 'always',
  run: async (
    transaction,
    { ids }: { ids: readonly number[] },
    { actor, now, record },
  ): Promise<Outcome<Restored & { left: number[] }>> => {
    const result: Restored = { restored: [], gone: [], taken: [] };
    const left = [...ids];
    for (let budget = ACTIVATIONS_PER_STEP; ; left.shift()) {
      const [id] = left;
      if (id === undefined || budget <= 0) return done({ ...result, left });
      const license = await findTrashed(transaction, id, actor);
      if (!license) {
        result.gone.push(id);
        continue;
      }
      const step = await unlessTaken(refused('license_key_exists', { named: license.key }), () =>
        transaction.trash.restore(license, budget, actor.userId, now),
      );
      if (!step.ok) return step;
      if (step.value === null) {
        result.taken.push(id);
        continue;
      }
      if (!step.value.isDone) return done({ ...result, left });
      budget -= step.value.activations;
      const restored = await asHeld(transaction, step.value.license, now);
      record({ action: 'license.restore', id, after: restored, deletedAt: license.deletedAt });
      result.restored.push(id);
    }
  },
});

/** Restores deleted licenses, each as a whole; in several transactions if they have many activations. */
export async function restoreAll(
  execute: Executes<typeof restoreLicenses>,
  ids: readonly number[],
  actor: Actor,
): Promise<Outcome<Restored>> {
  const result: Restored = { restored: [], gone: [], taken: [] };
  // In the order of ids, so that two restores cannot deadlock.
  let left: readonly number[] = [...new Set(ids)].sort((one, other) => one - other);
  for (;;) {
    const step = await execute('restore-licenses', { ids: left }, actor);
    if (!step.ok) return step;
    for (const name of ['restored', 'gone', 'taken'] as const) result[name].push(...step.value[name]);
    left = step.value.left;
    if (left.length === 0) return done(result);
    await setTimeout(YIELD_MS);
  }
}

/** Removes a deleted license for good, before its time; in several steps (`inSteps`) if it has many activations. */
export const removeLicense = defineCommand({
  name: 'remove-license',
  audit: 'always',
  run: async (
    transaction,
    { id }: { id: number },
    { actor, record },
  ): Promise<Outcome<{ isDone: boolean }>> => {
    if (!(await findTrashed(transaction, id, actor))) return notFound('license', { id });
    const removed = await transaction.trash.discard({ licenseId: id }, DISCARDED_AT_ONCE);
    if (removed === 0) return notFound('license', { id });
    const isDone = (await transaction.trash.find(id)) === null;
    // Without the values: `license.delete` has them, and entries cannot be removed.
    if (isDone) record({ action: 'license.remove', id });
    return done({ isDone });
  },
});

/** Removes some licenses and activations that were deleted before an instant. Returns how many rows. */
export const discardTrash = defineCommand({
  name: 'discard-trash',
  audit: { never: 'their deletion is recorded, and a setting says how long they are kept' },
  run: ({ trash }, { before }: { before: Datetime }): Promise<number> =>
    trash.discard({ before }, DISCARDED_AT_ONCE),
});

/** Interrupted restores that one run finishes. Most come from a process that was killed, so there are few. */
const FINISHED_AT_ONCE = 100;

/** Finishes restores that were interrupted between two steps, then removes what was deleted before an instant. */
export async function tidyTrash(
  { trash }: Reads,
  execute: Executes<typeof restoreLicenses> & Executes<typeof discardTrash>,
  before: Datetime,
): Promise<void> {
  try {
    const ids = await trash.halfRestored(FINISHED_AT_ONCE);
    if (ids.length > 0) await restoreAll(execute, ids, SYSTEM);
  } finally {
    await discardAll(() => execute('discard-trash', { before }, SYSTEM));
  }
}
