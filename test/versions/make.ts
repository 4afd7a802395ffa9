import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { VERSION } from '../../src/config/version.ts';
import { databaseFile } from '../../src/installation/service.ts';
import type { Value } from '../../src/store/backups/copy.ts';
import { postgresEngine } from '../../src/store/postgres/connection.ts';
import { quoted, quotedAll } from '../../src/store/sql/backups/copy.ts';
import { migrate } from '../../src/store/sql/migrate.ts';
import { openSqliteSource } from '../../src/store/sqlite/copy.ts';
import { createCli } from '../cli/cli.ts';
import { temporaryFolder } from '../support/folder.ts';
import { ROOT } from '../support/program.ts';
import { startService } from '../support/service.ts';
import type { Expected } from './versions.ts';

// `npm run fixture` saves a small installation of this version, for a test of all later versions (CONTRIBUTING.md).

const SHOP = join(ROOT, 'test/wordpress/dlm-1.8.3');
const SHOP_KEY = {
  consumerKey: 'ck_2479305f88827245c776b2ca3b9d55edd2866bfd',
  consumerSecret: 'cs_aa14624fed2fac43a624a12ff838a8201aa71b0e',
};

const folder = join(import.meta.dirname, VERSION);
if (existsSync(folder)) throw new Error(`${folder} exists: a version has one fixture`);
const dataDir = join(temporaryFolder(), 'data');
const expected = await fill();
mkdirSync(folder);
writeFileSync(join(folder, 'latchkey.db.gz'), gzipSync(readFileSync(databaseFile(dataDir)), { level: 9 }));
writeFileSync(join(folder, 'postgres.sql'), await postgresDump());
writeFileSync(join(folder, 'expected.json'), `${JSON.stringify(expected, null, 2)}\n`);
for (const name of ['master.key', 'artifacts'])
  cpSync(join(dataDir, name), join(folder, 'files', name), { recursive: true });

/** Creates records of every kind, as people and programs do. */
async function fill(): Promise<Expected> {
  const cli = createCli(dataDir);
  await cli.ok(['move-in', 'dlm', '--dump', join(SHOP, 'dump.sql'), '--files', SHOP]);
  const owner = { email: 'ada@example.test', password: 'a password of the fixture' };
  await cli.ok(
    ['user', 'create', '--name', 'Ada', '--role', 'owner', '--email', owner.email, '--password-stdin'],
    {
      input: owner.password,
    },
  );
  await cli.ok(['user', 'create', '--name', 'Bob', '--role', 'viewer', '--email', 'bob@example.test']);
  const stops: (() => Promise<void>)[] = [];
  const api = await startService({ after: (stop) => void stops.push(stop) }, { dataDir });
  const { credentials } = api;
  const software = await api.software({ name: 'Editor', slug: 'editor', product_ids: [7] });
  await api.release(software.id, { version: '1.2.3', file: new File(['the file'], 'editor.zip') });
  const licenseKey = 'FIXTURE-0001';
  const license = await api.license({
    license_key: licenseKey,
    valid_for: 36_500,
    activations_limit: 3,
    product_id: 7,
    order_id: 1,
  });
  await api.license({ license_key: 'FIXTURE-0002', status: 5 });
  const { token } = await api.activation(licenseKey, { label: 'Laptop', 'meta[os]': 'linux' });
  const other = await api.activation(licenseKey, { label: 'Desktop' });
  await api.ok('GET', `/licenses/deactivate/${other.token}`);
  await api.ok('GET', `/licenses/validate/${token}`);
  assert.equal((await api.call('GET', `/software/download/${token}`)).status, 200);
  const generator = await api.generator({ name: 'Fixture' });
  await api.ok('POST', `/generators/${generator.id}/generate`, { json: { amount: 3, save: 1 } });
  await cli.ok(['api-key', 'create', '--preset', 'client', '--description', 'Shipped']);
  for (const stop of stops) await stop();
  const [moved = ''] = readFileSync(join(SHOP, 'expected.tsv'), 'utf8').split('\n');
  return {
    credentials,
    owner,
    token,
    license: { license_key: licenseKey, id: license.id },
    moved: { credentials: SHOP_KEY, licenseKey: String(moved.split('\t')[0]) },
    file: 'the file',
    licenses: Number((await cli.json(['license', 'list'])).total),
  };
}

/** The same database as SQL for PostgreSQL, as `latchkey move` would write it. */
async function postgresDump(): Promise<string> {
  const statements: string[] = [];
  const recorder = {
    async execute(text: string, values: readonly unknown[]) {
      if (!/^select /i.test(text))
        statements.push(
          text.trim().replace(/\$(\d+)/g, (_, place) => literal(values[Number(place) - 1] as Value)),
        );
      return { rows: [], affected: 0 };
    },
  };
  await migrate(recorder, postgresEngine);
  const source = await openSqliteSource(databaseFile(dataDir));
  for (const table of source.tables) {
    const into = `insert into ${quoted(table.name)} (${quotedAll(table.columns)}) values`;
    for await (const rows of source.rows(table)) {
      const lines = rows.map((row) => `(${table.columns.map((column) => literal(row[column])).join(', ')})`);
      statements.push(`${into}\n${lines.join(',\n')}`);
    }
    const last = await source.lastId(table);
    if (last !== null)
      statements.push(`select setval(pg_get_serial_sequence('${quoted(table.name)}', 'id'), ${last})`);
  }
  await source.close();
  return `${statements.join(';\n')};\n`;
}

function literal(value: Value | undefined): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`;
  return `'\\x${Buffer.from(value).toString('hex')}'`;
}
