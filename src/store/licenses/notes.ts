import type { LicenseNotes } from '../../domain/licenses/license-notes.ts';

export interface NoteReads {
  /** By license; those without any are left out. */
  of(licenseIds: readonly number[]): Promise<Map<number, LicenseNotes>>;
  one(licenseId: number): Promise<LicenseNotes>;
  /** The tags that licenses have, at most so many, sorted by their bytes. */
  tags(atMost: number): Promise<string[]>;
}
export interface NoteWrites {
  /** Replaces the notes of a license. */
  set(licenseId: number, notes: LicenseNotes): Promise<void>;
}
