import { SOURCES, STATUSES, type Status } from '../../ui/license-status.ts';
import { idOf, oneOf, textOf } from '../../ui/search.ts';
import { EXPIRIES } from './license-words.ts';

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

export const licensesSearch = (search: Record<string, unknown>): LicensesSearch => ({
  search: textOf(search, 'search'),
  status: statusesOf(textOf(search, 'status')).join(',') || undefined,
  expiry: oneOf(search, 'expiry', EXPIRIES),
  order: idOf(search, 'order'),
  product: idOf(search, 'product'),
  customer: idOf(search, 'customer'),
  source: oneOf(search, 'source', SOURCES),
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
