import type { AuditEntry, AuditFilter, AuditHead, UsageCount, UsageFilter } from '../../domain/audit.ts';
import type { Datetime } from '../../domain/datetime.ts';
import type { Listed, Page } from '../pages.ts';

/** Who changed what, in entries that nobody changes or removes, and the chain that shows where somebody did. */

export type AuditRow = Omit<AuditEntry, 'id'>;

/** Entries of some ids, the highest first. */
export interface AuditRange {
  /** Only ids above this one, */
  above: number;
  /** up to this one, */
  upTo: number;
  /** and so many at most. */
  limit: number;
}

/** A place in the chain, and the entry that belongs there. */
export interface AuditLink extends AuditHead {
  entryId: number;
  /** What the hash was made of; null where the entry is gone. */
  mac: string | null;
  /** Whether the entry is as it was written. */
  isGenuine: boolean;
}

/** An entry that has no place in the chain yet. */
export interface UnchainedEntry {
  id: number;
  at: Datetime;
  mac: string;
}

export interface KeptHead extends AuditHead {
  /** Whether we have written it. */
  isGenuine: boolean;
}

export interface AuditReads {
  list(filter: AuditFilter, range: AuditRange): Promise<AuditEntry[]>;
  find(id: number): Promise<AuditEntry | null>;
  /** Of the highest id up to one, so that lists know how far they are; null where there is none. */
  timeAt(id: number): Promise<{ id: number; at: Datetime } | null>;
  /** Places behind a position, in order. */
  links(after: number, limit: number): Promise<AuditLink[]>;
  /** What the hash of a place is to be. @param previous the hash before it; empty at the first */
  linkHash(previous: string, position: number, entryId: number, mac: string): string;
  /** The end of the chain as it was last written down; null before the first entry. */
  head(): Promise<KeptHead | null>;
  /** The last place of the chain; null where it has none. */
  last(): Promise<AuditHead | null>;
  /** The highest id of an entry that has a place; 0 where none has. */
  lastChained(): Promise<number>;
  /** Entries without a place whose id is above one and up to another, in order. */
  unchained(range: AuditRange): Promise<UnchainedEntry[]>;
  /** Entries that are copies of another one, by id. */
  copies(limit: number): Promise<number[]>;
  /** Newest day first. */
  counts(filter: UsageFilter, page: Page): Promise<Listed<UsageCount>>;
}

export interface AuditWrites {
  /** As the last change of a command. */
  insert(rows: readonly AuditRow[]): Promise<void>;
  /** Keeps others from writing to the chain until the end of the transaction. */
  lock(): Promise<void>;
  /** Adds places to the end of the chain, and writes down where it ends now. */
  append(links: readonly (AuditHead & { entryId: number })[]): Promise<void>;
  count(counts: readonly UsageCount[]): Promise<void>;
}
