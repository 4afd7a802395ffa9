import { createHash } from 'node:crypto';
import type { CopySource, Row, Table, Value } from '../../store/backups/copy.ts';

/** A table as it was copied. */
export interface CopiedTable {
  name: string;
  rows: number;
  /** Of the lines of its rows in the order of the primary key, which are the same for both engines. */
  sha256: string;
}

/** What is staged belongs to a process that works on the source: nobody would ever finish it elsewhere. */
export const LEFT_OUT = 'staged_licenses';

/** Where a database says what it is. */
export const META = 'meta';

/** A row as a line of JSON: the values of its columns, bytes as an object that no text can be taken for. */
export function lineOf(columns: readonly string[], row: Row): string {
  const values = columns.map((column) => {
    const value = row[column];
    return value instanceof Uint8Array ? { bytes: Buffer.from(value).toString('hex') } : value;
  });
  return `${JSON.stringify(values)}\n`;
}

/** The row of such a line. @throws Error where it is none */
export function rowOf(columns: readonly string[], line: string): Row {
  const values: unknown = JSON.parse(line);
  if (!Array.isArray(values) || values.length !== columns.length)
    throw new Error(`a line has not the ${columns.length} values that it must have`);
  return Object.fromEntries(columns.map((column, i) => [column, ownValue(values[i])]));
}

function ownValue(value: unknown): Value {
  if (value === null || typeof value === 'number' || typeof value === 'string') return value;
  const { bytes } = value as { bytes?: unknown };
  if (typeof bytes !== 'string' || !/^([0-9a-f]{2})*$/.test(bytes))
    throw new Error('a value is of no known kind');
  return Buffer.from(bytes, 'hex');
}

/** What the database says of itself, by name: it holds its master keys' fingerprints, and keys that they open. */
export async function metaIn({
  tables,
  rows,
}: Pick<CopySource, 'tables' | 'rows'>): Promise<Map<string, string>> {
  const table = tables.find(({ name }) => name === META);
  const found = new Map<string, string>();
  if (table)
    for await (const some of rows(table))
      for (const { name, value } of some) found.set(String(name), String(value));
  return found;
}

/** Counts and hashes the rows of a table. */
export function createSum({ name, columns }: Table) {
  const hash = createHash('sha256');
  let count = 0;
  const addLine = (line: string): void => {
    hash.update(line);
    count++;
  };
  return {
    addLine,
    add(rows: readonly Row[]): void {
      for (const row of rows) addLine(lineOf(columns, row));
    },
    end: (): CopiedTable => ({ name, rows: count, sha256: hash.digest('hex') }),
  };
}
