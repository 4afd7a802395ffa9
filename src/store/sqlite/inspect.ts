import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import type { FileInspection, UpgradeInspection } from '../backups/inspection.ts';
import { quoted } from '../sql/backups/copy.ts';
import { inspectTables } from '../sql/backups/inspect.ts';
import { inspectUpgrade } from '../sql/backups/upgrade.ts';
import { beside, refuseWithoutTables, SqliteConnection, sqliteDb, sqliteEngine } from './connection.ts';

const READ_TIMEOUT_MS = 1_000;
const FAULTS_MAX = 3;
/** A write lock held for longer than this, in milliseconds, is reported. */
const LOCK_TIMEOUT_MS = 2_000;

/** Inspects a database without changing its file, or the files beside it. @throws StoreUnavailable, StoreDamaged */
export const inspectSqlite = (file: string, masterKey: Uint8Array | null): Promise<FileInspection> =>
  readUnchanged(file, async (connection) => {
    refuseWithoutTables(connection, file);
    return {
      faults: [...check(connection), ...checkValues(connection)].slice(0, FAULTS_MAX),
      ...(await inspectTables(connection, sqliteDb, masterKey, false)),
      concurrent: isWal(file),
      locked: isLocked(file),
    };
  });

/**
 * Finds what a start would change, without changing the file or the files beside it.
 * @throws StoreUnavailable, StoreDamaged
 */
export const inspectSqliteUpgrade = (file: string): Promise<UpgradeInspection> =>
  readUnchanged(file, async (connection) => {
    refuseWithoutTables(connection, file);
    return {
      ...(await inspectUpgrade(connection, sqliteEngine, async (table) => {
        // An upper limit on the number of rows: no row has a higher id, and this reads only one row.
        const { rows } = connection.run(`select max(rowid) as last from ${quoted(table)}`, []);
        return (rows as { last: number | null }[])[0]?.last ?? 0;
      })),
      bytes: statSync(file).size,
    };
  });

/** Reads a database without changing its file, or the files beside it. */
async function readUnchanged<T>(
  file: string,
  read: (connection: SqliteConnection) => Promise<T>,
): Promise<T> {
  const look = async (address: string) => {
    using connection = new SqliteConnection(address, { readOnly: true, timeout: READ_TIMEOUT_MS });
    return await read(connection);
  };
  const isOpen = () => existsSync(beside(file, '-wal'));
  const stamp = () => {
    const { ino, size, mtimeMs } = statSync(file);
    return [ino, size, mtimeMs].join();
  };
  if (isOpen()) return look(file);
  const before = stamp();
  // Reading a WAL database creates its log files, unless it is declared immutable, which it is while no process has
  // it open. If a process opens it meanwhile, its log files appear, or it changes the file: then the result is discarded.
  const found = await look(`${pathToFileURL(file)}?immutable=1`).catch((error: Error) => error);
  if (isOpen()) return look(file);
  if (stamp() !== before) return readUnchanged(file, read);
  if (found instanceof Error) throw found;
  return found;
}

/** The first faults that SQLite finds, without its headings. */
function check(connection: SqliteConnection): string[] {
  const { rows } = connection.run(`pragma quick_check(${FAULTS_MAX})`, []);
  const lines = (rows as { quick_check: string }[]).flatMap((row) => row.quick_check.split('\n'));
  return lines.filter((line) => line !== 'ok' && !line.startsWith('***'));
}

/** `2026-11-23 10:15:00` */
const DATETIME = '0000-00-00 00:00:00'.replaceAll('0', '[0-9]');
const JSON_COLUMNS = [
  ...['meta', 'endpoints', 'products', 'icons', 'banners', 'seat_policy', 'details', 'tags', 'belongings'],
  ...['types', 'header_names', 'product_ids', 'data', 'previous', 'record', 'notes'],
];
/** Conditions on the texts of columns, by the names of table and column. SQLite checks the types: the tables are strict. */
const MUST_BE: readonly [name: RegExp, condition: (column: string) => string][] = [
  [/[._](at|until|since)$/, (column) => `${column} glob '${DATETIME}'`],
  // The column `note` of other tables is plain text.
  [
    new RegExp(`\\.(${JSON_COLUMNS.join('|')})$|^repeated_changes\\.note$`),
    (column) => `json_valid(${column})`,
  ],
];

/** Finds columns with texts that are not valid times, or not valid JSON. Reads every row. */
function checkValues(connection: SqliteConnection): string[] {
  const all = (query: string) => connection.run(query, []).rows as Record<string, string>[];
  const columns = all(`
    select t.name as "table", c.name from sqlite_master t, pragma_table_info(t.name) c
    where t.type = 'table' and c.type = 'TEXT'`);
  const found: string[] = [];
  for (const [table, its] of Map.groupBy(columns, (column) => column.table as string)) {
    const wrong = its.flatMap(({ name = '' }) =>
      MUST_BE.filter(([named]) => named.test(`${table}.${name}`)).map(
        ([, right]) => `sum(not ${right(quoted(name))}) as ${quoted(name)}`,
      ),
    );
    if (wrong.length === 0) continue;
    const [counts = {}] = all(`select ${wrong} from ${quoted(table)}`);
    for (const [name, rows] of Object.entries(counts))
      if (Number(rows) > 0) found.push(`wrong ${name} in ${table} (rows: ${rows})`);
  }
  return found;
}

/** Reads the file's header: a connection with `immutable` does not report the journal mode. */
function isWal(file: string): boolean {
  // https://www.sqlite.org/fileformat.html: the read version, 2 for WAL.
  const header = Buffer.alloc(20);
  const opened = openSync(file, 'r');
  try {
    readSync(opened, header);
  } finally {
    closeSync(opened);
  }
  return header[19] === 2;
}

/**
 * Whether another process keeps the write lock: takes and releases it. A busy server may take it again and again, but then it
 * commits meanwhile. The caller's connection stays open, so that closing this one writes nothing.
 */
function isLocked(file: string): boolean {
  // Without the shared memory file no process has the database open, and this must not create it.
  if (!existsSync(beside(file, '-shm'))) return false;
  using database = new DatabaseSync(file, { timeout: LOCK_TIMEOUT_MS });
  const commits = database.prepare('pragma data_version');
  const before = commits.get()?.data_version;
  try {
    database.exec('begin immediate; rollback');
    return false;
  } catch {
    return commits.get()?.data_version === before;
  }
}
