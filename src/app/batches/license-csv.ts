import { isUtf8 } from 'node:buffer';
import { problem } from '../../domain/problem.ts';
import { CsvFault, type CsvRecord } from './csv-reader.ts';
import { readCsvText } from './csv-text.ts';
import type { ImportLine } from './import-licenses.ts';
import { IMPORTED } from './import-shape.ts';

/** The first line of a file, which names its columns. */
export interface Header {
  line: number;
  names: string[];
}
/** The parameters whose cells an export escapes. */
const ESCAPED = new Set(['license_key', 'customer_email', 'entitlements', 'note', 'tags', 'meta']);
/** Matches what a spreadsheet writes for a key of many digits, which it has taken for a number: `1,23457E+15`. */
const SHORTENED_NUMBER = /^\d[.,]\d+E\+\d+$/;
/** The parameter of each column; null for a skipped one. */
export type Columns = readonly (string | null)[];

/** @throws CsvFault */
export async function readHeader(records: AsyncGenerator<CsvRecord>): Promise<Header> {
  const { value: first } = await records.next();
  if (!first) throw new CsvFault(1, 'empty');
  const { line, cells }: CsvRecord = first;
  return { line, names: cells.map((cell) => cell.toString('utf8').trim()) };
}

/** Returns the parameter whose name a column has, ignoring case; null if there is none. */
export const parameterOf = (name: string): string | null =>
  IMPORTED.find((parameter) => parameter === name.toLowerCase()) ?? null;

/** Names that other programs use for the parameters, and German spreadsheets, here without umlauts. */
const ALSO_NAMED: Record<string, readonly string[]> = {
  license_key: [
    ...['license', 'licence', 'licence_key', 'key', 'serial', 'serial_number', 'product_key', 'code'],
    ...['lizenzschlussel', 'lizenz', 'schlussel', 'seriennummer'],
  ],
  valid_for: ['valid_for_days', 'days', 'validity', 'duration'],
  status: ['state', 'license_status'],
  activations_limit: [
    'limit',
    'max_activations',
    'activation_limit',
    'times_activated_max',
    'seats',
    'devices',
    'max_devices',
    'max_machines',
    'max_seats',
    'device_limit',
  ],
  order_id: ['order', 'order_number', 'order_no', 'bestellung', 'bestellnummer'],
  product_id: ['product'],
  user_id: ['user', 'customer', 'customer_id', 'kundennummer'],
  customer_email: [
    ...['email', 'mail', 'email_address', 'mail_address', 'user_email', 'client_email', 'buyer_email'],
    ...['billing_email', 'owner_email', 'purchase_email', 'email_adresse'],
  ],
  entitlements: ['features', 'feature'],
  note: ['notes', 'comment', 'comments', 'notiz', 'notizen', 'kommentar'],
  tags: ['tag', 'labels'],
  meta: ['metadata', 'meta_data'],
  expires_at: [
    ...['expires', 'expiry', 'expires_on', 'expiry_date', 'expire_date', 'expiration', 'expiration_date'],
    ...['valid_until', 'valid_to', 'ends', 'ends_at', 'ends_on', 'end_date', 'gultig_bis', 'ablaufdatum'],
  ],
};

/** Guesses the parameter of each column from the column's name, for the user to check. */
export function guessColumns({ names }: Header): Columns {
  const columns = names.map(parameterOf);
  for (const [i, name] of names.entries()) {
    const plain = name
      .replace(/([a-z\d])([A-Z])/g, '$1_$2')
      .toLowerCase()
      .normalize('NFD')
      .replace(/\p{M}/gu, '')
      .replace(/[^a-z0-9]+/g, '_')
      .replace(/^_|_$/g, '')
      .replace(/(^|_)e_mail/, '$1email');
    const guess = parameterOf(plain) ?? IMPORTED.find((one) => ALSO_NAMED[one]?.includes(plain)) ?? null;
    if (columns[i] === null && guess !== null && !columns.includes(guess)) columns[i] = guess;
  }
  return columns;
}

/** Returns the first parameter assigned to two columns; null if there is none. */
export const duplicateOf = (columns: Columns): string | null =>
  columns.find((name, i) => name !== null && columns.indexOf(name) !== i) ?? null;

export async function* licenseLines(
  records: AsyncGenerator<CsvRecord>,
  columns: Columns,
  signal: AbortSignal,
): AsyncGenerator<ImportLine> {
  for await (const { line, cells } of records) {
    signal.throwIfAborted();
    // Spreadsheets write cleared rows as lines of delimiters.
    if (cells.every(({ length }) => length === 0)) continue;
    yield { line, values: valuesOf(cells, columns) };
  }
}

function valuesOf(cells: readonly Buffer[], columns: Columns): ImportLine['values'] {
  if (cells.length !== columns.length) {
    const differ = problem('cells_differ', { cells: cells.length, columns: columns.length });
    return { unreadable: { field: null, problem: differ } };
  }
  const values: Record<string, string> = {};
  for (const [i, cell] of cells.entries()) {
    const name = columns[i];
    if (!name) continue;
    if (!isUtf8(cell)) return { unreadable: { field: name, problem: problem('not_utf8') } };
    const text = cell.toString('utf8');
    if (name === 'license_key' && SHORTENED_NUMBER.test(text.trim()))
      return { unreadable: { field: name, problem: problem('shortened_number') } };
    values[name] = ESCAPED.has(name) ? readCsvText(text) : text.trim();
  }
  return values;
}
