import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { databaseFile } from '../../src/installation/service.ts';
import { MIGRATIONS } from '../../src/store/migrations/index.ts';
import { postgresEngine } from '../../src/store/postgres/connection.ts';
import { migrate } from '../../src/store/sql/migrate.ts';
import { SqliteConnection, sqliteEngine } from '../../src/store/sqlite/connection.ts';
import { databaseUrl } from './engine.ts';

/** Creates a database with only the first `count` migrations. */
export async function madeWith(dataDir: string, count: number): Promise<void> {
  const migrations = MIGRATIONS.slice(0, count);
  writeFileSync(join(dataDir, 'master.key'), '07'.repeat(32));
  const url = await databaseUrl(dataDir);
  if (url === null) {
    using connection = new SqliteConnection(databaseFile(dataDir), { readOnly: false, timeout: 1_000 });
    await migrate(connection, sqliteEngine, migrations);
    return;
  }
  const client = new pg.Client(url);
  await client.connect();
  const connection = {
    async execute(text: string, values: readonly unknown[]) {
      const { rows, rowCount } = await client.query(text, [...values]);
      return { rows, affected: rowCount ?? 0 };
    },
  };
  try {
    await migrate(connection, postgresEngine, migrations);
  } finally {
    await client.end();
  }
}
