import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { type Answer, answer, api, type Item, type Query, serializeQuery } from '../../client/api.ts';
import { API_ROOT } from '../../client/base.ts';
import { SOURCES } from '../../ui/license-status.ts';
import { saveAddress } from '../../ui/save.ts';
import { type LicensesSearch, statusesOf } from './licenses-search.ts';

export type License = Item<'listLicenses'>;
export type HistoryEvent = Item<'listLicenseHistory'> & { id: number };
export type PreviousValues = Answer<'changeLicenses'>['previous'][number];
type LicensesQuery = Query<'listLicenses'>;

/** Licenses that one call changes, and the longest list of ids in an address. */
export const BULK_MAX = 500;
const PAGE_MAX = 200;

/** What the API is asked for by what the address of the page says. */
export const askedOf = ({
  search,
  status,
  expiry,
  order,
  product,
  customer,
  source,
}: LicensesSearch): LicensesQuery => ({
  search,
  status: status === undefined ? undefined : statusesOf(status),
  expiry,
  order_id: order,
  product_id: product,
  user_id: customer,
  source: source && SOURCES.indexOf(source) + 1,
});

export const licensesQuery = (search: LicensesSearch) => {
  const query = { ...askedOf(search), before: search.before };
  return queryOptions({
    queryKey: ['licenses', 'list', query],
    queryFn: ({ signal }) => answer(api.GET('/licenses', { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });
};

/** Ids of all that match, a page at a time, at most so many. */
export async function allIds(search: LicensesSearch, most: number): Promise<number[]> {
  const ids: number[] = [];
  for (let before: number | undefined; ids.length < most; ) {
    const query = { ...askedOf(search), before, limit: PAGE_MAX };
    const page = await answer(api.GET('/licenses', { params: { query } }));
    ids.push(...page.items.map(({ id }) => id));
    if (page.next === null) break;
    before = page.next;
  }
  return ids.slice(0, most);
}

/** Address of a file of licenses: of some by their ids, or of all that match. */
export const exportAddress = (search: LicensesSearch, ids: readonly number[] = []): string =>
  `${API_ROOT}/licenses/export?${serializeQuery(ids.length > 0 ? { ids } : askedOf(search))}`;

/** Of all licenses. */
export const exportAll = (): void => saveAddress(exportAddress({}));

export const licenseQuery = (id: number) =>
  queryOptions({
    queryKey: ['licenses', 'one', id],
    queryFn: ({ signal }) =>
      answer(api.GET('/licenses/{license_id}', { params: { path: { license_id: id } }, signal })),
  });

export const historyQuery = (id: number, before?: string) =>
  queryOptions({
    queryKey: ['licenses', 'history', id, before],
    queryFn: ({ signal }) =>
      answer(
        api.GET('/licenses/{license_id}/history', {
          params: { path: { license_id: id }, query: { before } },
          signal,
        }),
      ),
    // Events of several kinds have no ids in common.
    select: (page) => ({ ...page, items: page.items.map((event, id): HistoryEvent => ({ ...event, id })) }),
    placeholderData: keepPreviousData,
  });

/** Generators that a key can be drawn by. */
export const generatorChoiceQuery = queryOptions({
  queryKey: ['generators', 'choice'],
  queryFn: ({ signal }) => answer(api.GET('/generators', { params: { query: { limit: 200 } }, signal })),
});

export const revealKey = async (id: number): Promise<string> =>
  (await answer(api.POST('/licenses/{license_id}/reveal', { params: { path: { license_id: id } } })))
    .license_key;

export type BulkChange = { status: number } | { extend_days: number } | { expires_at: string };

/** Pieces of a list that one call takes. */
function* pieces<T>(list: readonly T[]): Generator<T[]> {
  for (let at = 0; at < list.length; at += BULK_MAX) yield list.slice(at, at + BULK_MAX);
}
type OnDone = (done: number) => void;

/** Changes or deletes some hundred at most: all or none. */
export const changeSome = (ids: number[], change: BulkChange) =>
  answer(api.POST('/licenses/bulk', { body: { ids, ...change } }));
export const deleteSome = (ids: number[]) => api.POST('/licenses/bulk/delete', { body: { ids } });

/**
 * Changes many, some hundred at a time: of each all or none. Where one of these fails, those before it stay changed, so
 * the error comes beside what was done.
 */
export async function changeLicenses(ids: readonly number[], change: BulkChange, onDone: OnDone) {
  const previous: PreviousValues[] = [];
  const unchanged: number[] = [];
  const error = await inPieces(ids, onDone, async (some) => {
    const changed = await changeSome(some, change);
    previous.push(...changed.previous);
    unchanged.push(...changed.unchanged);
  });
  return { previous, unchanged, error };
}

/** Gives licenses what they had before a change. */
export async function restoreLicenses(previous: readonly PreviousValues[]): Promise<void> {
  for (const restore of pieces(previous)) await api.POST('/licenses/bulk', { body: { restore } as never });
}

/** How many are deleted, and the error that kept it from being all. */
export async function deleteLicenses(ids: readonly number[], onDone: OnDone) {
  let deleted = 0;
  const error = await inPieces(ids, onDone, async (some) => {
    await deleteSome(some);
    deleted += some.length;
  });
  return { deleted, error };
}

/** The error at which it ended, or null. */
async function inPieces(
  ids: readonly number[],
  onDone: OnDone,
  work: (some: number[]) => Promise<void>,
): Promise<unknown> {
  let done = 0;
  try {
    for (const some of pieces(ids)) {
      await work(some);
      done += some.length;
      onDone(done);
    }
    return null;
  } catch (error) {
    return error;
  }
}
