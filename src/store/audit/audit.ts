import type { AuditEntry, AuditFilter, AuditHead, UsageCount, UsageFilter } from '../../domain/audit.ts';
import type { Datetime } from '../../domain/datetime.ts';
import type { Listed, Page } from '../pages.ts';

export type AuditRow = Omit<AuditEntry, 'id'>;

/** A range of ids. */
export interface AuditRange {
  /** Only ids above this one. */
  above: number;
  /** Only ids up to this one. */
  upTo: number;
  /** Maximum number of entries. */
  limit: number;
}

/** A place in the chain, with its entry. */
export interface AuditLink extends AuditHead {
  entryId: number;
  /** HMAC of the entry, which the hash of the place covers; null where the entry was deleted. */
  mac: string | null;
  /** Whether the entry exists and is unchanged. */
  isGenuine: boolean;
}

/** An entry without a place in the chain. */
export interface UnchainedEntry {
  id: number;
  at: Datetime;
  mac: string;
}

export interface KeptHead extends AuditHead {
  /** Whether the HMAC of the entry is right. */
  isGenuine: boolean;
}

export interface AuditReads {
  /** Highest id first. */
  list(filter: AuditFilter, range: AuditRange): Promise<AuditEntry[]>;
  find(id: number): Promise<AuditEntry | null>;
  /**
   * The id and time of the entry with this id, or of the next lower one: shows how far a list has come. Null if there
   * is none.
   */
  timeAt(id: number): Promise<{ id: number; at: Datetime } | null>;
  /** Places after a position, in order. */
  links(after: number, limit: number): Promise<AuditLink[]>;
  /** The hash of a place. @param previous the hash of the place before; empty for the first */
  linkHash(previous: string, position: number, entryId: number, mac: string): string;
  /** The stored end of the chain; null before the first entry. */
  head(): Promise<KeptHead | null>;
  /** The last place of the chain; null where it is empty. */
  last(): Promise<AuditHead | null>;
  /** The highest id of an entry that has a place in the chain; 0 if no entry has one. */
  lastChained(): Promise<number>;
  /** Entries without a place in the chain, in order. */
  unchained(range: AuditRange): Promise<UnchainedEntry[]>;
  /** Ids of entries that are copies of others. */
  copies(limit: number): Promise<number[]>;
  /** Newest day first. */
  counts(filter: UsageFilter, page: Page): Promise<Listed<UsageCount>>;
}

export interface AuditWrites {
  /** Inserts entries. Must be the last change of a command. */
  insert(rows: readonly AuditRow[]): Promise<void>;
  /** Locks the chain until the end of the transaction. */
  lock(): Promise<void>;
  /** Appends places to the chain, and stores its new end. */
  append(links: readonly (AuditHead & { entryId: number })[]): Promise<void>;
  count(counts: readonly UsageCount[]): Promise<void>;
}
