import type { Stamps } from '../domain/datetime.ts';
import { codePoints } from '../domain/fields.ts';

/** Characters that control the terminal or change the text direction. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to find
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Escapes control characters: a license key may contain any character. */
export const printable = (text: string): string =>
  text.replace(CONTROLS, (control) => `\\u{${control.charCodeAt(0).toString(16)}}`);

/** Escapes control characters in a text of several lines. */
export const printableLines = (text: string): string => text.split('\n').map(printable).join('\n');

/** Returns JSON in one line without these characters: JSON itself escapes only the first 32. */
export const printableJson = (value: unknown): string =>
  JSON.stringify(value).replace(
    CONTROLS,
    (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

type Cell = string | number | null | undefined;
/** Columns by their headings: the name of a field, or a function of the row. */
export type Columns<T> = Readonly<Record<string, keyof T | ((row: T) => Cell)>>;

/** Returns a table with a line for each row, in columns as wide as their widest cell. */
export function table<T>(rows: readonly T[], columns: Columns<T>): string {
  const cells = rows.map((row) =>
    Object.values(columns).map((column) =>
      shown(typeof column === 'function' ? column(row) : (row[column] as Cell)),
    ),
  );
  const lines = [Object.keys(columns), ...cells];
  const widths = Object.keys(columns).map((_, column) =>
    Math.max(...lines.map((line) => codePoints(line[column] ?? ''))),
  );
  return lines.map((line) => align(line, widths)).join('\n');
}

/** Returns names and values, one pair per line. */
export function pairs(values: Readonly<Record<string, Cell>>): string {
  const longest = Math.max(...Object.keys(values).map(codePoints));
  return Object.entries(values)
    .map(([name, value]) => align([name, shown(value)], [longest]))
    .join('\n');
}

const shown = (value: Cell): string => (value == null ? '-' : printable(String(value)));

const align = (cells: readonly string[], widths: readonly number[]): string =>
  cells
    .map((cell, i) => cell + ' '.repeat(Math.max(0, (widths[i] ?? 0) - codePoints(cell))))
    .join('  ')
    .trimEnd();

/** Returns who created and last changed a record, as pairs. */
export const history = (record: Stamps): Record<string, string | null> => ({
  Created: `${record.createdAt} UTC by user ${record.createdBy}`,
  Updated: record.updatedAt === null ? null : `${record.updatedAt} UTC by user ${record.updatedBy}`,
});

/** 1234567 as `1,234,567`. */
export const grouped = (number: number): string => number.toLocaleString('en-US');

/** `1 license`, `2 licenses`. */
export const counted = (number: number, one: string, many = `${one}s`): string =>
  `${grouped(number)} ${number === 1 ? one : many}`;
