import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { makeCredentials } from '../../../src/app/api-keys/credentials.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { type PostgresServer, startPostgres } from '../../support/postgres/postgres.ts';
import { startService } from '../../support/service.ts';
import { createCli, migratedCli } from '../cli.ts';
import { contents, emptyDatabase, fill, manyLicenses, nameOf, PASSWORD } from './moves.ts';

let server: PostgresServer;
before(async () => {
  server = await startPostgres({ settings: { fsync: 'off' } });
});
after(() => server.stop());

const newFolder = () => join(temporaryFolder(), 'moved');
const onPostgres = (url: string) => ({ env: { LATCHKEY_DATABASE_URL: url } });
const tablesIn = async (url: string): Promise<number> => {
  const { rows } = await server.query(
    "select from pg_class where relnamespace = 'public'::regnamespace",
    nameOf(url),
  );
  return rows.length;
};

test('move to PostgreSQL and back keeps odd values of every table byte for byte', async () => {
  const cli = await migratedCli();
  await cli.ok(['license', 'create', '--license-key', 'A']);
  fill(cli);
  const earlier = contents(cli.dataDir);
  for (const [table, rows] of Object.entries(earlier)) assert.ok(rows.length > 0, table);

  // This database sorts texts by the rules of a language.
  const url = await emptyDatabase(
    server,
    "template template0 encoding 'UTF8' locale_provider icu icu_locale 'de' locale 'C'",
  );
  const up = await cli.run(['move', '--json', '--to', url]);
  assert.equal(up.code, 0, up.stderr);
  assert.match(up.stdout, /7 licenses of unfinished imports or generations were not copied/);
  const back = newFolder();
  const down = await cli.run(['move', '--json', '--to', `sqlite:${back}`], onPostgres(url));
  assert.equal(down.code, 0, down.stderr);
  for (const { stdout, stderr } of [up, down]) assert.ok(!(stdout + stderr).includes(PASSWORD));

  const { staged_licenses: _staged, ...expected } = earlier;
  const { staged_licenses: none, ...found } = contents(back);
  assert.deepEqual(none, []);
  assert.deepEqual(found, expected);
  const [there, here] = [JSON.parse(up.stdout), JSON.parse(down.stdout)];
  assert.deepEqual(here.tables, there.tables);
  for (const { name, rows, sha256 } of there.tables) {
    assert.equal(rows, name === 'staged_licenses' ? 0 : earlier[name]?.length, name);
    assert.match(sha256, /^[0-9a-f]{64}$/);
  }
  assert.equal(there.left_out, 7);
  assert.deepEqual(contents(cli.dataDir), earlier);
});

