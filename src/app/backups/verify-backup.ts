import { setImmediate as nextTurn } from 'node:timers/promises';
import { ArchiveDamaged } from '../../archive/archive.ts';
import type { Row, Table } from '../../store/backups/copy.ts';
import { fileOf, type Watched } from './back-up.ts';
import type { BackupFile } from './backup-format.ts';
import { type CopiedTable, LEFT_OUT } from './copied-rows.ts';
import type { Backup } from './open-backup.ts';

/** Problems that are told; where there are more, something is wrong altogether. */
const TOLD_MAX = 20;

export interface Verified {
  tables: CopiedTable[];
  /** Null where the backup was made without. */
  files: { count: number; bytes: number } | null;
  /** What is wrong, each in words that say where; empty where all is well. */
  problems: string[];
  /** Of how many licenses the key was opened; null where there was no master key to do so. */
  openedKeys: number | null;
}

/**
 * Reads all of a backup: checksums, counts, what tables refer to, the file of each release, and license keys.
 * @param opens tells of rows of licenses whether each opens and has the hash that it must have; null where nobody can
 * @throws what the signal was aborted with
 */
export async function verifyBackup(
  backup: Backup,
  { signal, onProgress }: Watched,
  opens: ((rows: readonly Row[]) => boolean[]) | null,
): Promise<Verified> {
  const { manifest, source } = backup;
  const problems: string[] = [];
  const tell = (problem: string) => {
    if (problems.length < TOLD_MAX) problems.push(problem);
  };
  const files = new Map((manifest.artifacts ?? []).map((file) => [file.key, file]));
  const references = createReferences(source.tables, tell);
  const used = new Set<string>();
  const total = manifest.tables.reduce((sum, { rows }) => sum + rows, 0);
  let [done, openedKeys] = [0, 0];

  for (const table of source.tables) {
    await finding(tell, async () => {
      const check = references.of(table);
      for await (const rows of source.rows(table)) {
        await nextTurn();
        signal.throwIfAborted();
        for (const row of rows) check(row);
        if (table.name === 'artifacts' && manifest.artifacts) {
          for (const row of rows) {
            used.add(String(row.storage_key));
            checkFile(fileOf(row), files, tell);
          }
        }
        if (table.name === 'licenses' && opens) {
          const opened = opens(rows);
          openedKeys += opened.filter(Boolean).length;
          for (const [i, isOpen] of opened.entries())
            if (!isOpen)
              tell(`tables/licenses: the key of the license with id ${rows[i]?.id} cannot be opened`);
        }
        done += rows.length;
        onProgress('rows', done, total);
      }
    });
  }
  for (const { key, in_use: inUse } of files.values())
    if (inUse && !used.has(key)) tell(`artifacts/${key}: tables/artifacts has no such file`);

  const bytes = [...files.values()].reduce((sum, { size }) => sum + size, 0);
  let doneBytes = 0;
  for (const file of files.values()) {
    await finding(tell, async () => {
      for await (const chunk of backup.file(file)) {
        signal.throwIfAborted();
        doneBytes += chunk.length;
        onProgress('bytes of files', doneBytes, bytes);
      }
    });
  }
  return {
    tables: manifest.tables.flatMap(({ name, rows, sha256 }) =>
      name === LEFT_OUT ? [] : [{ name, rows, sha256 }],
    ),
    files: manifest.artifacts && { count: files.size, bytes },
    problems,
    openedKeys: opens && openedKeys,
  };
}

async function finding(tell: (problem: string) => void, look: () => Promise<void>): Promise<void> {
  try {
    await look();
  } catch (error) {
    if (!(error instanceof ArchiveDamaged)) throw error;
    tell(error.message);
  }
}

function checkFile(
  { key, size, sha256 }: BackupFile,
  files: ReadonlyMap<string, BackupFile>,
  tell: (problem: string) => void,
): void {
  const file = files.get(key);
  if (!file) tell(`artifacts/${key} is missing: tables/artifacts refers to it`);
  else if (file.size !== size || file.sha256 !== sha256 || !file.in_use)
    tell(`artifacts/${key} is not the file that tables/artifacts tells of`);
}

/** What tables refer to, as far as it is by whole numbers: 8 bytes are kept of each row that may be referred to. */
function createReferences(tables: readonly Table[], tell: (problem: string) => void) {
  const referred = new Set(
    tables.flatMap(({ references }) => references.map(({ table, to }) => `${table}.${to}`)),
  );
  const there = new Map<string, NumberList>();
  return {
    /** @returns what checks each of its rows */
    of({ name, references }: Table): (row: Row) => void {
      const lists = [...referred].flatMap((place) => {
        const [table, column = ''] = place.split('.');
        if (table !== name) return [];
        const list = createNumberList();
        there.set(place, list);
        return [{ column, list }];
      });
      return (row) => {
        for (const { column, list } of lists) list.add(Number(row[column]));
        for (const { column, table, to } of references) {
          const value = row[column];
          if (value !== null && there.get(`${table}.${to}`)?.has(Number(value)) !== true)
            tell(`tables/${name}: a row has ${column} ${value}, and tables/${table} none with that ${to}`);
        }
      };
    },
  };
}

interface NumberList {
  add(value: number): void;
  has(value: number): boolean;
}

/** Numbers that come in their order, as ids do. */
function createNumberList(): NumberList {
  let values = new Float64Array(1024);
  let count = 0;
  return {
    add(value) {
      if (count === values.length) {
        const more = new Float64Array(2 * count);
        more.set(values);
        values = more;
      }
      values[count++] = value;
    },
    has(value) {
      let [low, high] = [0, count];
      while (low < high) {
        const middle = (low + high) >>> 1;
        if ((values[middle] as number) < value) low = middle + 1;
        else high = middle;
      }
      return low < count && values[low] === value;
    },
  };
}
