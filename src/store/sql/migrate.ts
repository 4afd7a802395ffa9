import { sql } from 'kysely';
import { StoreDamaged } from '../errors.ts';
import { MIGRATIONS } from '../migrations/index.ts';
import type { Migration } from '../migrations/migration.ts';
import { metaOf, setMeta } from './meta.ts';
import { type Connection, execute, type SqlEngine } from './statement.ts';

const APPLIED = 'schema_migrations';
/** The row of `meta` that holds the version of Latchkey that applied the last migration. */
export const MIGRATED_BY = 'migrated_by';

/** Migrations that were just applied. */
export interface Migrated {
  names: string[];
  /** The version that applied the last migration before these; null in a new database, or if it was not recorded. */
  from: string | null;
  seconds: number;
}

/**
 * Applies the missing migrations, and records the version of this program with the last one.
 * @param atOnce as of `migrate`
 * @returns null if none was missing
 */
export async function bringUpToDate(
  connection: Connection,
  engine: SqlEngine,
  version: string,
  atOnce?: number,
): Promise<Migrated | null> {
  const begun = performance.now();
  const names = await migrate(connection, engine, MIGRATIONS, atOnce);
  if (names.length === 0) return null;
  const from = (await metaOf(connection, engine.db, [MIGRATED_BY])).get(MIGRATED_BY) ?? null;
  if (names.at(-1) === MIGRATIONS.at(-1)?.name) await setMeta(connection, engine.db, MIGRATED_BY, version);
  return { names, from, seconds: (performance.now() - begun) / 1000 };
}

/**
 * Applies the missing migrations in order. The engine holds the lock and the transaction around it. Migrations that
 * this program does not know are no error: an earlier version keeps working beside a later one.
 * @param atOnce applies at most this many to a database that has some; an empty one gets all
 * @returns names of the migrations that were applied
 * @throws StoreDamaged if the list of applied migrations cannot be true
 */
export async function migrate(
  connection: Connection,
  engine: SqlEngine,
  migrations: readonly Migration[] = MIGRATIONS,
  atOnce = Number.POSITIVE_INFINITY,
): Promise<string[]> {
  const table = engine.schema
    .createTable(APPLIED)
    .ifNotExists()
    .addColumn('name', 'text', (c) => c.primaryKey());
  await execute(connection, table.$call(engine.table));
  const applied = await appliedMigrations(connection);
  const missing = migrations.filter(({ name }) => !applied.has(name));
  // Migrations are applied in order, so only the last ones can be missing, and then nothing can be unknown.
  if (missing.length > 0 && applied.size !== migrations.length - missing.length)
    throw new StoreDamaged(
      `the list of migrations names some that do not exist, and lacks ${missing[0]?.name}`,
    );
  if (missing[0] !== migrations[migrations.length - missing.length])
    throw new StoreDamaged(`the list of migrations lacks ${missing[0]?.name}, but has later ones`);
  const next = applied.size === 0 ? missing : missing.slice(0, atOnce);
  for (const { name, up } of next) {
    for (const query of up(engine)) await execute(connection, query);
    const applies = sql<never>`insert into ${sql.table(APPLIED)} (name) values (${name})`;
    await execute(connection, applies.compile(engine.db));
  }
  return next.map(({ name }) => name);
}

export async function appliedMigrations(connection: Connection): Promise<Set<string>> {
  const { rows } = await connection.execute(`select name from ${APPLIED}`, []);
  return new Set((rows as { name: string }[]).map(({ name }) => name));
}

/** Names of the known migrations that the database lacks. */
export async function missingMigrations(connection: Connection): Promise<string[]> {
  const applied = await appliedMigrations(connection);
  return MIGRATIONS.map(({ name }) => name).filter((name) => !applied.has(name));
}

export const isMigrated = async (connection: Connection): Promise<boolean> =>
  (await missingMigrations(connection)).length === 0;
