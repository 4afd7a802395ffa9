import type { Activation } from '../domain/activation.ts';
import type { ApiKey } from '../domain/api-key.ts';
import type { Datetime } from '../domain/datetime.ts';
import type { Generator } from '../domain/generator.ts';
import type { License } from '../domain/license.ts';
import type { Release } from '../domain/release.ts';
import type { Software } from '../domain/software.ts';

/** What is written of each noun: a record without what the store gives it. */

/** Bytes that the storage holds. */
export interface Artifact {
  id: number;
  size: number;
  sha256: string;
  sha512: string;
  /** Where the storage has them. */
  key: string;
}

export type LicenseRow = Omit<License, 'id' | 'timesActivated' | 'updatedAt' | 'updatedBy'>;
export type ActivationRow = Omit<Activation, 'id' | 'updatedAt' | 'deactivatedAt'>;
export type GeneratorRow = Omit<Generator, 'id' | 'updatedAt' | 'updatedBy'>;
export type ApiKeyRow = Omit<ApiKey, 'id' | 'revokedAt' | 'replacedBy' | 'lastAccessAt'> & {
  keyHash: Uint8Array;
};

export type SoftwareRow = Omit<Software, 'id' | 'updatedAt' | 'updatedBy'>;
/** Its file by the id of the artifact that holds the bytes. */
export type ReleaseRow = Omit<Release, 'id' | 'file' | 'updatedAt' | 'updatedBy'> & ReleaseFileRow;
export interface ReleaseFileRow {
  artifactId: number | null;
  fileName: string | null;
  fileType: string | null;
}
export type ArtifactRow = Omit<Artifact, 'id'> & { createdAt: Datetime };

/** A license on its way in: kept apart, seen by nobody, until its whole batch is committed. */
export interface StagedLicense {
  /** Position in the batch; ids are given in this order. */
  row: number;
  key: string;
  orderId: number | null;
  productId: number | null;
  userId: number | null;
  expiresAt: Datetime | null;
  validFor: number;
  status: number;
  activationsLimit: number;
}
