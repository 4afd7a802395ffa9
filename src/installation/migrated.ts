import { VERSION } from '../config/version.ts';
import { MIGRATIONS } from '../store/migrations/index.ts';
import type { Migrated } from '../store/sql/migrate.ts';

/** Whether the database had no tables before. */
export const isNewDatabase = ({ names }: Migrated): boolean => names.includes(String(MIGRATIONS[0]?.name));

/** Describes what was done to a database: a sentence and, for an existing database, a line for each migration. */
export function migratedLines(database: string, migrated: Migrated): string[] {
  const { names, from, seconds } = migrated;
  if (isNewDatabase(migrated)) return [`Set up ${database} for version ${VERSION}.`];
  const versions = from === VERSION ? `within version ${VERSION}` : `from ${nameOf(from)} to ${VERSION}`;
  return [
    `Migrated ${database} ${versions} in ${seconds.toFixed(1)} s:`,
    ...MIGRATIONS.filter(({ name }) => names.includes(name)).map(({ name, note }) => `  ${name}: ${note}`),
  ];
}

const nameOf = (version: string | null): string =>
  version === null ? 'an earlier version' : `version ${version}`;
