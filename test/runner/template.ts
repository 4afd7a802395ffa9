import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { loadConfig } from '../../src/config/config.ts';
import { prepareDatabase } from '../../src/installation/service.ts';
import { databaseName } from '../support/engine.ts';

export interface Template {
  dataDir: string;
  remove(): Promise<void>;
}

/**
 * Creates a data directory with a migrated, empty database, for tests to copy.
 * @param server the address of a PostgreSQL server; null for SQLite
 */
export async function makeTemplate(server: string | null): Promise<Template> {
  const dataDir = mkdtempSync(join(tmpdir(), 'latchkey-template-'));
  const name = databaseName(dataDir);
  await administer(server, `create database ${name}`);
  const databaseUrl = server && Object.assign(new URL(server), { pathname: name }).href;
  const loaded = loadConfig({});
  if (!loaded.ok) throw new Error('the default settings are invalid');
  await prepareDatabase({ ...loaded.config, dataDir, databaseUrl }, { mustExist: false });
  return {
    dataDir,
    async remove() {
      rmSync(dataDir, { recursive: true });
      await administer(server, `drop database ${name}`);
    },
  };
}

async function administer(server: string | null, statement: string): Promise<void> {
  if (server === null) return;
  const client = new pg.Client(server);
  await client.connect();
  await client.query(statement).finally(() => client.end());
}
