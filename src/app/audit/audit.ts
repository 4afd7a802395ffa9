import { setImmediate } from 'node:timers/promises';
import type { Actor } from '../../domain/actor.ts';
import type { AuditEntry, AuditFilter, UsageCount, UsageFilter } from '../../domain/audit.ts';
import { toMilliseconds } from '../../domain/datetime.ts';
import { MAX_REFERENCE } from '../../domain/fields.ts';
import { done, type Outcome, refused } from '../../domain/refusal.ts';
import type { Listed, Page, Reads } from '../../store/store.ts';

/** Which part of a list of entries, newest first. */
export interface AuditPage {
  /** Only entries with a lower id; null for the newest. */
  before: number | null;
  limit: number;
}
export interface ListedEntries {
  items: AuditEntry[];
  /** Whether there are others behind these. */
  more: boolean;
}

/** Ids looked through by one read: a rare entry must not make everybody else wait while it is looked for. */
const IDS_AT_ONCE = 5_000;
/** Entries are in the order of their times but for this much, where clocks of nodes differ. */
const SLACK_MS = 3_600_000;

/** Entries, newest first. The trail tells of all products, so whoever is limited to some reads none of it. */
export async function listAudit(
  { audit }: Reads,
  filter: AuditFilter,
  { before, limit }: AuditPage,
  actor: Actor,
): Promise<Outcome<ListedEntries>> {
  if (actor.products !== null) return refused('audit_of_all_products');
  const items: AuditEntry[] = [];
  const wanted = limit + 1;
  let upTo = before === null ? MAX_REFERENCE : before - 1;
  while (items.length < wanted) {
    const newest = await audit.timeAt(upTo);
    if (!newest || isPast(newest.at, filter.from)) break;
    // An index leads to those of one record.
    const above = filter.subject ? 0 : Math.max(0, newest.id - IDS_AT_ONCE);
    items.push(...(await audit.list(filter, { above, upTo: newest.id, limit: wanted - items.length })));
    upTo = above;
    await setImmediate();
  }
  return done({ items: items.slice(0, limit), more: items.length === wanted });
}

const isPast = (at: string, from: string | null): boolean =>
  from !== null && toMilliseconds(at) + SLACK_MS < toMilliseconds(from);

/** How often licenses were activated, deactivated and validated, newest day first. */
export async function listUsage(
  { audit }: Reads,
  filter: UsageFilter,
  page: Page,
  actor: Actor,
): Promise<Outcome<Listed<UsageCount>>> {
  if (actor.products !== null) return refused('audit_of_all_products');
  return done(await audit.counts(filter, page));
}
