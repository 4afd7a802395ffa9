import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { CopySource, Row, Table, Value } from '../../store/backups/copy.ts';

/** Called after each piece of work. Yields to other work of this thread, and throws to stop. */
export type Step = (what: 'rows' | 'bytes of files', amount: number) => Promise<void>;
export interface Watched {
  signal: AbortSignal;
  onProgress(what: 'rows' | 'bytes of files', amount: number): void;
}
export const stepOf =
  ({ signal, onProgress }: Watched): Step =>
  async (what, amount) => {
    onProgress(what, amount);
    await setImmediate();
    signal.throwIfAborted();
  };

/** The name, row count and checksum of a copied table. */
export interface CopiedTable {
  name: string;
  rows: number;
  /** SHA-256 of the rows' lines in the order of the primary key: the same on both engines. */
  sha256: string;
}

/** Returns a line of JSON for each row: a list of the column values, with bytes as `{"bytes":"hex"}`. */
export const linesOf = ({ columns }: Table, rows: readonly Row[]): string =>
  rows.map((row) => `${JSON.stringify(columns.map((column) => jsonOf(row[column])))}\n`).join('');

const jsonOf = (value: Value | undefined) =>
  value instanceof Uint8Array ? { bytes: Buffer.from(value).toString('hex') } : value;

/** Counts and hashes the lines of a table. */
export function createSum({ name }: Table) {
  const hash = createHash('sha256');
  let rows = 0;
  return {
    add(lines: string | Uint8Array, count: number): void {
      hash.update(lines);
      rows += count;
    },
    end: (): CopiedTable => ({ name, rows, sha256: hash.digest('hex') }),
  };
}

/** Reads the table `meta` as a map by name: fingerprints of master keys, and the keys that the master keys open. */
export async function metaOf({
  tables,
  rows,
}: Pick<CopySource, 'tables' | 'rows'>): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const table of tables.filter(({ name }) => name === 'meta'))
    for await (const some of rows(table))
      for (const { name, value } of some) found.set(String(name), String(value));
  return found;
}
