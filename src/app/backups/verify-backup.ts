import { ArchiveDamaged } from '../../archive/archive.ts';
import type { Row, Table } from '../../store/backups/copy.ts';
import { fileOf, storageKeyFault } from './backup-format.ts';
import type { Backup } from './open-backup.ts';
import type { CopiedTable, Step } from './rows.ts';

/** Problems to report. Further problems usually repeat the same ones. */
const REPORTED_MAX = 20;

export interface Verified {
  tables: CopiedTable[];
  /** Null if the backup was made without files. */
  files: { count: number; bytes: number } | null;
  /** What is wrong and where; empty if the backup is intact. */
  problems: string[];
  /** Number of license keys that the master key decrypted; null without a master key. */
  openedKeys: number | null;
}

/** Whether the license key or token in a row can be decrypted and matches the row's hash. */
export type Opens = Record<'licenses' | 'activations', (row: Row) => boolean>;

/**
 * Reads all of a backup: checksums, numbers of rows, references, the file of each release, and license keys.
 * @param opens null without a master key
 * @throws what `step` throws
 */
export async function verifyBackup(backup: Backup, step: Step, opens: Opens | null): Promise<Verified> {
  const { manifest, source } = backup;
  const problems: string[] = [];
  const report = (problem: string) => {
    if (problems.length < REPORTED_MAX) problems.push(problem);
  };
  const reporting = (check: () => Promise<void>) =>
    check().catch((error) => {
      if (!(error instanceof ArchiveDamaged)) throw error;
      report(error.message);
    });
  const files = new Map(manifest.artifacts?.map((file) => [file.key, file]));
  const used = new Set<string>();
  let openedKeys = 0;
  const checkKey = (row: Row, table: string, id: unknown) => {
    if (opens?.licenses(row)) openedKeys++;
    else if (opens) report(`tables/${table}: the key of the license with id ${id} cannot be opened`);
  };
  const checkToken = (row: Row, table: string) => {
    if (opens?.activations(row) === false)
      report(`tables/${table}: the token of the activation with id ${row.id} cannot be opened`);
  };
  const checks: Record<string, (row: Row) => void> = {
    artifacts(row) {
      const { key, size, sha256 } = fileOf(row);
      const file = files.get(key);
      if (!file) return report(`artifacts/${key} is missing: tables/artifacts refers to it`);
      used.add(key);
      if (file.size !== size || file.sha256 !== sha256 || !file.in_use)
        report(`artifacts/${key} is not the file that tables/artifacts describes`);
    },
    licenses: (row) => checkKey(row, 'licenses', row.id),
    trashed_licenses: (row) => checkKey(row, 'trashed_licenses', row.license_id),
    activations: (row) => checkToken(row, 'activations'),
    trashed_activations: (row) => checkToken(row, 'trashed_activations'),
  };
  const referenceCheckOf = createReferenceChecks(source.tables, report);
  for (const table of source.tables) {
    const check = table.name === 'artifacts' && !manifest.artifacts ? undefined : checks[table.name];
    const checkReferences = referenceCheckOf(table);
    await reporting(async () => {
      for await (const rows of source.rows(table)) {
        for (const row of rows) {
          checkReferences(row);
          const fault = storageKeyFault(table, row);
          if (fault !== null) report(fault);
          else check?.(row);
        }
        await step('rows', rows.length);
      }
    });
  }
  for (const file of files.values()) {
    if (file.in_use && !used.has(file.key))
      report(`artifacts/${file.key}: tables/artifacts has no such file`);
    await reporting(async () => {
      for await (const chunk of backup.file(file)) await step('bytes of files', chunk.length);
    });
  }
  const bytes = [...files.values()].reduce((sum, { size }) => sum + size, 0);
  return {
    tables: manifest.tables.map(({ name, rows, sha256 }) => ({ name, rows, sha256 })),
    files: manifest.artifacts && { count: files.size, bytes },
    problems,
    openedKeys: opens && openedKeys,
  };
}

/**
 * Checks that each row refers only to rows before it. Keeps 8 bytes for each row of a table that others refer to, except for
 * ids that are out of order: otherwise a repeated line, which compresses to almost nothing, would exhaust memory.
 */
function createReferenceChecks(tables: readonly Table[], report: (problem: string) => void) {
  const ids = new Map<string, number[]>();
  for (const { references } of tables) for (const { table, to } of references) ids.set(`${table}.${to}`, []);
  return ({ name, columns, references }: Table): ((row: Row) => void) => {
    const kept = columns.filter((column) => ids.has(`${name}.${column}`));
    const checked = references.map((one) => ({ ...one, known: ids.get(`${one.table}.${one.to}`) ?? [] }));
    return (row) => {
      for (const column of kept) {
        const known = ids.get(`${name}.${column}`) ?? [];
        const value = Number(row[column]);
        if (value > (known.at(-1) ?? Number.NEGATIVE_INFINITY)) known.push(value);
        else report(`tables/${name}: the row with ${column} ${value} is not in order`);
      }
      for (const { column, table, to, known } of checked) {
        const value = row[column];
        if (value !== null && !hasSorted(known, Number(value)))
          report(
            `tables/${name}: a row has ${column} ${value}, but tables/${table} has no row with that ${to}`,
          );
      }
    };
  };
}

/** Ids are sorted, as the rows of a table are. */
function hasSorted(values: readonly number[], value: number): boolean {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((values[middle] as number) < value) low = middle + 1;
    else high = middle;
  }
  return values[low] === value;
}
