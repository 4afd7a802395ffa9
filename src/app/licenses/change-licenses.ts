import type { Datetime } from '../../domain/datetime.ts';
import type { License, LicenseChanges } from '../../domain/license.ts';
import {
  type Bulk,
  type BulkChange,
  extended,
  type PreviousValues,
  restored,
} from '../../domain/license-bulk.ts';
import { done, type Outcome } from '../../domain/refusal.ts';
import type { Command } from '../command.ts';
import { findLicense } from './licenses.ts';
import { changeLicense } from './update-license.ts';

export interface ChangedLicenses {
  /** Of those that were changed, in the order of their ids. */
  previous: PreviousValues[];
  /** Those that already were as they should be: of an extension those that never expire. */
  unchanged: number[];
  /** Those that are gone and were skipped. */
  gone: number[];
  /** Those that somebody has changed since, which a restore leaves as they are. */
  kept: number[];
}

/** Changes many licenses: all of them that there are still, where those that are gone are to be skipped, or none. */
export const changeLicenses: Command<Bulk, Outcome<ChangedLicenses>> = async (
  transaction,
  input,
  context,
) => {
  const wanted = new Map<number, (license: License) => Outcome<LicenseChanges | null>>();
  if ('restore' in input) {
    for (const one of input.restore) wanted.set(one.id, (license) => done(restored(license, one)));
  } else
    for (const id of input.ids) wanted.set(id, (license) => changesOf(license, input.change, context.now));

  const previous: PreviousValues[] = [];
  const unchanged: number[] = [];
  const gone: number[] = [];
  const kept: number[] = [];
  // In one order, so that two at once do not wait for each other.
  for (const id of [...wanted.keys()].sort((one, other) => one - other)) {
    const found = await findLicense(transaction, { id }, context.actor);
    if (!found.ok) {
      if (!input.skipGone) return found;
      gone.push(id);
      continue;
    }
    const changes = wanted.get(id)?.(found.value) ?? done({});
    if (!changes.ok) return changes;
    if (changes.value === null) {
      kept.push(id);
      continue;
    }
    const { status, expiresAt } = found.value;
    const isSame = Object.entries(changes.value).every(
      ([name, value]) => found.value[name as 'status' | 'expiresAt'] === value,
    );
    if (isSame) {
      unchanged.push(id);
      continue;
    }
    const changed = await changeLicense(transaction, { id }, found.value, changes.value, context);
    if (!changed.ok) return changed;
    const after = changed.value;
    previous.push({ id, status, expiresAt, setStatus: after.status, setExpiresAt: after.expiresAt });
  }
  return done({ previous, unchanged, gone, kept });
};

function changesOf(license: License, change: BulkChange, now: Datetime): Outcome<LicenseChanges> {
  if ('status' in change) return done({ status: change.status });
  if ('expiresAt' in change) return done({ expiresAt: change.expiresAt });
  const expiresAt = extended(license, change.extendDays, now);
  return expiresAt.ok ? done({ expiresAt: expiresAt.value }) : expiresAt;
}
