import type { Actor } from '../domain/actor.ts';
import type { ApiKey } from '../domain/api-key.ts';
import type { Datetime } from '../domain/datetime.ts';
import type { Generator } from '../domain/generator.ts';
import type { License } from '../domain/licenses/license.ts';
import type { LicenseNotes } from '../domain/licenses/license-notes.ts';
import type { AuditReads, AuditWrites } from './audit/audit.ts';
import type {
  DeliveryReads,
  DeliveryWrites,
  EndpointReads,
  EndpointWrites,
  EventReads,
  EventWrites,
  ExpiryWrites,
} from './events/events.ts';
import type { MasterKeyReads, MasterKeyWrites, Resealed, StagedPlace } from './keys/master-key-state.ts';
import type { SigningKeyReads, SigningKeyWrites } from './keys/signing-keys.ts';
import type {
  ActivationReads,
  ActivationWrites,
  LicenseReads,
  LicenseWrites,
  RevocationReads,
  RevocationWrites,
} from './licenses/licenses.ts';
import type { NoteReads, NoteWrites } from './licenses/notes.ts';
import type { TrashReads, TrashWrites } from './licenses/trash.ts';
import type { MoveReads, MoveWrites } from './moving/moving.ts';
import type { ListedById, PageById } from './pages.ts';
import type { InvitationReads, InvitationWrites, SessionReads, SessionWrites } from './people/sessions.ts';
import type { UserReads, UserWrites } from './people/users.ts';
import type { ApiKeyRow, GeneratorRow, StagedLicense } from './records.ts';
import type {
  ArtifactReads,
  ArtifactWrites,
  DownloadReads,
  DownloadWrites,
  ProductReads,
  ReleaseReads,
  ReleaseWrites,
  SoftwareReads,
  SoftwareWrites,
} from './releases/releases.ts';
import type { RepeatableRequest, RepeatableWrites } from './repeatable.ts';
import type { StoreFigures } from './reports/figures.ts';
import type { Reports, ReportWrites } from './reports/reports.ts';

export type * from './audit/audit.ts';
export * from './errors.ts';
export * from './events/events.ts';
export type * from './keys/master-key-state.ts';
export type * from './keys/signing-keys.ts';
export * from './licenses/licenses.ts';
export type * from './licenses/notes.ts';
export type * from './licenses/trash.ts';
export * from './moving/moving.ts';
export type * from './pages.ts';
export type * from './people/sessions.ts';
export type * from './people/users.ts';
export type * from './records.ts';
export * from './releases/releases.ts';
export type * from './repeatable.ts';
export type * from './reports/figures.ts';
export * from './reports/reports.ts';

/** The database, in domain types. Each engine implements it, and decides where a command runs and in what transaction. */
export interface Store {
  /** Reads outside commands. They never wait for a writer. A list and its total may come from two snapshots. */
  readonly read: Reads;
  /** Whether other processes may use the same database. */
  readonly shared: boolean;
  /**
   * Runs a command and resolves with its result after a durable commit. Rolls a refused command back.
   * @throws StoreUnavailable
   */
  run(job: Job): Promise<unknown>;
  /** Resolves when every process knows of the last change to event endpoints, so that no process misses an event. */
  settled(): Promise<void>;
  /**
   * Rewrites the file of an SQLite database if it may hold old values of converted rows. Writes wait meanwhile.
   * @throws StoreUnavailable, for example if the disk has no room for a second copy
   */
  rewriteIfDue(): Promise<void>;
  /** Whether the database answers and has all migrations. */
  ready(): Promise<boolean>;
  figures(): StoreFigures;
  /** Waits for running commands, then closes the database. */
  close(): Promise<void>;
}

export interface Job extends Conditions {
  name: string;
  input: unknown;
  actor: Actor;
  /** The time of the command. */
  now: Datetime;
  /**
   * Whether the statements of the command make it safe to run concurrently with others: each changes only rows that
   * are as the command expects. Any other command runs as if it were alone.
   */
  guarded: boolean;
}

/** A version of a record, named by its etag (`app/etags.ts`). */
export interface Expected {
  kind:
    | 'api_key'
    | 'event_endpoint'
    | 'generator'
    | 'license'
    | 'license_notes'
    | 'release'
    | 'software'
    | 'user';
  id: number;
  etag: string;
}

/** The conditions under which a request changes something. */
export interface Conditions {
  /**
   * The version of a record that the caller has read. If the record has another version, the job is refused with
   * `record_changed`.
   */
  expects?: Expected | undefined;
  /** Set if the request may be repeated. */
  request?: RepeatableRequest | null | undefined;
}

/** Runs a job inside the transaction that the engine has begun. */
export type RunJob = (transaction: Transaction, job: Job) => Promise<unknown>;

/** A node's share of the requests that a client may make. */
export interface RequestLease {
  /** Number of requests that the node may accept; 0 if the limit is reached. */
  requests: number;
  /** Number of requests left after the shares that nodes were given, this one included. */
  beyond: number;
  /** When the next count begins, in milliseconds since the epoch. */
  until: number;
}

