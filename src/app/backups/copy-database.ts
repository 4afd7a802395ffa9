import { isDeepStrictEqual } from 'node:util';
import { CopyRefused, type CopySource, type CopyTarget } from '../../store/backups/copy.ts';
import { storageKeyFault } from './backup-format.ts';
import { type CopiedTable, createSum, linesOf, metaOf, type Step } from './rows.ts';

export interface CopyReport {
  tables: CopiedTable[];
  /** Number of staged licenses, which are not copied. */
  leftOut: number;
}

export const isRotating = async (source: Pick<CopySource, 'tables' | 'rows'>): Promise<boolean> =>
  (await metaOf(source)).has('master_key_rotation');

/** Copies one database to another. @throws CopyRefused, StoreUnavailable, and what `step` throws */
export async function moveDatabase(source: CopySource, target: CopyTarget, step: Step): Promise<CopyReport> {
  // During a rotation the copy would need two master keys, and only the data directory of the source has both.
  if (await isRotating(source)) {
    const message = 'the master key is being rotated; finish that first, with "latchkey master-key rotate"';
    throw new CopyRefused('rotation_under_way', message);
  }
  return copyDatabase(source, target, step);
}

/** Copies every table, reads the copies back, compares them with the source, and only then commits. */
export async function copyDatabase(
  source: Omit<CopySource, 'close'>,
  target: CopyTarget,
  step: Step,
): Promise<CopyReport> {
  const { tables } = source;
  if (!isDeepStrictEqual([source.migrations, tables], [target.migrations, target.tables]))
    throw new CopyRefused('migrations_differ', 'the tables of the target are not those of the source');
  const copied: CopiedTable[] = [];
  for (const table of tables) {
    const sum = createSum(table);
    for await (const rows of source.rows(table)) {
      for (const row of rows) {
        const fault = storageKeyFault(table, row);
        if (fault !== null) throw new CopyRefused('file_key_invalid', fault);
      }
      sum.add(linesOf(table, rows), rows.length);
      await target.insert(table, rows).catch((error) => {
        if (error instanceof CopyRefused) throw error;
        const message = `the target refused rows of ${table.name}: ${error.message}`;
        throw new CopyRefused('rows_refused', message, { cause: error });
      });
      await step('rows', rows.length);
    }
    copied.push(sum.end());
    const lastId = await source.lastId(table);
    // SQLite stores 0 for a table into which a statement inserted no row; a sequence of PostgreSQL cannot have it.
    if (!lastId) continue;
    await target.countOnFrom(table, lastId);
    if ((await target.lastId(table)) !== lastId)
      throw new CopyRefused('copy_differs', `the ids of ${table.name} do not continue after ${lastId}`);
  }
  for (const [i, table] of tables.entries()) {
    const sum = createSum(table);
    for await (const rows of target.rows(table)) {
      sum.add(linesOf(table, rows), rows.length);
      await step('rows', rows.length);
    }
    const [expected, found] = [copied[i] as CopiedTable, sum.end()];
    if (!isDeepStrictEqual(found, expected)) {
      const message = `the copy of ${table.name} differs from its source (${found.rows} of ${expected.rows} rows)`;
      throw new CopyRefused('copy_differs', message);
    }
  }
  await target.commit();
  return { tables: copied, leftOut: source.leftOut };
}
