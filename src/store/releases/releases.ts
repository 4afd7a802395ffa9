import type { Datetime } from '../../domain/datetime.ts';
import type {
  DownloadCount,
  DownloadCountFilter,
  DownloadRecord,
  LicenseDownload,
} from '../../domain/releases/download.ts';
import type { Channel, Release } from '../../domain/releases/release.ts';
import type { Software } from '../../domain/releases/software.ts';
import type { Found, Listed, ListedById, Page, PageById } from '../pages.ts';
import type { Artifact, ArtifactRow, ReleaseRow, SoftwareRow } from '../records.ts';

export interface SoftwareReads {
  find(id: number): Promise<Software | null>;
  findBySlug(slug: string): Promise<Software | null>;
  /** Newest first. @param products only software of these products; null for all */
  list(page: PageById, products: readonly number[] | null): Promise<ListedById<Software>>;
  /** Software that licenses of a product cover, oldest first. */
  covering(productId: number | null, limit: number): Promise<Software[]>;
  figures(ids: readonly number[]): Promise<SoftwareFigures[]>;
}

export interface SoftwareFigures {
  id: number;
  /** The highest published version, of the stable channel if that has any; null without one. */
  latestVersion: string | null;
  /** Activations that hold a seat; `isMore` if there are more than these. */
  activeInstalls: number;
  isMore: boolean;
}

export interface SoftwareWrites {
  /** @throws UniqueViolation */
  insert(row: SoftwareRow): Promise<Software>;
  /** @throws UniqueViolation */
  update(id: number, changes: Partial<Software>): Promise<void>;
  /** Deletes its releases, too. */
  delete(id: number): Promise<void>;
}

/** Releases read at once: changelogs may be long. */
export const RELEASES_AT_ONCE = 100;
/** Bytes of a changelog that is read together with others. */
export const SHORT_CHANGELOG = 4 * 1024;

/** A release whose changelog is null also if it is longer than SHORT_CHANGELOG: `find` returns it whole. */
export interface PublishedRelease extends Release {
  changelogBytes: number;
}

/** A page of the releases of software, highest version first. */
export interface ReleasePage {
  /** Null for all channels. */
  channel: Channel | null;
  /** Only lower versions than this one, whether it exists or not; null for all. */
  before: string | null;
  limit: number;
}

/** A release by the slug of its software and its version, with the artifact that it needs. */
export interface ReleaseWithFile {
  software: string;
  version: string;
  artifactId: number;
}

export interface ReleaseReads {
  find(id: number): Promise<Release | null>;
  findByVersion(softwareId: number, version: string): Promise<Release | null>;
  /** Highest version first. */
  list(softwareId: number, page: Page): Promise<Listed<Release>>;
  /** Highest version first. */
  search(softwareId: number, page: ReleasePage): Promise<Found<Release, string>>;
  /** Published releases of some channels, highest version first; at most RELEASES_AT_ONCE. */
  published(softwareId: number, channels: readonly Channel[]): Promise<PublishedRelease[]>;
  /** All releases with a file, by software and version. */
  withFile(): Promise<ReleaseWithFile[]>;
}

export interface ReleaseWrites {
  /** Returns its id. @throws UniqueViolation */
  insert(row: ReleaseRow): Promise<number>;
  /** @throws UniqueViolation */
  update(id: number, changes: Partial<ReleaseRow & Pick<Release, 'updatedAt' | 'updatedBy'>>): Promise<void>;
  delete(id: number): Promise<void>;
}

export interface ArtifactReads {
  /** Whether an artifact has this key in the storage. */
  isUsed(key: string): Promise<boolean>;
  /** All, oldest first. */
  list(): Promise<Artifact[]>;
}

export interface ArtifactWrites {
  /** Returns the existing artifact with these bytes, whatever its key, or inserts this one. */
  findOrInsert(row: ArtifactRow): Promise<Artifact>;
  /** Deletes artifacts that no release has. @returns their keys in the storage */
  dropUnused(): Promise<string[]>;
}

export interface DownloadFilter extends DownloadCountFilter {
  softwareId: number;
}

export interface DownloadReads {
  /** Newest day first, then newest release. */
  counts(filter: DownloadFilter, page: Page): Promise<Listed<DownloadCount>>;
  /** Sums of all releases by day, oldest first. Days without downloads are left out. */
  byDay(filter: DownloadFilter): Promise<Omit<DownloadCount, 'releaseId' | 'version'>[]>;
  /** Sums of all days by release, most downloads first. */
  byRelease(filter: DownloadFilter, atMost: number): Promise<Omit<DownloadCount, 'day'>[]>;
  /** Downloads with a license, newest first. @param before only lower ids */
  ofLicense(licenseId: number, before: number, limit: number): Promise<LicenseDownload[]>;
}

export interface DownloadWrites {
  /** @param row with the same `once` as an earlier record, it is neither recorded nor counted; null never is the same */
  insert(row: DownloadRecord & { createdAt: Datetime; once: string | null }): Promise<void>;
  /** Deletes records of a license, or those of a release without a license, beyond the newest `keep`, oldest first. */
  forget(of: { licenseId: number } | { releaseId: number }, keep: number, atMost: number): Promise<void>;
  /** Deletes records from before an instant, oldest first. @returns how many */
  discard(before: Datetime, atMost: number): Promise<number>;
}

export const NAMES_MAX = 3;

/** Products are ids of another system. They have no table: those exist that records name. */
export interface ProductReads {
  /** Products of licenses, lowest first. */
  ofLicenses(atMost: number): Promise<number[]>;
  /** Products that software names, lowest first. */
  ofSoftware(atMost: number): Promise<number[]>;
  /** Names of the software of products, oldest first, at most NAMES_MAX each. Products without software are left out. */
  names(ids: readonly number[]): Promise<Map<number, string[]>>;
}
