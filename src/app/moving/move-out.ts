import type { Reads } from '../../store/store.ts';
import type { ShopRecord } from '../../wordpress/shop.ts';

const AT_ONCE = 1_000;

type Unread = Pick<ShopRecord, 'digest' | 'notes'>;
/** These are of a shop that is read. */
const UNREAD: Unread = { digest: new Uint8Array(0), notes: [] };

/** All records that a plugin has, too, with their ids here. API keys are not among them: their secrets are not stored. */
export async function* recordsToMoveOut(
  { licenses, moves, generators }: Pick<Reads, 'licenses' | 'moves' | 'generators'>,
  signal: AbortSignal,
): AsyncGenerator<ShopRecord> {
  const generatorsAfter = async (after: number) => {
    // The list is newest first: one page has all of them.
    const all = await generators.list({ before: null, offset: 0, limit: Number.MAX_SAFE_INTEGER });
    return all.items.filter(({ id }) => id > after);
  };
  for await (const { id, ...record } of inPages(generatorsAfter, signal))
    yield { ...UNREAD, kind: 'generator', id, record };
  for await (const { id, timesActivated: _, ...record } of inPages(
    (after) => licenses.after(after, AT_ONCE, {}),
    signal,
  ))
    yield { ...UNREAD, kind: 'license', id, record };
  for await (const { id, ...record } of inPages((after) => moves.licenseMeta(after, AT_ONCE), signal))
    yield { ...UNREAD, kind: 'license_meta', id, record };
  for await (const { id, ...record } of inPages((after) => moves.activations(after, AT_ONCE), signal))
    yield { ...UNREAD, kind: 'activation', id, record };
}

/** Records by id, read page by page. */
async function* inPages<T extends { id: number }>(
  pageAfter: (id: number) => Promise<T[]>,
  signal: AbortSignal,
): AsyncGenerator<T> {
  let after = 0;
  for (;;) {
    signal.throwIfAborted();
    const page = await pageAfter(after);
    yield* page;
    after = page.reduce((highest, { id }) => Math.max(highest, id), after);
    if (page.length === 0) return;
  }
}
