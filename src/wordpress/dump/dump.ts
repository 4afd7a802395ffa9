import {
  ADDRESS_TABLES,
  addressTableOf,
  OPTIONS_TABLE,
  PLUGIN_TABLE,
  type Row,
  type Source,
} from '../source.ts';
import { bytesOf } from './bytes.ts';
import { readStatements } from './statements.ts';

/**
 * A dump as a source: a first pass finds and counts the tables, a second one reads them.
 * @param options names of the options of WordPress that are asked for later
 */
export async function openDump(
  file: string,
  options: readonly string[],
  signal: AbortSignal,
  read?: (part: number) => void,
): Promise<Source> {
  const hasAddresses = (table: string) => addressTableOf(table) !== null;
  const isOfInterest = (table: string) =>
    PLUGIN_TABLE.test(table) || (options.length > 0 && OPTIONS_TABLE.test(table)) || hasAddresses(table);
  const tables = new Map<string, number>();
  const databases = new Set<string>();
  const found = new Map<string, Buffer>();
  const addresses = new Map<string, Map<number, string>>();
  const all = readStatements(file, bytesOf(file, signal, read), isOfInterest, hasAddresses);
  for await (const item of all) {
    const { database, table } = item;
    if (PLUGIN_TABLE.test(table)) databases.add(database);
    if (databases.size > 1)
      throw new Error(
        `${file}: the dump holds tables of the plugins in several databases: dump one of them (${[...databases].join(', ')})`,
      );
    tables.set(table, (tables.get(table) ?? 0) + (item.kind === 'row' ? 1 : 0));
    if (item.kind === 'row' && OPTIONS_TABLE.test(table)) {
      const name = item.row.option_name?.toString() ?? '';
      if (options.includes(name)) found.set(`${table}.${name}`, Buffer.from(item.row.option_value ?? ''));
    }
    const known = item.kind === 'row' ? addressIn(table, item.row) : null;
    if (known) {
      const ofTable = addresses.get(`${database}.${table}`) ?? new Map<number, string>();
      addresses.set(`${database}.${table}`, ofTable.set(...known));
    }
  }
  return {
    tables,
    // A dump of several databases may have the customers of several shops.
    addresses: async (table) => addresses.get(`${[...databases][0]}.${table}`) ?? new Map(),
    option: async (table, name) => found.get(`${table}.${name}`) ?? null,
    async *rows(wanted, signal, read) {
      const isWanted = (table: string) => wanted.includes(table);
      for await (const item of readStatements(file, bytesOf(file, signal, read), isWanted))
        if (item.kind === 'row') yield { table: item.table, row: item.row };
      read(1);
    },
    close: async () => {},
  };
}

/** The id and the address that a row holds; null if it holds none. */
function addressIn(table: string, row: Row): [number, string] | null {
  const kind = addressTableOf(table);
  if (kind === null) return null;
  const { id, address, only } = ADDRESS_TABLES[kind];
  if (only && row[only.column]?.toString() !== only.value) return null;
  const text = row[address]?.toString().trim() ?? '';
  return text === '' ? null : [Number(row[id]), text];
}
