import { type ColumnDefinitionNode, CreateTableNode, DropTableNode, type Kysely } from 'kysely';
import { CopyRefused, type CopySource, type Row, type Table } from '../../backups/copy.ts';
import { MIGRATIONS } from '../../migrations/index.ts';
import type { EngineTools, Migration } from '../../migrations/migration.ts';
import { appliedMigrations, migrate, migrationTools } from '../migrate.ts';
import type { Schema } from '../schema.ts';
import type { Connection } from '../statement.ts';

/** Rows read and written at a time: with changelogs of 256 KiB they still take no more than some tens of megabytes. */
export const CHUNK = 250;

/** A column as the engine's catalog tells of it. */
export interface CatalogColumn {
  table: string;
  column: string;
  /** Place in the primary key, from 1; 0 for none. */
  place: number;
}

/** What a copy needs of an engine. */
export interface CopyEngine {
  db: Kysely<Schema>;
  tools: EngineTools;
  connection: Connection;
  /** Columns of all tables. */
  columns(): Promise<CatalogColumn[]>;
  /** Names of everything that stands where tables of ours would, whoever made it. */
  relations(): Promise<string[]>;
  rows(table: Table): AsyncIterable<readonly Row[]>;
  lastId(table: Table): Promise<number | null>;
}

const APPLIED = 'schema_migrations';
/** The target counts by itself what is put into it. */
const COUNTS = 'record_counts';

/** Tables that migrations leave, with what they refer to, in the order in which they make them: that is before them. */
function tablesOf(
  migrations: readonly Migration[],
  { db, tools }: CopyEngine,
): Map<string, Table['references']> {
  const tables = new Map<string, Table['references']>();
  for (const { up } of migrations) {
    for (const query of up(migrationTools(db, tools))) {
      const node = query.compile().query;
      if (CreateTableNode.is(node))
        tables.set(node.table.table.identifier.name, node.columns.flatMap(referencesOf));
      if (DropTableNode.is(node)) tables.delete(node.table.table.identifier.name);
    }
  }
  return tables;
}

function referencesOf({ column, references }: ColumnDefinitionNode): Table['references'] {
  const to = references?.columns[0]?.column.name;
  if (!references || !to) return [];
  return [{ column: column.column.name, table: references.table.table.identifier.name, to }];
}

/** Those of our migrations that a database has. */
const appliedOf = (names: ReadonlySet<string>): readonly Migration[] =>
  MIGRATIONS.filter(({ name }) => names.has(name));

/**
 * What there is, also where migrations are missing.
 * @throws CopyRefused where a later version has migrated it: of what that has added nothing is known here
 */
export async function copySource(engine: CopyEngine): Promise<Omit<CopySource, 'close'>> {
  const { connection, rows, lastId } = engine;
  const migrations = [...(await appliedMigrations(connection))].sort();
  refuseUnknown('the source', migrations);
  const columns = await engine.columns();
  return {
    migrations,
    tables: [...tablesOf(appliedOf(new Set(migrations)), engine)]
      .filter(([name]) => name !== COUNTS)
      .map(([name, references]) => {
        const own = columns.filter(({ table }) => table === name);
        const key = own.filter(({ place }) => place > 0).sort((one, other) => one.place - other.place);
        return {
          name,
          columns: own.map(({ column }) => column).sort(),
          key: key.map(({ column }) => column),
          references,
        };
      }),
    async count({ name }) {
      const { rows } = await connection.execute(`select count(*) as count from ${quoted(name)}`, []);
      return (rows as { count: number }[])[0]?.count ?? 0;
    },
    rows,
    lastId,
  };
}

/**
 * Makes our tables where there are none, inside the transaction that the engine has begun.
 * @param wanted names of the migrations that they are to have; null for all
 * @throws CopyRefused where there is anything else, or what is wanted is not what a version of ours has had
 */
export async function prepareTarget(engine: CopyEngine, wanted: readonly string[] | null): Promise<void> {
  const { connection, db, tools } = engine;
  const migrations = wanted === null ? MIGRATIONS : firstMigrations(wanted);
  const relations = await engine.relations();
  const columns = await engine.columns();
  const isOurs = columns.some(({ table, column }) => table === APPLIED && column === 'name');
  const applied = isOurs ? await appliedMigrations(connection) : new Set<string>();
  refuseUnknown('the target', [...applied]);
  const tables = [...tablesOf(appliedOf(applied), engine).keys()];
  const others = relations.filter((name) => !(tables.includes(name) || (isOurs && name === APPLIED)));
  if (others.length > 0) {
    throw new CopyRefused('target_not_empty', `it has tables that Latchkey has not made: ${listed(others)}`);
  }
  const filled: string[] = [];
  for (const name of tables.filter((table) => table !== COUNTS)) {
    const { rows } = await connection.execute(`select 1 from ${quoted(name)} limit 1`, []);
    if (rows.length > 0) filled.push(name);
  }
  if (filled.length > 0) {
    throw new CopyRefused('target_not_empty', `it is a database of Latchkey with rows in ${listed(filled)}`);
  }
  const later = [...applied].filter((name) => migrations.every((one) => one.name !== name));
  if (later.length > 0) {
    const message = `it has tables of a later version than what is to come (${listed(later)}): give one without tables`;
    throw new CopyRefused('target_not_empty', message);
  }
  await migrate(connection, db, tools, migrations);
}

/** Those with these names. @throws CopyRefused where they are not the first of ours */
function firstMigrations(names: readonly string[]): readonly Migration[] {
  refuseUnknown('the source', names);
  const first = MIGRATIONS.slice(0, names.length);
  if (first.some(({ name }, i) => name !== names[i]))
    throw new CopyRefused('migrations_differ', `no version of Latchkey has just ${listed(names)}`);
  return first;
}

function refuseUnknown(what: string, migrations: readonly string[]): void {
  const unknown = migrations.filter((name) => MIGRATIONS.every((known) => known.name !== name));
  if (unknown.length > 0) {
    throw new CopyRefused(
      'migrations_differ',
      `${what} was migrated by another version of Latchkey (${listed(unknown)}): use that one`,
    );
  }
}

const NAMED_MAX = 10;
const listed = (names: readonly string[]): string =>
  names.slice(0, NAMED_MAX).join(', ') + (names.length > NAMED_MAX ? ', …' : '');

/** Rows that a statement answers. */
export const asking =
  (connection: Connection) =>
  async <T>(text: string, ...parameters: unknown[]): Promise<T[]> =>
    (await connection.execute(text, parameters)).rows as T[];

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
export const quotedAll = (names: readonly string[]): string => names.map(quoted).join(', ');
