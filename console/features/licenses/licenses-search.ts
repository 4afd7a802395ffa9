import { EXPIRIES, SOURCES, STATUSES, type Status } from '../../ui/licenses/license-status.ts';
import { dayOf, filterOf, idOf, oneOf, referenceOf, textOf, wrongFilters } from '../../ui/search.ts';

const SORTED = ['created', 'expires', 'status', 'product', 'order', 'customer'] as const;
const ORDERS = [...SORTED, ...SORTED.map((by) => `-${by}` as const)];

/** The query of the list's address. */
export interface LicensesSearch {
  search?: string;
  /** Comma-separated names. */
  status?: string;
  expiry?: (typeof EXPIRIES)[number];
  /** The days are 'YYYY-MM-DD'; both ends are inclusive. */
  expiresFrom?: string;
  expiresTo?: string;
  createdFrom?: string;
  createdTo?: string;
  order?: number;
  product?: number;
  customer?: number;
  source?: (typeof SOURCES)[number];
  tag?: string;
  sort?: (typeof ORDERS)[number];
  before?: number | string;
  /** Opens the create form. */
  create?: 'yes';
}

/**
 * Returns the order of a list for which the user has chosen none. A filter by days sorts by these days. Undefined means
 * newest first, also for a text search: to sort the matches, the server would have to find all of them.
 */
export function defaultSort(search: LicensesSearch): LicensesSearch['sort'] {
  if (search.search !== undefined) return undefined;
  if (search.expiry === 'soon' || search.expiresFrom !== undefined) return 'expires';
  if (search.expiry === 'expired' || search.expiresTo !== undefined) return '-expires';
  if (search.createdFrom !== undefined || search.createdTo !== undefined) return '-created';
  return undefined;
}

/** The filters by an ID from another system. */
export const IDS = ['order', 'customer'] as const;
/** The filters by day. */
export const DAYS = ['expiresFrom', 'expiresTo', 'createdFrom', 'createdTo'] as const;
/** Identifies what a selection was made under: it survives paging, sorting and the form for a new license. */
export const selectionScope = (search: object): string =>
  `licenses ${JSON.stringify({ ...search, before: undefined, create: undefined, sort: undefined })}`;

export const statusesOf = (text: string | undefined): Status[] =>
  STATUSES.filter((status) => text?.split(',').includes(status));

/** How each filter is read from the address. */
const READS = {
  search: textOf,
  status: (search: Record<string, unknown>, name: string) => {
    const text = textOf(search, name);
    return text?.split(',').every((one) => STATUSES.some((status) => status === one)) ? text : undefined;
  },
  expiry: (search: Record<string, unknown>, name: string) => oneOf(search, name, EXPIRIES),
  expiresFrom: dayOf,
  expiresTo: dayOf,
  createdFrom: dayOf,
  createdTo: dayOf,
  order: referenceOf,
  product: referenceOf,
  customer: referenceOf,
  source: (search: Record<string, unknown>, name: string) => oneOf(search, name, SOURCES),
  tag: textOf,
};
const filters = (read: (name: keyof typeof READS) => unknown): Partial<LicensesSearch> =>
  Object.fromEntries((Object.keys(READS) as (keyof typeof READS)[]).map((name) => [name, read(name)]));

/** The values of an empty filter. */
export const NO_FILTER = filters(() => undefined);

/** Returns the invalid filters, such as `order=abc`. Ignoring them would show all licenses. */
export const wrongLicensesFilters = (search: LicensesSearch): string[] => wrongFilters(search, READS);

export const licensesSearch = (search: Record<string, unknown>): LicensesSearch => ({
  ...filters((name) => filterOf<unknown>(search, name, READS[name])),
  sort: oneOf(search, 'sort', ORDERS),
  before: idOf(search, 'before') ?? textOf(search, 'before'),
  create: oneOf(search, 'create', ['yes']),
});

/** The query of a license's address. */
export interface LicenseSearch {
  tab?: 'history';
  /** The cursor of the history or of the activations. */
  before?: string;
}
export const licenseSearch = (search: Record<string, unknown>): LicenseSearch => ({
  tab: oneOf(search, 'tab', ['history']),
  before: textOf(search, 'before'),
});
