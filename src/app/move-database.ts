import { createHash, type Hash } from 'node:crypto';
import { CopyRefused, type CopySource, type CopyTarget, type Row, type Table } from '../store/copy.ts';
import { StoreUnavailable } from '../store/store.ts';

export interface MovedTable {
  name: string;
  rows: number;
  /** Of the rows in the order of the primary key, in a form that is the same for both engines. */
  sha256: string;
}
export interface MoveReport {
  tables: MovedTable[];
  /** Rows of imports and generations under way, which nobody would ever finish over there. */
  leftOut: number;
}

/** What is staged belongs to a process that works on the source. */
const LEFT_OUT = 'staged_licenses';

/**
 * Copies every table, reads all of it back, compares, and only then commits.
 * @param onProgress is told of rows done, of so many; each counts twice, once for its way back
 * @throws CopyRefused, StoreUnavailable, or what the signal was aborted with
 */
export async function moveDatabase(
  source: CopySource,
  target: CopyTarget,
  { signal, onProgress }: { signal: AbortSignal; onProgress(done: number, total: number): void },
): Promise<MoveReport> {
  mustBeAlike(source, target);
  const tables = source.tables.filter(({ name }) => name !== LEFT_OUT);
  const counts = new Map<Table, number>();
  for (const table of source.tables) counts.set(table, await source.count(table));
  const total = 2 * tables.reduce((sum, table) => sum + (counts.get(table) ?? 0), 0);
  let done = 0;
  const onRows = (rows: readonly Row[]) => {
    signal.throwIfAborted();
    done += rows.length;
    onProgress(done, total);
  };

  const moved: MovedTable[] = [];
  for (const table of tables) {
    const sum = createSum(table);
    for await (const rows of source.rows(table)) {
      onRows(rows);
      if (table.name === 'meta') mustNotRotate(rows);
      sum.add(rows);
      await insert(target, table, rows);
    }
    moved.push(sum.end());
  }
  for (const [i, table] of tables.entries()) {
    const sum = createSum(table);
    for await (const rows of target.rows(table)) {
      onRows(rows);
      sum.add(rows);
    }
    mustBeEqual(moved[i] as MovedTable, sum.end());
  }
  for (const table of tables) {
    const lastId = await source.lastId(table);
    if (lastId === null) continue;
    await target.countOnFrom(table, lastId);
    if ((await target.lastId(table)) !== lastId)
      throw new CopyRefused('copy_differs', `the ids of ${table.name} do not count on from ${lastId}`);
  }
  signal.throwIfAborted();
  await target.commit();
  const leftOut = source.tables.find(({ name }) => name === LEFT_OUT);
  return { tables: moved, leftOut: (leftOut && counts.get(leftOut)) ?? 0 };
}

/** Only the source's place has both keys that the database needs then. */
function mustNotRotate(rows: readonly Row[]): void {
  if (rows.some(({ name }) => name === 'master_key_rotation')) {
    throw new CopyRefused(
      'rotation_under_way',
      'the master key is being exchanged; bring that to its end before, with "latchkey master-key rotate"',
    );
  }
}

async function insert(target: CopyTarget, table: Table, rows: readonly Row[]): Promise<void> {
  try {
    await target.insert(table, rows);
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error;
    const message = `it does not take rows of ${table.name}: ${(error as Error).message}`;
    throw new CopyRefused('rows_refused', message, { cause: error });
  }
}

function mustBeAlike(source: CopySource, target: CopyTarget): void {
  const shape = ({ migrations, tables }: CopySource) => JSON.stringify([migrations, tables]);
  if (shape(source) !== shape(target)) {
    throw new CopyRefused('migrations_differ', 'the tables of the target are not those of the source');
  }
}

function mustBeEqual(here: MovedTable, there: MovedTable): void {
  if (here.rows === there.rows && here.sha256 === there.sha256) return;
  throw new CopyRefused(
    'copy_differs',
    `what was read back of ${here.name} is not what was written (${there.rows} of ${here.rows} rows, SHA-256 ${there.sha256}, not ${here.sha256})`,
  );
}

function createSum({ name, columns }: Table) {
  const hash = createHash('sha256');
  let count = 0;
  return {
    add(rows: readonly Row[]): void {
      for (const row of rows) addRow(hash, columns, row);
      count += rows.length;
    },
    end: (): MovedTable => ({ name, rows: count, sha256: hash.digest('hex') }),
  };
}

/** A line of JSON for each row: the values of its columns, bytes as an object that no text can be taken for. */
function addRow(hash: Hash, columns: readonly string[], row: Row): void {
  const values = columns.map((column) => {
    const value = row[column];
    return value instanceof Uint8Array ? { bytes: Buffer.from(value).toString('hex') } : value;
  });
  hash.update(`${JSON.stringify(values)}\n`);
}
