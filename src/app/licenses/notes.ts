import type { Actor } from '../../domain/actor.ts';
import { withDefaults } from '../../domain/fields.ts';
import {
  type LicenseNotes,
  type MetaEntry,
  metaObject,
  NO_NOTES,
  type NotesInput,
} from '../../domain/licenses/license-notes.ts';
import { done, type Outcome } from '../../domain/refusal.ts';
import type { Reads } from '../../store/store.ts';
import { defineCommand } from '../command.ts';
import { findLicense } from './licenses.ts';

export async function getNotes(reads: Reads, id: number, actor: Actor): Promise<Outcome<LicenseNotes>> {
  const found = await findLicense(reads, { id }, actor);
  return found.ok ? done(await reads.notes.one(id)) : found;
}

/** Changes the note, tags and metadata of a license that are sent; null clears a value. */
export const updateLicenseNotes = defineCommand({
  name: 'update-license-notes',
  audit: 'always',
  run: async (
    transaction,
    { id, changes }: { id: number; changes: NotesInput },
    { actor, record },
  ): Promise<Outcome<LicenseNotes>> => {
    const found = await findLicense(transaction, { id }, actor);
    if (!found.ok) return found;
    const license = found.value;
    const before = await transaction.notes.one(id);
    const after: LicenseNotes = { ...before, ...withDefaults(changes, NO_NOTES) };
    await transaction.notes.set(id, after);
    record({
      action: 'license.update',
      id,
      before: { ...license, ...recorded(before, after) },
      after: { ...license, ...recorded(after, before) },
    });
    return done(after);
  },
});

/** Returns notes for the audit trail, with only the metadata that differs from `other`. */
const recorded = ({ note, tags, meta }: LicenseNotes, other: LicenseNotes) => {
  const valuesOf = (entries: readonly MetaEntry[], name: string) =>
    JSON.stringify(entries.filter((one) => one.name === name));
  const differs = ({ name }: MetaEntry) => valuesOf(meta, name) !== valuesOf(other.meta, name);
  return { note, tags, meta: metaObject(meta.filter(differs)) };
};
