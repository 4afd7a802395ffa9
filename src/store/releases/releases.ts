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
  figures(ids: readonly number[], now: Datetime): Promise<SoftwareFigures[]>;
}

export interface SoftwareFigures {
  id: number;
  /** The highest published version in the stable channel, or in any channel if that has none; null if none is published. */
  latestVersion: string | null;
  /** Number of activations that hold a seat, counted up to a limit; `isMore` if there are more. */
  activeInstalls: number;
  isMore: boolean;
}

export interface SoftwareWrites {
  /** @throws UniqueViolation */
  insert(row: SoftwareRow): Promise<Software>;
  /** @throws UniqueViolation */
  update(id: number, changes: Partial<Software>): Promise<void>;
  /** Deletes software and its releases. */
  delete(id: number): Promise<void>;
}

/** Maximum number of releases in one read: changelogs may be long. */
export const RELEASES_AT_ONCE = 100;
/** Longest changelog, in bytes, that is read together with others. */
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
  /** All artifacts, oldest first. */
  list(): Promise<Artifact[]>;
}

export interface ArtifactWrites {
  /** Returns the existing artifact with these bytes, whatever its key, or inserts this one. */
  findOrInsert(row: ArtifactRow): Promise<Artifact>;
  /** Deletes artifacts that no release refers to. @returns their keys in the storage */
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
  /** Records and counts a download, unless an earlier record has the same `once`. A null `once` is never the same. */
  insert(row: DownloadRecord & { createdAt: Datetime; once: string | null }): Promise<void>;
  /**
   * Deletes the oldest records of downloads beyond the newest `keep`: of a license, or of a release without a license.
   */
  forget(of: { licenseId: number } | { releaseId: number }, keep: number, atMost: number): Promise<void>;
  /**
   * Deletes records from before an instant, oldest first, and ignores records later than `now`, from when the clock was
   * ahead. @returns how many
   */
  discard(before: Datetime, now: Datetime, atMost: number): Promise<number>;
}

export const NAMES_MAX = 3;

/** Products are ids of another system and have no table: a product exists if a record names it. */
export interface ProductReads {
  /** Products of licenses, lowest first. */
  ofLicenses(atMost: number): Promise<number[]>;
  /** Products that software names, lowest first. */
  ofSoftware(atMost: number): Promise<number[]>;
  /** Names of the software of products, oldest first, at most NAMES_MAX each. Products without software are left out. */
  names(ids: readonly number[]): Promise<Map<number, string[]>>;
}
