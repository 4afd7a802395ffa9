import {
  CopyRefused,
  type CopySource,
  type CopyTarget,
  type Row,
  type Table,
} from '../../store/backups/copy.ts';
import { StoreUnavailable } from '../../store/store.ts';
import { type CopiedTable, createSum, LEFT_OUT, META } from './copied-rows.ts';

export interface MoveReport {
  tables: CopiedTable[];
  /** Rows of imports and generations under way, which nobody would ever finish over there. */
  leftOut: number;
  /** Whether the master key is being exchanged for another. */
  isRotating: boolean;
}

/**
 * Copies every table, reads all of it back, compares, and only then commits.
 * @param mayRotate whether a database whose master key is being exchanged is copied, too
 * @param onProgress is told of rows done, of so many; each counts twice, once for its way back
 * @throws CopyRefused, StoreUnavailable, or what the signal was aborted with
 */
export async function moveDatabase(
  source: CopySource,
  target: CopyTarget,
  {
    mayRotate = false,
    signal,
    onProgress,
  }: { mayRotate?: boolean; signal: AbortSignal; onProgress(done: number, total: number): void },
): Promise<MoveReport> {
  mustBeAlike(source, target);
  const tables = source.tables.filter(({ name }) => name !== LEFT_OUT);
  const counts = new Map<Table, number>();
  for (const table of source.tables) counts.set(table, await source.count(table));
  const total = 2 * tables.reduce((sum, table) => sum + (counts.get(table) ?? 0), 0);
  let done = 0;
  let isRotating = false;
  const onRows = (rows: readonly Row[]) => {
    signal.throwIfAborted();
    done += rows.length;
    onProgress(done, total);
  };

  const moved: CopiedTable[] = [];
  for (const table of tables) {
    const sum = createSum(table);
    for await (const rows of source.rows(table)) {
      onRows(rows);
      isRotating ||= table.name === META && rows.some(({ name }) => name === 'master_key_rotation');
      if (isRotating && !mayRotate) throw rotationUnderWay();
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
    mustBeEqual(moved[i] as CopiedTable, sum.end());
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
  return { tables: moved, leftOut: (leftOut && counts.get(leftOut)) ?? 0, isRotating };
}

/** Only the source's place has both keys that the database needs then. */
const rotationUnderWay = () =>
  new CopyRefused(
    'rotation_under_way',
    'the master key is being exchanged; bring that to its end before, with "latchkey master-key rotate"',
  );

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

function mustBeEqual(here: CopiedTable, there: CopiedTable): void {
  if (here.rows === there.rows && here.sha256 === there.sha256) return;
  throw new CopyRefused(
    'copy_differs',
    `what was read back of ${here.name} is not what was written (${there.rows} of ${here.rows} rows, SHA-256 ${there.sha256}, not ${here.sha256})`,
  );
}
