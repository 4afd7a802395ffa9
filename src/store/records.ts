import type { Activation, SeatFields } from '../domain/activation.ts';
import type { ApiKey } from '../domain/api-key.ts';
import type { Datetime } from '../domain/datetime.ts';
import type { Generator } from '../domain/generator.ts';
import type { Leasable } from '../domain/lease.ts';
import type { License } from '../domain/licenses/license.ts';
import type { LicenseNotes } from '../domain/licenses/license-notes.ts';
import type { Release } from '../domain/releases/release.ts';
import type { Software } from '../domain/releases/software.ts';
import type { LicenseTerms } from '../domain/terms.ts';

/** The types `…Row` are records without the fields that the store assigns. */

/** A file in the storage. Several releases may share it. */
export interface Artifact {
  id: number;
  size: number;
  sha256: string;
  sha512: string;
  /** Its key in the storage. */
  key: string;
}

export type LicenseRow = Omit<
  License,
  'id' | 'timesActivated' | 'updatedAt' | 'updatedBy' | 'customerEmail' | keyof LicenseTerms
> &
  Partial<LicenseTerms & Pick<License, 'customerEmail'>>;
/** By default, an activation has no device, no end of its seat and no lease. */
export type ActivationRow = Omit<Activation, 'id' | 'updatedAt' | 'deactivatedAt' | SeatFields> &
  Partial<Pick<Activation, 'device' | 'seatExpiresAt'> & Pick<Leasable, 'binding' | 'leasedUntil'>>;
export type GeneratorRow = Omit<Generator, 'id' | 'updatedAt' | 'updatedBy' | keyof LicenseTerms> &
  Partial<LicenseTerms>;
export type ApiKeyRow = Omit<ApiKey, 'id' | 'revokedAt' | 'replacedBy' | 'lastAccessAt'> & {
  keyHash: Uint8Array;
};

/** Without an `id`, it gets the next one. */
export type SoftwareRow = Omit<Software, 'id' | 'updatedAt' | 'updatedBy'> & Partial<Pick<Software, 'id'>>;
/** A release that refers to its file by the id of the artifact. */
export type ReleaseRow = Omit<Release, 'id' | 'file' | 'updatedAt' | 'updatedBy'> & ReleaseFileRow;
export interface ReleaseFileRow {
  artifactId: number | null;
  fileName: string | null;
  fileType: string | null;
}
export type ArtifactRow = Omit<Artifact, 'id'> & { createdAt: Datetime };

/** A license of a batch that is not committed yet, so that nobody sees it. */
export interface StagedLicense extends Omit<LicenseRow, 'source' | 'createdAt' | 'createdBy'> {
  /** Position in the batch; ids are given in this order. */
  row: number;
  notes?: LicenseNotes | null;
}
