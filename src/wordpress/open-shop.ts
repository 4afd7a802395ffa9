import type { Datetime } from '../domain/datetime.ts';
import { Cells } from './cells.ts';
import { customersOf } from './customers.ts';
import { openDatabase } from './database.ts';
import { openDump } from './dump/dump.ts';
import { LMFWC_SETTINGS, lmfwcVersionOf } from './endpoints.ts';
import { Placeholders } from './placeholders.ts';
import { type Reading, recordOf } from './records.ts';
import { type Secrets, shopId } from './secrets.ts';
import { PLUGINS, type Plugin, type Shop, type ShopKind, type ShopRecord } from './shop.ts';
import type { Row, Source } from './source.ts';

export interface ShopOptions {
  plugin: Plugin;
  /** `mysql://…`, or the file of a dump. */
  from: { database: string } | { dump: string };
  secrets: Secrets;
  /** Prefix of the tables, `$table_prefix` in `wp-config.php`; null to detect it. */
  prefix: string | null;
  /** Replaces a missing date where a row needs one. */
  now: Datetime;
}

/** The table of each kind, without the prefix. */
const TABLES: Record<Plugin, Record<ShopKind, string>> = {
  dlm: {
    license: 'dlm_licenses',
    activation: 'dlm_license_activations',
    license_meta: 'dlm_license_meta',
    generator: 'dlm_generators',
    api_key: 'dlm_api_keys',
  },
  lmfwc: {
    license: 'lmfwc_licenses',
    activation: 'lmfwc_activations',
    license_meta: 'lmfwc_licenses_meta',
    generator: 'lmfwc_generators',
    api_key: 'lmfwc_api_keys',
  },
};
/** Tables that early versions of the plugins do not have. */
const OPTIONAL: Record<Plugin, readonly ShopKind[]> = {
  dlm: ['license_meta'],
  lmfwc: ['license_meta', 'activation'],
};

/**
 * Opens the shop of a plugin. A dump is read once now, to find its tables, and again for its records.
 * @param read called with the part of a dump that was read, 0 to 1
 * @throws Error if it cannot be read, is not complete, or does not hold the tables of exactly one shop
 */
export async function openShop(
  options: ShopOptions,
  signal: AbortSignal,
  read?: (part: number) => void,
): Promise<Shop> {
  const { plugin, from, secrets, now } = options;
  const source =
    'dump' in from
      ? await openDump(from.dump, plugin === 'lmfwc' ? [LMFWC_SETTINGS] : [], signal, read)
      : await openDatabase(from.database);
  try {
    const prefix = prefixOf(source, plugin, options.prefix);
    const kinds = kindsOf(source, plugin, prefix);
    const optionsTable = `${prefix}options`;
    const settings =
      plugin === 'lmfwc' && source.tables.has(optionsTable)
        ? await source.option(optionsTable, LMFWC_SETTINGS)
        : null;
    const reading: Reading = {
      plugin,
      version: lmfwcVersionOf(plugin, [...kinds.values()].includes('activation')),
      secrets,
      settings: settings?.toString() ?? null,
      customers: await customersOf(source, prefix, prefix + TABLES[plugin].license),
      now,
    };
    return {
      plugin,
      id: shopId(plugin, prefix, secrets),
      hashKey: secrets.hashKey,
      kinds: new Set(kinds.values()),
      records: (signal, read) => recordsOf(source, kinds, reading, signal, read),
      left: () =>
        new Map(
          [...source.tables].filter(
            ([table, rows]) => table.startsWith(`${prefix}${plugin}_`) && !kinds.has(table) && rows > 0,
          ),
        ),
      close: () => source.close(),
    };
  } catch (error) {
    await source.close();
    throw error;
  }
}

async function* recordsOf(
  source: Source,
  kinds: ReadonlyMap<string, ShopKind>,
  reading: Reading,
  signal: AbortSignal,
  read: (part: number) => void,
): AsyncIterable<ShopRecord> {
  const placeholders = new Placeholders();
  for await (const { table, row } of source.rows([...kinds.keys()], signal, read)) {
    const record = recordOf(kinds.get(table) as ShopKind, table, row, reading);
    yield reading.plugin === 'lmfwc' ? counted(record, row, reading, placeholders) : record;
  }
  yield* placeholders.records();
}

function counted(record: ShopRecord, row: Row, { now }: Reading, placeholders: Placeholders): ShopRecord {
  if (record.kind === 'activation' && record.record?.deactivatedAt === null)
    placeholders.valid(record.record.licenseId);
  if (record.kind !== 'license' || !record.record) return record;
  const cells = new Cells(row, now);
  placeholders.license(record.id, record.record.createdAt, cells);
  return { ...record, notes: [...record.notes, ...cells.notes] };
}

function prefixOf({ tables }: Source, plugin: Plugin, given: string | null): string {
  const suffix = TABLES[plugin].license;
  const prefixes = [...tables.keys()]
    .filter((table) => table.endsWith(suffix))
    .map((table) => table.slice(0, -suffix.length));
  const list = prefixes.map((prefix) => `"${prefix}"`).join(', ');
  if (prefixes.length === 0) {
    const other = PLUGINS.find((one) =>
      [...tables.keys()].some((table) => table.endsWith(TABLES[one].license)),
    );
    const hint = other ? `; the tables are those of the plugin "${other}"` : '';
    throw new Error(`there is no table …${suffix}${hint}`);
  }
  if (given !== null) {
    if (prefixes.includes(given)) return given;
    throw new Error(`there is no table ${given}${suffix}; the table prefixes are ${list}`);
  }
  if (prefixes.length > 1)
    throw new Error(`there are several shops, with the table prefixes ${list}: name one with --prefix`);
  return prefixes[0] as string;
}

function kindsOf({ tables }: Source, plugin: Plugin, prefix: string): ReadonlyMap<string, ShopKind> {
  const kinds = new Map<string, ShopKind>();
  for (const [kind, name] of Object.entries(TABLES[plugin]) as [ShopKind, string][]) {
    if (tables.has(prefix + name)) kinds.set(prefix + name, kind);
    else if (!OPTIONAL[plugin].includes(kind)) throw new Error(`the table ${prefix}${name} is missing`);
  }
  return kinds;
}
