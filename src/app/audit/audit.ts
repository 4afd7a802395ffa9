import { setImmediate } from 'node:timers/promises';
import type { Actor } from '../../domain/actor.ts';
import type { AuditEntry, AuditFilter, UsageCount, UsageFilter } from '../../domain/audit.ts';
import { toMilliseconds } from '../../domain/datetime.ts';
import { MAX_REFERENCE } from '../../domain/fields.ts';
import { done, type Outcome, refused } from '../../domain/refusal.ts';
import type { Listed, Page, Reads } from '../../store/store.ts';

/** Ids scanned by one query, so that the search for a rare entry does not block other requests. */
const IDS_AT_ONCE = 5_000;
/** How far the times of entries may be out of order, because the clocks of nodes differ. */
const SLACK_MS = 3_600_000;

/**
 * Returns entries, newest first. Refuses actors limited to products, because the trail covers all products.
 * @param page.before only entries with lower ids; null for the newest
 */
export async function listAudit(
  { audit }: Reads,
  filter: AuditFilter,
  { before, limit }: { before: number | null; limit: number },
  actor: Actor,
): Promise<Outcome<{ items: AuditEntry[]; more: boolean }>> {
  if (actor.products !== null) return refused('audit_of_all_products');
  const items: AuditEntry[] = [];
  const wanted = limit + 1;
  let upTo = before === null ? MAX_REFERENCE : before - 1;
  while (items.length < wanted) {
    const newest = await audit.timeAt(upTo);
    if (!newest || isPast(newest.at, filter.from)) break;
    // An index finds the entries of one record, so no range of ids is needed.
    const above = filter.subject ? 0 : Math.max(0, newest.id - IDS_AT_ONCE);
    items.push(...(await audit.list(filter, { above, upTo: newest.id, limit: wanted - items.length })));
    upTo = above;
    await setImmediate();
  }
  return done({ items: items.slice(0, limit), more: items.length === wanted });
}

const isPast = (at: string, from: string | null): boolean =>
  from !== null && toMilliseconds(at) + SLACK_MS < toMilliseconds(from);

/** Activations, deactivations and validations by day, newest first. */
export async function listUsage(
  { audit }: Reads,
  filter: UsageFilter,
  page: Page,
  actor: Actor,
): Promise<Outcome<Listed<UsageCount>>> {
  if (actor.products !== null) return refused('audit_of_all_products');
  return done(await audit.counts(filter, page));
}
