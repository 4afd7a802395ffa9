import type { Reads } from '../../store/store.ts';
import type { WritableItem } from '../../wordpress/shop.ts';

const AT_ONCE = 1_000;

/** Yields all records that the plugin has a table for, with their ids here. No API keys: their secrets are not stored. */
export async function* recordsToMoveOut(
  { licenses, moves, generators }: Pick<Reads, 'licenses' | 'moves' | 'generators'>,
  signal: AbortSignal,
): AsyncGenerator<WritableItem> {
  // All of them fit in memory: people make them.
  const { items } = await generators.list({ before: null, offset: 0, limit: Number.MAX_SAFE_INTEGER });
  for (const { id, ...record } of items) yield { kind: 'generator', id, record };
  const allLicenses = inPages((after) => licenses.after(after, AT_ONCE, {}), signal);
  for await (const { id, timesActivated: _, ...record } of allLicenses) yield { kind: 'license', id, record };
  for await (const { id, ...record } of inPages((after) => moves.licenseMeta(after, AT_ONCE), signal))
    yield { kind: 'license_meta', id, record };
  for await (const { id, ...record } of inPages((after) => moves.activations(after, AT_ONCE), signal))
    yield { kind: 'activation', id, record };
}

/** Yields records in the order of their ids, read page by page. */
async function* inPages<T extends { id: number }>(
  pageAfter: (id: number) => Promise<T[]>,
  signal: AbortSignal,
): AsyncGenerator<T> {
  let page = await pageAfter(0);
  for (let last = page.at(-1); last; last = page.at(-1)) {
    signal.throwIfAborted();
    yield* page;
    page = await pageAfter(last.id);
  }
}
