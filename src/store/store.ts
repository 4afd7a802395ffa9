import type { Actor } from '../domain/actor.ts';
import type { ApiKey, ApiKeyValues } from '../domain/api-key.ts';
import type { Datetime } from '../domain/datetime.ts';
import type {
  DownloadCount,
  DownloadCountFilter,
  DownloadRecord,
  LicenseDownload,
} from '../domain/download.ts';
import type { Generator } from '../domain/generator.ts';
import type { License } from '../domain/license.ts';
import type { Channel, Release } from '../domain/release.ts';
import type { Software } from '../domain/software.ts';
import type { AuditReads, AuditWrites } from './audit/audit.ts';
import type { MasterKeyState, NewRotation, Resealed, StagedPlace } from './keys/master-key-state.ts';
import type { ActivationReads, ActivationWrites, LicenseReads, LicenseWrites } from './licenses/licenses.ts';
import type { Found, ReleasePage } from './licenses/searches.ts';
import type { Listed, ListedById, Page, PageById } from './pages.ts';
import type { InvitationReads, InvitationWrites, SessionReads, SessionWrites } from './people/sessions.ts';
import type { UserReads, UserWrites } from './people/users.ts';
import type {
  ApiKeyRow,
  Artifact,
  ArtifactRow,
  GeneratorRow,
  ReleaseRow,
  SoftwareRow,
  StagedLicense,
} from './records.ts';
import type { ProductReads } from './releases/products.ts';
import type { Reports } from './reports/reports.ts';

export type * from './audit/audit.ts';
export * from './errors.ts';
export type * from './keys/master-key-state.ts';
export * from './licenses/licenses.ts';
export type * from './licenses/searches.ts';
export type * from './pages.ts';
export type * from './people/sessions.ts';
export type * from './people/users.ts';
export type * from './records.ts';
export * from './releases/products.ts';
export type * from './reports/reports.ts';

/**
 * Where everything is kept, in domain types. One implementation per engine; the engine also decides where a
 * command runs and what its transaction is.
 */
export interface Store {
  /** Reads outside a command. They never wait for a writer. A list and its total may be of two moments. */
  readonly read: Reads;
  /** Whether other processes, here or elsewhere, may serve from the same database. */
  readonly shared: boolean;
  /**
   * Runs a command of `app/commands.ts` in one transaction. A refused command leaves no trace.
   * Resolves after the commit is durable. Rejects with StoreUnavailable when the store cannot be reached in time.
   */
  run(job: Job): Promise<unknown>;
  /** Whether the database answers and has every migration. */
  ready(): Promise<boolean>;
  /** Waits for what is running, then lets go of the database. */
  close(): Promise<void>;
}

export interface Job {
  name: string;
  input: unknown;
  actor: Actor;
  /** The one instant of the command. */
  now: Datetime;
  /**
   * It holds beside any others by its own statements, each of which changes only what is still as it must be. Any other
   * command runs as if it were alone.
   */
  guarded: boolean;
}

/** What the engine calls to run a job inside its transaction. */
export type RunJob = (transaction: Transaction, job: Job) => Promise<unknown>;

/** Requests that a client may still make. */
export interface RequestLease {
  /** None where the limit is reached. */
  requests: number;
  /** How many more it may make than those that nodes have been given. */
  beyond: number;
  /** When the count begins anew, in milliseconds since the epoch. */
  until: number;
}

/** A release by the slug of its software and its version, and which bytes it needs. */
export interface ReleaseWithFile {
  software: string;
  version: string;
  artifactId: number;
}

