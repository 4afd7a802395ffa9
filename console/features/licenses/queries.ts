import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answer, api, type Item, type Query, serializeQuery } from '../../client/api.ts';
import { API_ROOT } from '../../client/base.ts';
import { midnight } from '../../ui/day-bounds.ts';
import { saveAddress } from '../../ui/forms/save.ts';
import { SOURCES } from '../../ui/licenses/license-status.ts';
import { productsQuery } from '../../ui/products/queries.ts';
import { defaultSort, type LicensesSearch, statusesOf } from './licenses-search.ts';

export type License = Item<'listLicenses'>;
export type HistoryEvent = Item<'listLicenseHistory'> & { id: number };
type LicensesQuery = Query<'listLicenses'>;

const PAGE_MAX = 200;

/** Converts the query of the address to the query of the API. */
const askedOf = ({
  search,
  status,
  expiry,
  order,
  product,
  customer,
  source,
  tag,
  ...days
}: LicensesSearch): LicensesQuery => ({
  search,
  status: status === undefined ? undefined : statusesOf(status),
  expiry,
  order_id: order,
  product_id: product,
  user_id: customer,
  source: source && SOURCES.indexOf(source) + 1,
  tag,
  // The end of the last day may be past the API's maximum, and is then not sent. The start keeps out licenses that never expire.
  expires_from: midnight(days.expiresFrom ?? (days.expiresTo === '9999-12-31' ? '0001-01-01' : undefined)),
  expires_before: midnight(days.expiresTo, 1),
  created_from: midnight(days.createdFrom),
  created_before: midnight(days.createdTo, 1),
});

export const licensesQuery = (search: LicensesSearch) => {
  const { sort = defaultSort(search), before } = search;
  const place = typeof before === 'number' ? { before } : { after: before };
  const query: LicensesQuery = { ...askedOf(search), sort, ...(before !== undefined && place) };
  return queryOptions({
    queryKey: ['licenses', 'list', query],
    queryFn: async ({ signal, client }) => {
      const [page] = await Promise.all([
        answer(api.GET('/licenses', { params: { query }, signal })),
        // Fetch product names with the rows, so that the layout does not shift.
        client.ensureQueryData(productsQuery).catch(() => {}),
      ]);
      return page;
    },
    placeholderData: keepPreviousData,
  });
};

/** The IDs of all matches, fetched page by page, up to a maximum. */
export async function allIds(search: LicensesSearch, most: number): Promise<number[]> {
  const ids: number[] = [];
  for (let before: number | undefined; ids.length < most; ) {
    const query = { ...askedOf(search), before, limit: PAGE_MAX };
    const page = await answer(api.GET('/licenses', { params: { query } }));
    ids.push(...page.items.map(({ id }) => id));
    if (page.next === null) break;
    before = Number(page.next);
  }
  return ids.slice(0, most);
}

/** Returns the URL that exports all matches. */
export const exportAddress = (search: LicensesSearch): string =>
  `${API_ROOT}/licenses/export?${serializeQuery(askedOf(search))}`;

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
    // Number the events here: events of different kinds have separate IDs.
    select: (page) => ({ ...page, items: page.items.map((event, id): HistoryEvent => ({ ...event, id })) }),
    placeholderData: keepPreviousData,
  });

/** The generators offered for a new license. */
export const generatorChoiceQuery = queryOptions({
  queryKey: ['generators', 'choice'],
  queryFn: ({ signal }) => answer(api.GET('/generators', { params: { query: { limit: 200 } }, signal })),
});

export const revealKey = async (id: number): Promise<string> =>
  (await answer(api.POST('/licenses/{license_id}/reveal', { params: { path: { license_id: id } } })))
    .license_key;

export const makeLicenseFile = (id: number) =>
  answer(api.POST('/licenses/{license_id}/file', { params: { path: { license_id: id } } }));
