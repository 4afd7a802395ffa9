import type { Stamps } from '../domain/datetime.ts';
import { sealDefuse } from './defuse.ts';
import { DLM_API_KEYS, DLM_TABLES, type DlmTable } from './dlm-schema.ts';
import { keyHashOf, type Secrets } from './secrets.ts';
import type { WritableItem } from './shop.ts';

/**
 * Maximum number of rows in one INSERT. With keys of 255 characters, the statement stays below 1 MB, the smallest
 * usual max_allowed_packet.
 */
const ROWS = 250;
/** Maximum number of characters in one INSERT, for long rows. */
const LENGTH = 500_000;

/** Rows written, by kind. */
export type Written = Record<WritableItem['kind'], number>;

/**
 * Writes a shop of Digital License Manager 1.8.3 as SQL that MySQL and MariaDB run: it replaces the plugin's tables
 * of licenses, their metadata, activations and generators. The table of API keys stays as it is.
 * @param records records with the ids that they get, in any order; items without a `record` are left out
 * @param write awaited for each piece of SQL
 * @param prefix prefix of the tables, `$table_prefix` in `wp-config.php`
 */
export async function writeShop(
  records: AsyncIterable<WritableItem>,
  secrets: Secrets,
  write: (sql: string) => Promise<void>,
  prefix: string,
): Promise<Written> {
  const { default: mysql } = await import('mysql2');
  const written: Written = { license: 0, license_meta: 0, activation: 0, generator: 0 };
  const waiting = new Map<DlmTable, { rows: string[]; length: number }>();
  const flush = async (table: DlmTable) => {
    const rows = waiting.get(table)?.rows ?? [];
    waiting.delete(table);
    if (rows.length > 0) await write(`INSERT INTO \`${prefix}${table}\` VALUES\n${rows.join(',\n')};\n`);
  };
  await write(begin(prefix));
  for await (const record of records) {
    const row = rowOf(record, secrets);
    if (!row) continue;
    written[record.kind]++;
    const { rows, length } = waiting.get(row.table) ?? { rows: [], length: 0 };
    const text = `(${row.values.map((one) => mysql.escape(one)).join(',')})`;
    rows.push(text);
    waiting.set(row.table, { rows, length: length + text.length });
    if (rows.length >= ROWS || length + text.length >= LENGTH) await flush(row.table);
  }
  for (const table of waiting.keys()) await flush(table);
  await write(END);
  return written;
}

type Value = string | number | null;

/** The values of a row in the order of the columns in `DLM_TABLES`. */
function rowOf(item: WritableItem, secrets: Secrets): { table: DlmTable; values: Value[] } | null {
  const { id } = item;
  if (item.record === null) return null;
  if (item.kind === 'license') {
    const one = item.record;
    const key = [sealDefuse(one.key, secrets.encryptionKey), keyHashOf(one.key, secrets)];
    const terms = [one.validFor || null, one.expiresAt, String(one.source), one.status, one.activationsLimit];
    return {
      table: 'dlm_licenses',
      values: [id, one.orderId, one.productId, one.userId, ...key, ...terms, ...stamps(one)],
    };
  }
  if (item.kind === 'license_meta') {
    const { licenseId, name, value } = item.record;
    return { table: 'dlm_license_meta', values: [id, licenseId, name, value, null, null, null, null] };
  }
  if (item.kind === 'activation') {
    const one = item.record;
    const device = [
      one.label,
      String(one.source),
      one.ipAddress,
      one.userAgent,
      JSON.stringify(one.meta ?? []),
    ];
    return {
      table: 'dlm_license_activations',
      values: [id, one.token, one.licenseId, ...device, one.createdAt, one.updatedAt, one.deactivatedAt],
    };
  }
  const one = item.record;
  const form = [one.name, one.charset, one.chunks, one.chunkLength, one.activationsLimit];
  const around = [one.separator, one.prefix, one.suffix, one.expiresIn];
  return { table: 'dlm_generators', values: [id, ...form, ...around, ...stamps(one)] };
}

const stamps = (one: Stamps): Value[] => [one.createdAt, one.createdBy || null, one.updatedAt, one.updatedBy];

const create = (table: string, columns: string): string =>
  `CREATE TABLE IF NOT EXISTS \`${table}\` (\n${columns}\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;\n`;

const begin = (prefix: string): string =>
  [
    "/*!40101 SET @OLD_SQL_MODE=@@SQL_MODE, SQL_MODE='NO_AUTO_VALUE_ON_ZERO' */;\n/*!40101 SET NAMES utf8mb4 */;\n",
    ...Object.entries(DLM_TABLES).map(
      ([table, columns]) => `DROP TABLE IF EXISTS \`${prefix}${table}\`;\n${create(prefix + table, columns)}`,
    ),
    create(`${prefix}dlm_api_keys`, DLM_API_KEYS),
  ].join('');

/** Tells a reader that the SQL is complete. */
const END = '/*!40101 SET SQL_MODE=@OLD_SQL_MODE */;\n';
