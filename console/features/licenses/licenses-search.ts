import { SOURCES, STATUSES, type Status } from '../../ui/licenses/license-status.ts';
import { filterOf, idOf, oneOf, textOf, wrongFilters } from '../../ui/search.ts';

export const EXPIRIES = ['expired', 'soon', 'never'] as const;

/** What the address of the list says. */
export interface LicensesSearch {
  search?: string;
  /** Names with commas between. */
  status?: string;
  expiry?: (typeof EXPIRIES)[number];
  order?: number;
  product?: number;
  customer?: number;
  source?: (typeof SOURCES)[number];
  before?: number;
  /** The form for a new license is open. */
  create?: 'yes';
}

export const statusesOf = (text: string | undefined): Status[] =>
  STATUSES.filter((status) => text?.split(',').includes(status));

const READS = {
  status: (search: Record<string, unknown>, name: string) => {
    const text = textOf(search, name);
    return text?.split(',').every((one) => STATUSES.some((status) => status === one)) ? text : undefined;
  },
  expiry: (search: Record<string, unknown>, name: string) => oneOf(search, name, EXPIRIES),
  order: idOf,
  product: idOf,
  customer: idOf,
  source: (search: Record<string, unknown>, name: string) => oneOf(search, name, SOURCES),
};

/** What of it is not understood, and must not be taken for no filter: `order=abc`. */
export const wrongLicensesFilters = (search: LicensesSearch): string[] => wrongFilters(search, READS);

export const licensesSearch = (search: Record<string, unknown>): LicensesSearch => ({
  search: textOf(search, 'search'),
  status: filterOf(search, 'status', READS.status),
  expiry: filterOf(search, 'expiry', READS.expiry),
  order: filterOf(search, 'order', READS.order),
  product: filterOf(search, 'product', READS.product),
  customer: filterOf(search, 'customer', READS.customer),
  source: filterOf(search, 'source', READS.source),
  before: idOf(search, 'before'),
  create: oneOf(search, 'create', ['yes']),
});

/** What the address of one license says. */
export interface LicenseSearch {
  tab?: 'history';
  /** Where the page of its history or of its activations begins. */
  before?: string;
}
export const licenseSearch = (search: Record<string, unknown>): LicenseSearch => ({
  tab: oneOf(search, 'tab', ['history']),
  before: textOf(search, 'before'),
});
