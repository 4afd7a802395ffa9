import type { ApiKey } from '../../domain/api-key.ts';
import type { Datetime } from '../../domain/datetime.ts';
import type { EventEndpoint } from '../../domain/events/endpoint.ts';
import type { SealedTable } from '../keys/master-key-state.ts';
import type { Artifact, AuditReads, ReleaseWithFile, Rotation, SigningKeyReads } from '../store.ts';

/** Findings about a database, for its operator. */
export interface Inspection {
  /** Names of the migrations that the database lacks. */
  missing: string[];
  /** Whether the master key is the database's own; `unclaimed` if the database has no master key yet. */
  masterKey: 'fits' | 'differs' | 'not given' | 'unclaimed';
  /** When a rotation retired the given key; null where it never was the database's key. */
  retiredAt: Datetime | null;
  /** The rotation in progress; null also where the key does not fit. */
  rotation: Rotation | null;
  /** Number of license keys and tokens that are encrypted under another sealing key than the current one. */
  others: number;
  /** License keys and tokens that cannot be decrypted because they were changed; none where the key does not fit. */
  damaged: DamagedText[];
  /** When the newest record was created; null where none exists. */
  newest: Datetime | null;
  apiKeys: ApiKey[];
  endpoints: EventEndpoint[];
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
  table: SealedTable;
  id: number;
}

/** Number of places at the end of the audit trail that are checked. Checking all places may take minutes. */
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
  /** In the order in which a start would apply them. */
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
  /** Estimated number of entries that the start adds to indexes. */
  indexed: number;
  /** Estimated number of rows that the server converts after the start, while it serves requests. */
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
  /** Why the server refuses changes; null if it accepts them. */
  refusesChanges: 'replica' | 'read only' | 'not owner' | null;
  /** Names of settings that are off, so that a crash may lose committed changes. */
  careless: string[];
  /**
   * `free`: connections that this node may have, including those it has now. `wanted`: the most that it may need.
   * Null behind a pooler.
   */
  connections: { free: number; wanted: number } | null;
  /** Milliseconds by which the server's clock is ahead of this machine's. */
  clockAhead: number;
  /** Null without a replica. */
  replica: ReplicaInspection | null;
}

export interface ReplicaInspection {
  /** Why the replica could not be inspected: the other values are then meaningless. Null if it was inspected. */
  problem: string | null;
  /** Whether the server is a replica. */
  isReplica: boolean;
  /** Whether the server holds the same installation of Latchkey as the primary. */
  isSame: boolean;
  /** Lag behind the primary: bytes of the log, and seconds since the last replayed transaction. */
  bytesBehind: number;
  secondsBehind: number | null;
}
