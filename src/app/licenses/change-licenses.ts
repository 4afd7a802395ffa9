import type { Datetime } from '../../domain/datetime.ts';
import type { License, LicenseChanges } from '../../domain/licenses/license.ts';
import {
  type Bulk,
  type BulkChange,
  extended,
  type PreviousValues,
  restored,
} from '../../domain/licenses/license-bulk.ts';
import { done, type Outcome } from '../../domain/refusal.ts';
import { defineCommand } from '../command.ts';
import { changeLicense, findLicense } from './licenses.ts';

export interface ChangedLicenses {
  /** The changed licenses, in the order of their ids. */
  previous: PreviousValues[];
  /** Licenses that already had the values; in an extension, also licenses that never expire. */
  unchanged: number[];
  /** Deleted licenses that were skipped. */
  gone: number[];
  /** In a restore: licenses that were changed again since, and are left as they are. */
  kept: number[];
}

/** Changes many licenses, all or none; with `skipGone`, all licenses that still exist. */
export const changeLicenses = defineCommand(
  {
    name: 'change-licenses',
    guarded: true,
    audit: 'always',
    run: async (transaction, input: Bulk, context): Promise<Outcome<ChangedLicenses>> => {
      const wanted: [number, (license: License) => Outcome<LicenseChanges | null>][] =
        'restore' in input
          ? input.restore.map((one) => [one.id, (license) => done(restored(license, one))])
          : input.ids.map((id) => [id, (license) => changesOf(license, input.change, context.now)]);
      const result: ChangedLicenses = { previous: [], unchanged: [], gone: [], kept: [] };
      // In the order of ids, so that two of these commands cannot deadlock.
      for (const [id, changesFor] of [...new Map(wanted)].sort(([one], [other]) => one - other)) {
        const found = await findLicense(transaction, { id }, context.actor);
        if (!found.ok) {
          if (!input.skipGone) return found;
          result.gone.push(id);
          continue;
        }
        const { status, expiresAt } = found.value;
        const changes = changesFor(found.value);
        if (!changes.ok) return changes;
        if (changes.value === null) {
          result.kept.push(id);
        } else if (isSame(found.value, changes.value)) {
          result.unchanged.push(id);
        } else {
          const changed = await changeLicense(transaction, { id }, found.value, changes.value, context);
          if (!changed.ok) return changed;
          const { status: setStatus, expiresAt: setExpiresAt } = changed.value;
          // The other field may have changed since the license was read: undoing this change must not undo that.
          result.previous.push({
            id,
            status: 'status' in changes.value ? status : setStatus,
            expiresAt: 'expiresAt' in changes.value ? expiresAt : setExpiresAt,
            setStatus,
            setExpiresAt,
          });
        }
      }
      return done(result);
    },
  },
  {
    note: (changed) => changed,
    recall: async (_transaction, changed) => changed as ChangedLicenses,
  },
);

const isSame = (license: License, changes: LicenseChanges): boolean =>
  Object.entries(changes).every(([name, value]) => license[name as 'status' | 'expiresAt'] === value);

function changesOf(license: License, change: BulkChange, now: Datetime): Outcome<LicenseChanges | null> {
  if ('status' in change) return done({ status: change.status });
  if ('expiresAt' in change) return done({ expiresAt: change.expiresAt });
  const expiresAt = extended(license, change.extendDays, now);
  return expiresAt.ok ? done({ expiresAt: expiresAt.value }) : expiresAt;
}
