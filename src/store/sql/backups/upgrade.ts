import { CreateIndexNode, CreateTableNode } from 'kysely';
import type { PendingMigration, UpgradeInspection } from '../../backups/inspection.ts';
import { MIGRATIONS } from '../../migrations/index.ts';
import type { Migration } from '../../migrations/migration.ts';
import { metaOf, REWRITE_DUE } from '../meta.ts';
import { appliedMigrations, MIGRATED_BY } from '../migrate.ts';
import type { Connection, SqlEngine } from '../statement.ts';

/**
 * Finds out what migrations a start would apply.
 * @param rowsOf estimates the rows of a table, cheaply
 */
export async function inspectUpgrade(
  connection: Connection,
  engine: SqlEngine,
  rowsOf: (table: string) => Promise<number>,
): Promise<Omit<UpgradeInspection, 'bytes'>> {
  const applied = await appliedMigrations(connection);
  const known = new Set(MIGRATIONS.map(({ name }) => name));
  const meta = await metaOf(connection, engine.db, [MIGRATED_BY, REWRITE_DUE]);
  const pending: PendingMigration[] = [];
  const created = new Set<string>();
  for (const migration of MIGRATIONS.filter(({ name }) => !applied.has(name))) {
    const rowsIn = async (tables: readonly string[]) => {
      const rows = await Promise.all(tables.filter((table) => !created.has(table)).map(rowsOf));
      return rows.reduce((sum, count) => sum + count, 0);
    };
    const { indexed, tables } = changesOf(migration, engine);
    for (const table of tables) created.add(table);
    pending.push({
      name: migration.name,
      note: migration.note,
      indexed: await rowsIn(indexed),
      rewritten: await rowsIn(migration.rewrites ?? []),
      isBreaking: migration.isBreaking === true,
    });
  }
  return {
    migratedBy: meta.get(MIGRATED_BY) ?? null,
    pending,
    unknown: [...applied].filter((name) => !known.has(name)).sort(),
    isRewriteDue: meta.has(REWRITE_DUE),
  };
}

/** The table of each index that a migration creates, and the tables that it creates. */
function changesOf({ up }: Migration, engine: SqlEngine) {
  const nodes = up(engine).map((query) => query.compile().query);
  return {
    indexed: nodes.filter((node) => CreateIndexNode.is(node)).flatMap(({ table }) => nameOf(table)),
    tables: nodes.filter((node) => CreateTableNode.is(node)).flatMap(({ table }) => nameOf(table)),
  };
}

const nameOf = (node: CreateIndexNode['table']): string[] => (node ? [node.table.identifier.name] : []);
