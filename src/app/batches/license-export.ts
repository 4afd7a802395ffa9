import type { Datetime } from '../../domain/datetime.ts';
import { isExpired, type License } from '../../domain/licenses/license.ts';
import { NEVER } from '../../domain/licenses/license-bulk.ts';
import { type LicenseNotes, metaObject, NO_NOTES, notesShape } from '../../domain/licenses/license-notes.ts';
import { type SnakeCased, snakeCased, snakeName } from '../../domain/names.ts';
import { type LicenseTerms, TERM_FIELDS } from '../../domain/terms.ts';
import type { Reads } from '../../store/store.ts';
import { defineCommand } from '../command.ts';
import { writeCsvText } from './csv-text.ts';

/** The columns of an export: the key, then the fields of the API. An import ignores the columns that it cannot set. */
export const COLUMNS = [
  'license_key',
  'id',
  'order_id',
  'product_id',
  'user_id',
  'expires_at',
  'valid_for',
  'source',
  'status',
  'times_activated',
  'activations_limit',
  'is_expired',
  'created_at',
  'created_by',
  'updated_at',
  'updated_by',
  ...(TERM_FIELDS.map(snakeName) as (keyof SnakeCased<LicenseTerms>)[]),
  'note',
  'tags',
  'meta',
  'customer_email',
] as const;
export type Column = (typeof COLUMNS)[number];

/** Options of csv-stringify. */
export const CSV_OPTIONS = {
  cast: { boolean: (value: boolean) => String(value) },
  quoted: true,
};

/** Returns the cells of a license. An import of all columns creates the same license, if its metadata is within the limits. */
function cellsOf(
  license: License,
  { note, tags, meta }: LicenseNotes,
  now: Datetime,
  columns: readonly Column[],
): unknown[] {
  const { key, ...values } = snakeCased(license);
  const cells: Record<Column, unknown> = {
    ...values,
    license_key: writeCsvText(key),
    customer_email: writeCsvText(license.customerEmail ?? ''),
    // An import calculates an empty expires_at from valid_for.
    expires_at: license.expiresAt === null && license.validFor > 0 ? NEVER : license.expiresAt,
    is_expired: isExpired(license, now),
    entitlements: writeCsvText(license.entitlements.join(',')),
    note: writeCsvText(note ?? ''),
    tags: writeCsvText(tags.join(',')),
    meta: meta.length > 0 ? writeCsvText(JSON.stringify(metaObject(meta))) : '',
  };
  return columns.map((name) => cells[name]);
}

/** Returns the cells of each license. Reads the notes only if a column shows them. */
export async function cellsOfSome(
  { notes }: Pick<Reads, 'notes'>,
  licenses: readonly License[],
  now: Datetime,
  columns: readonly Column[] = COLUMNS,
): Promise<unknown[][]> {
  const shows = Object.keys(notesShape).some((name) => columns.includes(name as Column));
  const noted = shows ? await withNotes({ notes }, licenses) : licenses.map(withoutNotes);
  return noted.map((one) => cellsOf(one.license, one.notes, now, columns));
}
const withoutNotes = (license: License) => ({ license, notes: NO_NOTES });

/** Returns each license with its notes. */
export async function withNotes({ notes }: Pick<Reads, 'notes'>, licenses: readonly License[]) {
  const found = await notes.of(licenses.map(({ id }) => id));
  return licenses.map((license) => ({ license, notes: found.get(license.id) ?? NO_NOTES }));
}

interface LicenseExport {
  /** The filter, by wire names. A search text is masked, because it may be a key. */
  filter: Readonly<Record<string, unknown>>;
  columns: readonly string[];
  /** The number of licenses when the export began; null if there were too many to count. */
  count: number | null;
}

/** Records an export of licenses. Called before the first line is sent. */
export const recordLicenseExport = defineCommand({
  name: 'record-license-export',
  guarded: true,
  audit: 'always',
  run: async (_transaction, { filter, columns, count }: LicenseExport, { record }): Promise<null> => {
    record({ action: 'license.export', id: null, about: { count, ...filter, columns: columns.join(' ') } });
    return null;
  },
});
