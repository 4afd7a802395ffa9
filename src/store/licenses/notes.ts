import type { LicenseNotes } from '../../domain/licenses/license-notes.ts';

export interface NoteReads {
  /** Notes keyed by license id. Licenses without notes are missing. */
  of(licenseIds: readonly number[]): Promise<Map<number, LicenseNotes>>;
  one(licenseId: number): Promise<LicenseNotes>;
  /** The tags of all licenses, sorted by their bytes; at most `atMost`. */
  tags(atMost: number): Promise<string[]>;
}
export interface NoteWrites {
  /** Replaces the notes of a license. */
  set(licenseId: number, notes: LicenseNotes): Promise<void>;
}