export interface Reads {
  readonly licenses: LicenseReads;
  readonly activations: ActivationReads;
  readonly revocations: RevocationReads;
  readonly notes: NoteReads;
  readonly trash: TrashReads;
  readonly generators: {
    find(id: number): Promise<Generator | null>;
    /** Newest first. */
    list(page: PageById): Promise<ListedById<Generator>>;
  };
  readonly apiKeys: {
    /**
     * Finds the API key of a consumer key.
     * @param keyHash hash of the consumer key, made as the key's `hashedBy` says
     * @param isGood a cached key that is not good is read from the database, as an unknown key is: the response time
     * must not reveal whether a key exists
     */
    findByHash(keyHash: Uint8Array, isGood?: (apiKey: ApiKey) => boolean): Promise<ApiKey | null>;
    /** Newest first. */
    list(): Promise<ApiKey[]>;
  };
  readonly users: UserReads;
  readonly sessions: SessionReads;
  readonly invitations: InvitationReads;
  readonly staged: {
    /** Numbers of the rows in a batch whose license key an earlier row has too, ascending. */
    repeated(batch: string): Promise<number[]>;
    /** The next batch after `batch`, and when its first row was staged; null after the last one. */
    next(batch: string): Promise<{ batch: string; stagedAt: Datetime } | null>;
  };
  readonly moves: MoveReads;
  readonly software: SoftwareReads;
  readonly releases: ReleaseReads;
  readonly artifacts: ArtifactReads;
  readonly audit: AuditReads;
  readonly masterKey: MasterKeyReads;
  readonly signingKeys: SigningKeyReads;
  readonly downloads: DownloadReads;
  readonly events: EventReads;
  readonly endpoints: EndpointReads;
  readonly deliveries: DeliveryReads;
  readonly products: ProductReads;
  readonly reports: Reports;
}

/** Reads and changes inside the transaction of a command. */
export interface Transaction extends Reads {
  readonly licenses: LicenseReads & LicenseWrites;
  readonly activations: ActivationReads & ActivationWrites;
  /** Requests of programs, by license. */
  readonly requests: RepeatableWrites<{ activationId: number; isNew: boolean }>;
  /** Changes of users. A result is stored as JSON. */
  readonly repeatedChanges: RepeatableWrites<unknown>;
  readonly revocations: RevocationReads & RevocationWrites;
  readonly generators: Reads['generators'] & {
    insert(row: GeneratorRow): Promise<Generator>;
    /** @param generator as it was read */
    update(generator: Generator, changes: Partial<Generator>): Promise<void>;
    delete(id: number): Promise<void>;
  };
  readonly apiKeys: Reads['apiKeys'] & {
    find(id: number): Promise<ApiKey | null>;
    /** Inserts a key. @returns its id. @throws UniqueViolation */
    insert(row: ApiKeyRow): Promise<number>;
    update(id: number, changes: Partial<ApiKey>): Promise<void>;
    touch(id: number, at: Datetime): Promise<void>;
    /**
     * Replaces a hash made by the WordPress plugin (HMAC under `wc-api`), unless another key has the new hash.
     * @param keyHash SHA-256 of the same consumer key
     */
    replacePluginHash(id: number, keyHash: Uint8Array): Promise<void>;
  };
  readonly notes: NoteReads & NoteWrites;
  readonly reports: Reports & ReportWrites;
  readonly trash: TrashReads & TrashWrites;
  readonly users: UserReads & UserWrites;
  readonly sessions: SessionReads & SessionWrites;
  readonly invitations: InvitationReads & InvitationWrites;
  readonly staged: Reads['staged'] & {
    count(batch: string): Promise<number>;
    /** Stages rows. @returns numbers of the rows that were left out because a license has their key */
    insert(batch: string, licenses: readonly StagedLicense[], now: Datetime): Promise<number[]>;
    /** Numbers of the rows in a batch whose key another license has, ascending. Works before and after the commit. */
    conflicts(batch: string): Promise<number[]>;
    /** Inserts the staged rows as licenses, in order, except rows whose key is taken. @returns the number of licenses */
    commit(batch: string, made: Pick<License, 'source' | 'createdAt' | 'createdBy'>): Promise<number>;
    /** Rows after `after` that have notes, in order, with the licenses that were made from them, if any. */
    notes(
      batch: string,
      after: number,
      atMost: number,
    ): Promise<{ row: number; licenseId: number | null; notes: LicenseNotes }[]>;
    discardRows(batch: string, rows: readonly number[]): Promise<void>;
    /** Deletes staged rows of a batch, or rows that were staged before an instant. @returns how many */
    discard(which: { batch: string } | { before: Datetime }, atMost: number): Promise<number>;
    /** Like `licenses.reseal`, for staged license keys. */
    reseal(keyId: string, after: StagedPlace, atMost: number): Promise<Resealed<StagedPlace>>;
  };
  readonly moves: MoveReads & MoveWrites;
  readonly masterKey: MasterKeyReads & MasterKeyWrites;
  readonly signingKeys: SigningKeyReads & SigningKeyWrites;
  readonly software: SoftwareReads & SoftwareWrites;
  readonly releases: ReleaseReads & ReleaseWrites;
  readonly artifacts: ArtifactReads & ArtifactWrites;
  readonly requestCounts: {
    /**
     * Leases some of the requests that a client may make.
     * @param now milliseconds since the epoch
     * @param lasts duration of a count, in milliseconds
     */
    lease(address: string, limit: number, now: number, lasts: number): Promise<RequestLease>;
    /** Deletes counts that have ended. */
    forget(now: number): Promise<void>;
  };
  readonly recordCounts: {
    /** Counts the rows of the tables again, while no other transaction inserts or deletes any. */
    recount(): Promise<void>;
  };
  readonly audit: AuditReads & AuditWrites;
  readonly downloads: DownloadReads & DownloadWrites;
  readonly events: EventReads & EventWrites;
  readonly endpoints: EndpointReads & EndpointWrites;
  readonly deliveries: DeliveryReads & DeliveryWrites;
  readonly expiries: ExpiryWrites;
  readonly housekeeping: {
    /** Returns the time from which it removes old records, usually that of its last run; null before the first. */
    removesFrom(): Promise<Datetime | null>;
    setRemovesFrom(at: Datetime): Promise<void>;
  };
}