test('a service moved to PostgreSQL and back keeps keys, tokens, limits and ids', async (t) => {
  const credentials = makeCredentials();
  const cli = await migratedCli();
  const first = await startService(t, { dataDir: cli.dataDir, credentials });
  const license = await first.license({ license_key: 'Ключ-🔑', activations_limit: 2 });
  const { token } = await first.activation(license.license_key, { label: 'Ноутбук' });
  const gone = await first.license();
  await first.ok('DELETE', `/licenses/${gone.license_key}`);
  const software = await first.software();
  await first.release(software.id);
  await first.stop();

  const url = await emptyDatabase(server);
  const words = await cli.ok(['move', '--to', url]);
  assert.match(
    words,
    /Moved [\d,]+ rows from the database in .* to postgres:\/\/.*counts and checksums agree/,
  );
  assert.match(words, /Keep .*master\.key/);
  assert.match(words, /Release files stay in .*artifacts.*S3/);

  const second = await startService(t, {
    dataDir: cli.dataDir,
    credentials,
    storage: { databaseUrl: url },
  });
  assert.equal((await second.ok('GET', `/licenses/validate/${token}`)).label, 'Ноутбук');
  await second.activation(license.license_key);
  await second.fails(
    404,
    'license_activation_limit_reached',
    'GET',
    `/licenses/activate/${encodeURIComponent(license.license_key)}`,
  );
  assert.equal((await second.license()).id, gone.id + 1);
  assert.equal((await second.ok('GET', `/software/${software.id}/releases`)).length, 1);
  await second.stop();

  const dataDir = newFolder();
  const next = await cli.ok(['move', '--to', `sqlite:${dataDir}`], onPostgres(url));
  assert.match(next, /Its master key is in .*moved\/master\.key, a copy of the previous one/);
  assert.match(next, /Copy the release files: cp -a .*artifacts .*moved\//);
  assert.equal(statSync(join(dataDir, 'master.key')).mode & 0o777, 0o600);
  assert.equal(statSync(dataDir).mode & 0o777, 0o700);
  const third = await startService(t, { dataDir, credentials });
  assert.equal(
    (await third.ok('GET', `/licenses/${encodeURIComponent(license.license_key)}`)).times_activated,
    2,
  );
  await third.ok('GET', `/licenses/deactivate/${token}`);
  assert.equal((await third.license()).id, gone.id + 2);
  const shown = await createCli(dataDir).json(['license', 'show', 'Ключ-🔑']);
  assert.equal(shown.times_activated, 1);
});

test('a table whose ids were never used moves to PostgreSQL and back', async () => {
  const cli = await manyLicenses(2);
  // SQLite stores 0 for a table into which `insert … select` inserted no row.
  cli.database((database) =>
    database.exec(
      "insert into activations (token, license_id, source, created_at) select '', 1, 1, '' where false",
    ),
  );
  const lastIds = contents(cli.dataDir).sqlite_sequence as { name: string; seq: number }[];
  assert.equal(lastIds.find(({ name }) => name === 'activations')?.seq, 0);
  const url = await emptyDatabase(server);
  await cli.ok(['move', '--to', url]);
  const dataDir = newFolder();
  await cli.ok(['move', '--to', `sqlite:${dataDir}`], onPostgres(url));
  assert.equal((await createCli(dataDir).json(['license', 'list'])).total, 2);
});

test('move refuses a target that is not empty and leaves it as it was', async () => {
  const cli = await manyLicenses(3);
  const refused = async (to: string, why: RegExp, env = {}) => {
    const told = await cli.fails(1, ['move', '--json', '--to', to], { env });
    // A line before the error may warn about the password.
    const { error } = JSON.parse(told.trimEnd().split('\n').at(-1) as string);
    assert.equal(error.code, 'target_not_empty');
    assert.match(error.message, why);
    assert.doesNotMatch(error.message, new RegExp(PASSWORD));
  };
  const used = await emptyDatabase(server);
  await cli.ok(['license', 'create', '--license-key', 'THEIRS'], onPostgres(used));
  await refused(used, /^Nothing was moved: the target is not empty: it already has tables \(activations, /);
  await refused(used, /already has tables \(activations, /, { LATCHKEY_DATABASE_URL: used });
  assert.equal((await cli.json(['license', 'list'], onPostgres(used))).total, 1);

  const foreign = await emptyDatabase(server);
  await server.query('create table users (login text)', nameOf(foreign));
  await refused(foreign, /already has tables \(users\)\.$/);
  await server.query('create view orders as select 1', nameOf(foreign));
  await refused(foreign, /already has tables \(orders, users\)/);
  assert.equal(await tablesIn(foreign), 2);

  const other = createCli();
  await other.ok(['license', 'create', '--license-key', 'THEIRS']);
  const theirs = readFileSync(join(other.dataDir, 'master.key'));
  await refused(`sqlite:${other.dataDir}`, /has its own master key in .*master\.key/);
  await refused(`sqlite:${cli.dataDir}`, /already has tables \(activations, /);
  assert.deepEqual(readFileSync(join(other.dataDir, 'master.key')), theirs);
});

test('move refuses a source with migrations that this version does not know', async () => {
  const cli = await manyLicenses(1);
  cli.database((database) => database.exec("insert into schema_migrations values ('9999-later')"));
  const empty = await emptyDatabase(server);
  assert.match(await cli.fails(1, ['move', '--to', empty]), /the source was migrated by another version/);
  assert.equal(await tablesIn(empty), 0);
});

test('move accepts a target that already has the same master key', async () => {
  const cli = await manyLicenses(3);
  const dataDir = newFolder();
  mkdirSync(dataDir);
  writeFileSync(join(dataDir, 'master.key'), readFileSync(join(cli.dataDir, 'master.key')));
  const { made_master_key: made } = JSON.parse(await cli.ok(['move', '--json', '--to', `sqlite:${dataDir}`]));
  assert.equal(made, null);
  assert.equal((await createCli(dataDir).json(['license', 'list'])).total, 3);
});

test('move never writes a master key from the environment to a file', async () => {
  const cli = createCli();
  const env = { LATCHKEY_MASTER_KEY: 'ab'.repeat(32) };
  await cli.ok(['license', 'create', '--license-key', 'A'], { env });
  const dataDir = newFolder();
  const words = await cli.ok(['move', '--to', `sqlite:${dataDir}`], { env });
  assert.match(words, /needs the same LATCHKEY_MASTER_KEY as before/);
  assert.doesNotMatch(words, /abab/);
  assert.deepEqual(readdirSync(dataDir), ['latchkey.db']);
  assert.equal((await createCli(dataDir).json(['license', 'list'], { env })).total, 1);
});

test('move reads its target from a file or the environment, and warns about a password in an argument', async () => {
  const cli = await manyLicenses(1);
  const [inFile, inEnvironment, given] = [
    await emptyDatabase(server),
    await emptyDatabase(server),
    await emptyDatabase(server),
  ];
  const file = join(temporaryFolder(), 'new-database');
  writeFileSync(file, `${inFile}\n`);
  const warned = async (args: string[], env = {}) => {
    const { code, stdout, stderr } = await cli.run(['move', ...args], { env });
    assert.equal(code, 0, stderr);
    assert.ok(!(stdout + stderr).includes(PASSWORD));
    return /^The password in --to was visible .* use --to-file or LATCHKEY_MOVE_TO/.test(stderr);
  };
  assert.equal(await warned(['--to-file', file]), false);
  assert.equal(await warned([], { LATCHKEY_MOVE_TO: inEnvironment }), false);
  assert.equal(await warned(['--to', given]), true);
  for (const url of [inFile, inEnvironment, given])
    assert.equal((await cli.json(['license', 'list'], onPostgres(url))).total, 1);

  writeFileSync(file, PASSWORD);
  for (const [code, args, env, wrong] of [
    [3, ['--to-file', file], {}, /new-database must be an address like/],
    [3, [], { LATCHKEY_MOVE_TO: PASSWORD }, /LATCHKEY_MOVE_TO must be an address like/],
    [2, ['--to-file', file, '--to', 'sqlite:x'], {}, /--to and --to-file cannot be given together/],
  ] as const) {
    const told = await cli.fails(code, ['move', ...args], { env });
    assert.match(told, wrong);
    assert.ok(!told.includes(PASSWORD));
  }
});

test('move with wrong usage or an unreachable target repeats no password and makes nothing', async () => {
  const cli = await manyLicenses(1);
  assert.match(await cli.fails(2, ['move']), /--to is required, or --to-file, or LATCHKEY_MOVE_TO\./);
  for (const to of [`mysql://me:${PASSWORD}@db/x`, 'sqlite:', 'sqlite:s3://bucket', PASSWORD]) {
    const told = await cli.fails(2, ['move', '--to', to]);
    assert.match(
      told,
      /^error: --to must be an address like postgres:\/\/user@host:5432\/database, or sqlite:/,
    );
    assert.doesNotMatch(told, new RegExp(PASSWORD));
  }
  const away = `postgres://me:${PASSWORD}@127.0.0.1:1/x`;
  const told = await cli.fails(3, ['move', '--to', away]);
  assert.match(
    told,
    /\nerror: Nothing was moved: postgres:\/\/me@127\.0\.0\.1:1\/x cannot be used: connect ECONNREFUSED/,
  );
  const nowhere = createCli();
  const dataDir = newFolder();
  assert.match(await nowhere.fails(3, ['move', '--to', `sqlite:${dataDir}`]), /There is no database in/);
  assert.ok(!existsSync(dataDir) && !existsSync(nowhere.dataDir));
});
