/** Values by column, as the bytes of their text. A column that the table does not have is absent. */
export type Row = Readonly<Record<string, Buffer | null>>;

/** Tables of WordPress, in a database or in a dump of it. */
export interface Source {
  /** Tables of the plugins, of options and of addresses, each with its number of rows; 0 for tables that are not counted. */
  readonly tables: ReadonlyMap<string, number>;
  /**
   * The email addresses in a table, keyed by the ids that they belong to: at least those that licenses name.
   * @param licenses the table of licenses
   */
  addresses(table: string, kind: AddressTable, licenses: string): Promise<ReadonlyMap<number, string>>;
  /** The value of an option of WordPress; null if there is none. @param table the table of options */
  option(table: string, name: string): Promise<Buffer | null>;
  /** All rows of these tables, as of one moment, in any order. @param read called with the part that was read, 0 to 1 */
  rows(
    tables: readonly string[],
    signal: AbortSignal,
    read: (part: number) => void,
  ): AsyncIterable<{ table: string; row: Row }>;
  close(): Promise<void>;
}

/** Matches tables of a plugin, with any prefix. */
export const PLUGIN_TABLE = /(?:dlm|lmfwc)_[a-z_]+$/;
export const OPTIONS_TABLE = /options$/;

/** Tables of WordPress and WooCommerce with addresses: their columns, and the column of licenses that names their rows. */
export const ADDRESS_TABLES = {
  users: { id: 'ID', address: 'user_email', named: 'user_id', only: null },
  wc_orders: { id: 'id', address: 'billing_email', named: 'order_id', only: null },
  /** Orders of WooCommerce before it had a table for them. */
  postmeta: {
    id: 'post_id',
    address: 'meta_value',
    named: 'order_id',
    only: { column: 'meta_key', value: '_billing_email' },
  },
} as const;
export type AddressTable = keyof typeof ADDRESS_TABLES;

/** The kind of a table with addresses; null for other tables. */
export const addressTableOf = (table: string): AddressTable | null =>
  (/(?:^|_)(users|wc_orders|postmeta)$/.exec(table)?.[1] as AddressTable | undefined) ?? null;