export interface Reads {
  readonly licenses: LicenseReads;
  readonly activations: ActivationReads;
  readonly generators: {
    find(id: number): Promise<Generator | null>;
    /** Newest first. */
    list(page: PageById): Promise<ListedById<Generator>>;
  };
  readonly apiKeys: {
    /**
     * Where keys are kept in memory, only one that is good is taken from there, and the database is asked about any
     * other, as it is about a key that there is not: how long it takes must not tell which it was.
     * @param keyHash SHA-256 of the consumer key
     */
    findByHash(keyHash: Uint8Array, isGood?: (apiKey: ApiKey) => boolean): Promise<ApiKey | null>;
    /** Newest first. */
    list(): Promise<ApiKey[]>;
  };
  readonly users: UserReads;
  readonly sessions: SessionReads;
  readonly invitations: InvitationReads;
  readonly staged: {
    /** Rows of the batch whose key an earlier row has too, in order. */
    repeated(batch: string): Promise<number[]>;
  };
  readonly software: {
    find(id: number): Promise<Software | null>;
    findBySlug(slug: string): Promise<Software | null>;
    /** Newest first. @param products only software of one of these; null for all */
    list(page: PageById, products: readonly number[] | null): Promise<ListedById<Software>>;
    /** Some that a license of a product covers, oldest first, at most so many. */
    covering(productId: number | null, limit: number): Promise<Software[]>;
  };
  readonly releases: {
    find(id: number): Promise<Release | null>;
    findByVersion(softwareId: number, version: string): Promise<Release | null>;
    /** Highest version first. */
    list(softwareId: number, page: Page): Promise<Listed<Release>>;
    /** The same by where a page begins, and of one channel; counted as far as 10,000. */
    search(softwareId: number, page: ReleasePage): Promise<Found<Release, string>>;
    /** Those published in some channels, highest version first; at most RELEASES_AT_ONCE. */
    published(softwareId: number, channels: readonly Channel[]): Promise<Release[]>;
    /** All that have a file, by software and version. */
    withFile(): Promise<ReleaseWithFile[]>;
  };
  readonly artifacts: {
    /** Whether a release may have its bytes under a key of the storage. */
    isUsed(key: string): Promise<boolean>;
    /** All, oldest first. */
    list(): Promise<Artifact[]>;
  };
  readonly audit: AuditReads;
  readonly masterKey: {
    state(): Promise<MasterKeyState>;
    /** License keys, staged ones too, that are under another sealing key than the current one. Reads all of them. */
    countUnderOtherKeys(): Promise<number>;
  };
  readonly downloads: {
    /** Newest day first, of a day the newest release first. */
    counts(filter: DownloadFilter, page: Page): Promise<Listed<DownloadCount>>;
    /** Of all releases together, by day, oldest first; days without any are left out. */
    byDay(filter: DownloadFilter): Promise<Omit<DownloadCount, 'releaseId' | 'version'>[]>;
    /** Of all days together, by release, the most downloaded first, at most so many. */
    byRelease(filter: DownloadFilter, atMost: number): Promise<Omit<DownloadCount, 'day'>[]>;
    /** What was downloaded with a license, newest first. @param before only those with a lower id */
    ofLicense(licenseId: number, before: number, limit: number): Promise<LicenseDownload[]>;
  };
  readonly products: ProductReads;
  readonly reports: Reports;
}

/** Releases looked through for what to offer, and told of: changelogs may be long. */
export const RELEASES_AT_ONCE = 100;

export interface DownloadFilter extends DownloadCountFilter {
  softwareId: number;
}

