import {
  AddColumnNode,
  AlterTableNode,
  type ColumnDefinitionNode,
  CreateTableNode,
  DataTypeNode,
  DropTableNode,
  PrimaryKeyConstraintNode,
} from 'kysely';
import { CopyRefused, type CopySource, type Row, STAGED, type Table } from '../../backups/copy.ts';
import { MIGRATIONS } from '../../migrations/index.ts';
import type { Migration } from '../../migrations/migration.ts';
import { appliedMigrations, migrate } from '../migrate.ts';
import type { Connection, SqlEngine } from '../statement.ts';

/** Rows read and written at a time: even with changelogs of 256 KiB they take only some tens of megabytes. */
export const CHUNK = 250;
/** The table of totals that triggers keep. It is not copied: the target counts the rows that it receives. */
const COUNTS = 'record_counts';

/** The parts of a copy that differ between the engines. */
export interface CopyEngine {
  engine: SqlEngine;
  connection: Connection;
  /** Selects the names of all tables and views, whoever made them. */
  relations: string;
  /** SQL that follows a text column in `order by`, to sort by bytes. */
  byBytes: string;
  /** The rows of a query, `CHUNK` at a time. */
  read(query: string): AsyncIterable<readonly Row[]>;
  lastId(table: Table): Promise<number | null>;
}

/** A table, and which of its columns hold text. */
type SchemaTable = Table & { texts: ReadonlySet<string> };

/** The tables after these migrations, in the order of their creation: each after the tables that it references. */
function tablesOf(migrations: readonly Migration[], engine: SqlEngine): SchemaTable[] {
  const tables = new Map<string, { columns: ColumnDefinitionNode[]; key: string[] }>();
  for (const query of migrations.flatMap(({ up }) => up(engine))) {
    const node = query.compile().query;
    if (CreateTableNode.is(node)) {
      const key = node.columns.filter((one) => one.primaryKey).map(nameOf);
      for (const one of node.constraints ?? [])
        if (PrimaryKeyConstraintNode.is(one)) key.push(...one.columns.map(({ column }) => column.name));
      tables.set(node.table.table.identifier.name, { columns: [...node.columns], key });
    } else if (DropTableNode.is(node)) {
      tables.delete(node.table.table.identifier.name);
    } else if (AlterTableNode.is(node)) {
      for (const change of node.columnAlterations ?? []) {
        if (!AddColumnNode.is(change)) throw new TypeError(`copies do not know ${change.kind} yet`);
        tables.get(node.table.table.identifier.name)?.columns.push(change.column);
      }
    }
  }
  return [...tables]
    .filter(([name]) => name !== COUNTS)
    .map(([name, { columns, key }]) => ({
      name,
      key,
      columns: columns.map(nameOf).sort(),
      references: columns.flatMap(referencesOf),
      texts: new Set(columns.filter(isText).map(nameOf)),
    }));
}

const nameOf = ({ column }: ColumnDefinitionNode): string => column.column.name;
const isText = ({ dataType }: ColumnDefinitionNode): boolean =>
  DataTypeNode.is(dataType) && dataType.dataType === 'text';

function referencesOf({ column, references }: ColumnDefinitionNode): Table['references'] {
  const to = references?.columns[0]?.column.name;
  return references && to
    ? [{ column: column.column.name, table: references.table.table.identifier.name, to }]
    : [];
}

/** The whole content of a database, whatever migrations it has. @throws CopyRefused if a later version has migrated it */
export async function copySource({
  engine,
  connection,
  read,
  lastId,
  byBytes,
}: CopyEngine): Promise<Omit<CopySource, 'close'>> {
  const migrations = [...(await appliedMigrations(connection))].sort();
  const tables = tablesOf(migrationsNamed(migrations), engine);
  const texts = new Map(tables.map((table) => [table.name, table.texts]));
  const { rows: staged } = await connection.execute(`select count(*) as count from ${STAGED}`, []);
  return {
    migrations,
    tables: tables.map(({ texts: _, ...table }) => table),
    leftOut: Number((staged as { count: number }[])[0]?.count),
    async *rows({ name, columns, key }) {
      if (name === STAGED) return;
      const order = key.map((column) => quoted(column) + (texts.get(name)?.has(column) ? byBytes : ''));
      yield* read(`select ${quotedAll(columns)} from ${quoted(name)} order by ${order.join(', ')}`);
    },
    lastId,
  };
}

/**
 * Creates the tables of a copy, inside the transaction that the engine has begun.
 * @param wanted the migrations of the copy; null for all
 * @throws CopyRefused when the database has tables, or no version of Latchkey has those migrations
 */
export async function prepareTarget(
  { engine, connection, relations }: CopyEngine,
  wanted: readonly string[] | null,
): Promise<void> {
  const { rows } = await connection.execute(relations, []);
  const names = (rows as { name: string }[]).map(({ name }) => name).sort();
  if (names.length > 0) throw new CopyRefused('target_not_empty', `it already has tables (${listed(names)})`);
  await migrate(connection, engine, wanted === null ? MIGRATIONS : migrationsNamed(wanted));
}

/**
 * The migrations with these names.
 * @throws CopyRefused unless they are the first of ours, as in each version until this one
 */
function migrationsNamed(names: readonly string[]): readonly Migration[] {
  const unknown = names.filter((name, i) => MIGRATIONS[i]?.name !== name);
  if (unknown.length > 0) {
    const message = `the source was migrated by another version of Latchkey (${listed(unknown)}): use that one`;
    throw new CopyRefused('migrations_differ', message);
  }
  return MIGRATIONS.slice(0, names.length);
}

const LISTED_MAX = 10;
const listed = (names: readonly string[]): string =>
  names.slice(0, LISTED_MAX).join(', ') + (names.length > LISTED_MAX ? ', …' : '');

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
export const quotedAll = (names: readonly string[]): string => names.map(quoted).join(', ');
