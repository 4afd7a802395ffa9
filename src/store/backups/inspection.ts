import type { ApiKey } from '../../domain/api-key.ts';
import type { Datetime } from '../../domain/datetime.ts';
import type { Artifact, AuditReads, ReleaseWithFile, Rotation, SigningKeyReads } from '../store.ts';

/** Findings about a database, for its operator. */
export interface Inspection {
  /** Names of the migrations that it lacks. */
  missing: string[];
  /** Whether the master key is the database's own; unclaimed where the database has none yet. */
  masterKey: 'fits' | 'differs' | 'not given' | 'unclaimed';
  /** When a rotation retired the given key; null where it never was the database's key. */
  retiredAt: Datetime | null;
  /** The rotation in progress; null also where the key does not fit. */
  rotation: Rotation | null;
  /** Number of license keys that are not under the current sealing key. */
  others: number;
  /** License keys and tokens that cannot be decrypted because they were changed; none where the key does not fit. */
  damaged: DamagedText[];
  /** When the newest record was created; null where none exists. */
  newest: Datetime | null;
  apiKeys: ApiKey[];
  /** Files that the storage must hold. */
  artifacts: Artifact[];
  /** Releases with a file. */
  releases: ReleaseWithFile[];
  /** The tables whose rows triggers count. */
  counts: RecordCount[];
  /** A snapshot of the keys that sign leases; null where the master key does not fit. */
  signingKeys: SigningKeyReads | null;
  /** A snapshot of the end of the audit trail; null where the master key does not fit. */
  audit: AuditEnd | null;
}

/** The row of a license key or of the token of an activation. */
export interface DamagedText {
  table: 'licenses' | 'activations' | 'trashed_licenses' | 'trashed_activations';
  id: number;
}

/** Places of the audit trail that are checked. All of them may take minutes. */
export const END_PLACES = 1_000;
export type AuditEnd = Pick<AuditReads, 'links' | 'linkHash' | 'last' | 'head'>;

export interface RecordCount {
  table: string;
  /** The stored count, which lists show. */
  counted: number;
  /** Rows in the table. */
  there: number;
}

/** What the start of this program would change in a database. */
export interface UpgradeInspection {
  /** The version of Latchkey that applied the last migration; null if it was not recorded. */
  migratedBy: string | null;
  /** In the order in which a start applies them. */
  pending: PendingMigration[];
  /** Names of migrations that this program does not know: a later version applied them. */
  unknown: string[];
  /** Size of the database. */
  bytes: number;
  /** Whether the next start rewrites the whole file, as after a conversion of rows. */
  isRewriteDue: boolean;
}

export interface PendingMigration {
  name: string;
  note: string;
  /** Entries that the start adds to indexes, estimated. */
  indexed: number;
  /** Rows that the server converts afterwards, beside traffic, estimated. */
  rewritten: number;
  isBreaking: boolean;
}

/** Findings about an SQLite database. */
export interface FileInspection extends Inspection {
  /** Faults that SQLite's own check finds. */
  faults: string[];
  /** Whether reads and writes can run concurrently (WAL). */
  concurrent: boolean;
  /** Whether another process holds the write lock for long. */
  locked: boolean;
}

/** Findings about a PostgreSQL database. */
export interface ServerInspection extends Inspection {
  /** For example 18.4. */
  version: string;
  /** Text encoding: UTF8. */
  encoding: string;
  /** Why it refuses changes. */
  refusesChanges: 'replica' | 'read only' | null;
  /** Settings that are off, so that a crash may lose committed changes. */
  careless: string[];
  /** Connections that this node may have, present ones included, and that it may want; null with a pooler. */
  connections: { free: number; wanted: number } | null;
  /** Milliseconds that the server's clock is ahead of this machine's. */
  clockAhead: number;
  /** Null without a replica. */
  replica: ReplicaInspection | null;
}

export interface ReplicaInspection {
  /** Why it could not be inspected; the other values mean nothing then. */
  problem: string | null;
  /** Whether it replicates a server. */
  isReplica: boolean;
  /** Whether it holds the same installation of Latchkey. */
  isSame: boolean;
  /** Lag behind the primary: bytes of the log, and seconds since the last replayed transaction. */
  bytesBehind: number;
  secondsBehind: number | null;
}
