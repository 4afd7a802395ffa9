import type { Fact } from '../../domain/audit.ts';
import type { Datetime } from '../../domain/datetime.ts';
import { isRenewed, type License } from '../../domain/licenses/license.ts';
import type { Transaction } from '../../store/store.ts';

/** Counts the licenses that a command has renewed. Runs last in its transaction: concurrent renewals lock the same rows. */
export async function countRenewals(
  { reports }: Pick<Transaction, 'reports'>,
  facts: readonly Fact[],
  now: Datetime,
): Promise<void> {
  const renewed = facts
    .filter(({ action }) => action === 'license.update')
    .map(({ before, after }) => [before, after] as [License, License])
    .filter(([before, after]) => isRenewed(before, after));
  if (renewed.length === 0) return;
  const byProduct = Map.groupBy(renewed, ([, { productId }]) => productId);
  const counts = Array.from(byProduct, ([productId, { length }]) => ({
    day: now.slice(0, 10),
    productId,
    renewals: length,
  }));
  // In the order of products, so that two commands cannot deadlock.
  await reports.countRenewals(counts.sort((one, other) => (one.productId ?? 0) - (other.productId ?? 0)));
}