/** What a command may do inside its transaction. */
export interface Transaction extends Reads {
  readonly licenses: LicenseReads & LicenseWrites;
  readonly activations: ActivationReads & ActivationWrites;
  readonly generators: Reads['generators'] & {
    insert(row: GeneratorRow): Promise<Generator>;
    update(id: number, changes: Partial<Generator>): Promise<void>;
    delete(id: number): Promise<void>;
  };
  readonly apiKeys: Reads['apiKeys'] & {
    find(id: number): Promise<ApiKey | null>;
    /** @throws UniqueViolation */
    insert(row: ApiKeyRow): Promise<number>;
    replaceSecret(id: number, secretHash: Uint8Array): Promise<void>;
    /** False when there is no such key, or it was revoked already. */
    revoke(id: number, now: Datetime): Promise<boolean>;
    /** False when there is no such key, or it was revoked. */
    update(id: number, changes: Partial<ApiKeyValues>): Promise<boolean>;
    /** Notes that another key replaces this one, and when this one expires. */
    replace(id: number, by: number, expiresAt: Datetime): Promise<void>;
    touch(id: number, at: Datetime): Promise<void>;
  };
  readonly users: UserReads & UserWrites;
  readonly sessions: SessionReads & SessionWrites;
  readonly invitations: InvitationReads & InvitationWrites;
  readonly staged: Reads['staged'] & {
    count(batch: string): Promise<number>;
    /** The rows left out, because a license has their key. */
    insert(batch: string, licenses: readonly StagedLicense[], now: Datetime): Promise<number[]>;
    /** Rows of the batch whose key another license has got since, in order; asked before or after the commit. */
    conflicts(batch: string): Promise<number[]>;
    /** Turns the staged rows into licenses, in their order, but for those whose key is taken by then: how many. */
    commit(batch: string, made: Pick<License, 'source' | 'createdAt' | 'createdBy'>): Promise<number>;
    /** Removes some staged rows, of a batch or of all begun before an instant: how many. */
    discard(which: { batch: string } | { before: Datetime }, atMost: number): Promise<number>;
    /** As that of licenses. */
    reseal(keyId: string, after: StagedPlace, atMost: number): Promise<Resealed<StagedPlace>>;
  };
  readonly masterKey: Reads['masterKey'] & {
    /** Writes down that a rotation begins. False, and nothing is changed, where it cannot, or one is under way. */
    begin(rotation: NewRotation, now: Datetime): Promise<boolean>;
    /** From now on the new key seals. False where no such rotation is under way. */
    switch(to: string): Promise<boolean>;
    /** From now on the database opens with the new master key only. False where it has not switched. */
    finish(to: string, now: Datetime): Promise<boolean>;
  };
  readonly software: Reads['software'] & {
    /** @throws UniqueViolation */
    insert(row: SoftwareRow): Promise<Software>;
    /** @throws UniqueViolation */
    update(id: number, changes: Partial<Software>): Promise<void>;
    /** With its releases. */
    delete(id: number): Promise<void>;
  };
  readonly releases: Reads['releases'] & {
    /** Its id. @throws UniqueViolation */
    insert(row: ReleaseRow): Promise<number>;
    /** @throws UniqueViolation */
    update(
      id: number,
      changes: Partial<ReleaseRow & Pick<Release, 'updatedAt' | 'updatedBy'>>,
    ): Promise<void>;
    delete(id: number): Promise<void>;
  };
  readonly artifacts: Reads['artifacts'] & {
    /** The artifact of these bytes: the one that is there, whatever its key, or else this one. */
    findOrInsert(row: ArtifactRow): Promise<Artifact>;
    /** Forgets those that no release has: their keys, under which nothing is wanted any more. */
    dropUnused(): Promise<string[]>;
  };
  readonly requestCounts: {
    /** Gives some of the requests that a client may make in its minute. @param now milliseconds since the epoch */
    lease(address: string, limit: number, now: number, lasts: number): Promise<RequestLease>;
    /** Forgets minutes that are over. */
    forget(now: number): Promise<void>;
  };
  readonly recordCounts: {
    /** Counts anew how many records the tables have; while it does, nobody else changes that. */
    recount(): Promise<void>;
  };
  readonly audit: AuditReads & AuditWrites;
  readonly downloads: Reads['downloads'] & {
    insert(row: DownloadRecord & { createdAt: Datetime }): Promise<void>;
    /** Deletes some records that were made before an instant, oldest first: how many. */
    discard(before: Datetime, atMost: number): Promise<number>;
  };
}
