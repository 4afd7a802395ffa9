import type { ApiKey } from '../../domain/api-key.ts';
import type { Datetime } from '../../domain/datetime.ts';
import type { Artifact, AuditReads, ReleaseWithFile, Rotation } from '../store.ts';

/** What a look at a database finds, for whoever looks after it. Looking changes nothing. */
export interface Inspection {
  /** Names of the migrations that it does not have yet. */
  missing: string[];
  /** Whether the master key is the database's own; unclaimed where the database has none yet. */
  masterKey: 'fits' | 'differs' | 'not given' | 'unclaimed';
  /** When it was retired, where it was the database's once. */
  retiredAt: Datetime | null;
  /** Of the master key; null where none is under way, or the key does not fit. */
  rotation: Rotation | null;
  /** License keys that do not rest under the key that seals now. */
  others: number;
  /** When the newest record was made; null where there is none. */
  newest: Datetime | null;
  apiKeys: ApiKey[];
  /** What the storage must hold. */
  artifacts: Artifact[];
  /** Who needs it: every release that has a file. */
  releases: ReleaseWithFile[];
  /** Of the tables whose records are counted as they come and go. */
  counts: RecordCount[];
  /** The end of the audit trail, as it was at one moment; null where the master key is not the database's own. */
  audit: AuditEnd | null;
}

/** Places of the audit trail that are looked at: the whole of it may take minutes. */
export const END_PLACES = 1_000;
export type AuditEnd = Pick<AuditReads, 'links' | 'linkHash' | 'last' | 'head'>;

export interface RecordCount {
  table: string;
  /** Records by the count that is kept, as lists tell it. */
  counted: number;
  there: number;
}

/** Of a database that is a file (SQLite). */
export interface FileInspection extends Inspection {
  /** What the engine's own check says of the file; empty where it is sound. */
  faults: string[];
  /** Whether reading and writing go on beside each other (WAL). */
  concurrent: boolean;
  /** Another process has held the right to write all the time that was waited for it. */
  locked: boolean;
}

/** Of a database on a server (PostgreSQL). */
export interface ServerInspection extends Inspection {
  /** 18.4 */
  version: string;
  /** How the database keeps text: UTF8. */
  encoding: string;
  /** Why it takes no changes: it copies another server, or is set to be read only. */
  refusesChanges: 'replica' | 'read only' | null;
  /** Settings that are off, so that a crash of the server loses what was answered. */
  careless: string[];
  /** Connections that this node may have, those that it has among them, and so many as it may want; null where a pooler gives them. */
  connections: { free: number; wanted: number } | null;
  /** Milliseconds that the server's clock is ahead of this machine's. */
  clockAhead: number;
  /** Null where the settings name none. */
  replica: ReplicaInspection | null;
}

export interface ReplicaInspection {
  /** Why it could not be asked; the rest is of no meaning then. */
  problem: string | null;
  /** Whether it copies another server. */
  isReplica: boolean;
  /** Whether it holds the same installation of Latchkey. */
  isSame: boolean;
  /** Bytes of the primary's log that it has not replayed yet, as long as those are from, in seconds. */
  bytesBehind: number;
  secondsBehind: number | null;
}
