import { emailAddress } from '../domain/email-address.ts';
import type { Cells } from './cells.ts';
import type { AddressTable, Source } from './source.ts';

/** The email addresses of WordPress users and of orders, by id. */
export interface Customers {
  users: ReadonlyMap<number, string>;
  orders: ReadonlyMap<number, string>;
}

/**
 * Reads the addresses of the customers of a shop, as far as the source has their tables.
 * @param prefix prefix of the shop's tables
 * @param licenses the table of its licenses
 */
export async function customersOf(source: Source, prefix: string, licenses: string): Promise<Customers> {
  const read = async (table: string, kind: AddressTable) =>
    source.tables.has(table) ? await source.addresses(table, kind, licenses) : new Map<number, string>();
  const orders = await read(`${prefix}wc_orders`, 'wc_orders');
  const posts = await read(`${prefix}postmeta`, 'postmeta');
  // The sites of a network share the users of the first one.
  const users = [`${prefix}users`, `${prefix.replace(/_\d+_$/, '_')}users`].find((table) =>
    source.tables.has(table),
  );
  return {
    users: users ? await read(users, 'users') : new Map(),
    orders: new Map([...posts, ...orders]),
  };
}

/** WooCommerce writes an address of this domain when it erases personal data. */
const ERASED = /@site\.invalid$/i;

/** The address of the user of a license, else that of its order; null if none is known. */
export function customerEmailOf(
  cells: Cells,
  { users, orders }: Customers,
  userId: number | null,
  orderId: number | null,
): string | null {
  const known = [users.get(userId ?? 0), orders.get(orderId ?? 0)].filter(
    (address): address is string => address !== undefined && address !== '' && !ERASED.test(address),
  );
  for (const address of known) {
    const read = emailAddress.read(address);
    if (read.ok) return read.value;
  }
  if (known[0] !== undefined) cells.note('bad_email', null, known[0]);
  return null;
}
