import assert from 'node:assert/strict';
import { randomBytes, randomInt } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { VERSION } from '../../../src/config/version.ts';
import { fingerprintOf } from '../../../src/store/keys/key-bundle.ts';
import { MIGRATIONS } from '../../../src/store/migrations/index.ts';
import { migrate } from '../../../src/store/sql/migrate.ts';
import { SqliteConnection, sqliteEngine } from '../../../src/store/sqlite/connection.ts';
import { consoleClient } from '../../support/console/console.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { storedFiles } from '../../support/http/artifacts.ts';
import { type PostgresServer, startPostgres } from '../../support/postgres/postgres.ts';
import { type Running, startService } from '../../support/service.ts';
import { settingsOf, startS3 } from '../../support/storage/s3.ts';
import { createCli, faults, migratedCli } from '../cli.ts';
import { backUp, newFolder, refuses, restore, verified } from './backups.ts';
import { contents, emptyDatabase, manyLicenses, nameOf } from './moves.ts';

let server: PostgresServer;
before(async () => {
  server = await startPostgres({ settings: { fsync: 'off' } });
});
after(() => server.stop());

const onPostgres = (url: string) => ({ env: { LATCHKEY_DATABASE_URL: url } });
const tablesIn = async (url: string): Promise<number> =>
  (await server.query("select from pg_class where relnamespace = 'public'::regnamespace", nameOf(url))).rows
    .length;

test('restore needs the master key of the backup, from the data directory, a file or the environment', async () => {
  const cli = await manyLicenses(2);
  const { file } = await backUp(cli);
  const to = createCli(newFolder());
  await refuses(
    to,
    [file],
    'master_key_missing',
    /^Nothing was restored: .*Put the one .* into .*restored\/master\.key, set LATCHKEY_MASTER_KEY to it, or .*--master-key-file\.$/,
  );
  const wrong = to.file('other.key', '12'.repeat(32));
  const named = ['--master-key-file', wrong];
  await refuses(
    to,
    [file, ...named],
    'master_key_differs',
    /other\.key is not the master key that the backup was made with/,
  );
  const env = { LATCHKEY_MASTER_KEY: '12'.repeat(32) };
  await refuses(to, [file], 'master_key_differs', /LATCHKEY_MASTER_KEY is not the master key/, { env });
  assert.match(
    await to.fails(3, ['restore', file, '--master-key-file', '/none/master.key']),
    /There is no file \/none\/master\.key/,
  );
  assert.ok(!existsSync(to.dataDir));
  assert.match((await verified(to, file, true)).license_keys.not_opened, /no master key is available/);
  assert.deepEqual((await verified(cli, file, true)).license_keys, { opened: 2, not_opened: null });
  assert.match((await verified(cli, file, false, named)).problems[0], /other\.key is not the master key/);
  assert.match((await cli.run(['backup', 'verify', file, ...named])).stdout, /\.tar could not be verified:/);

  const right = readFileSync(join(cli.dataDir, 'master.key'), 'utf8').trim();
  await to.ok(['restore', file], { env: { LATCHKEY_MASTER_KEY: right } });
  assert.deepEqual(readdirSync(to.dataDir), ['latchkey.db']);
  const there = createCli(newFolder());
  mkdirSync(there.dataDir);
  writeFileSync(join(there.dataDir, 'master.key'), right);
  await there.ok(['restore', file]);
  assert.equal((await there.json(['license', 'list'])).total, 2);
});

test('restore refuses a target that is not empty and leaves it as it was', async () => {
  const cli = await manyLicenses(2);
  const { file } = await backUp(cli);
  const key = ['--master-key-file', join(cli.dataDir, 'master.key')];
  const earlier = contents(cli.dataDir);
  await refuses(
    cli,
    [file],
    'target_not_empty',
    /^Nothing was restored: the target is not empty: it already has tables \(activations, .*\)\. Stop the server and move its data directory away, or name an empty target \(--data-dir, /,
  );
  assert.deepEqual(contents(cli.dataDir), earlier);
  const other = createCli();
  await other.ok(['license', 'create', '--license-key', 'THEIRS']);
  await refuses(other, [file, ...key], 'target_not_empty', /its own master key/);
  const used = await emptyDatabase(server);
  await other.ok(['license', 'create', '--license-key', 'THEIRS'], onPostgres(used));
  const to = createCli(newFolder());
  await refuses(
    to,
    [file, ...key],
    'target_not_empty',
    /already has tables \(activations, /,
    onPostgres(used),
  );
  const foreign = await emptyDatabase(server);
  await server.query('create table users (login text)', nameOf(foreign));
  await refuses(to, [file, ...key], 'target_not_empty', /already has tables \(users\)/, onPostgres(foreign));
  assert.equal(await tablesIn(foreign), 1);
  assert.ok(!existsSync(to.dataDir));
});

test('restore reuses identical release files in the target and never overwrites different ones', async (t) => {
  const cli = await migratedCli();
  const api = await startService(t, { dataDir: cli.dataDir });
  const { id } = await api.software();
  for (const version of ['1', '2', '3'])
    await api.release(id, { version, file: new File([`bytes ${version}`], 'a') });
  await api.stop();
  const { file, artifacts } = await backUp(cli);
  assert.equal(artifacts.count, 3);
  const key = ['--master-key-file', join(cli.dataDir, 'master.key')];
  const of = (dataDir: string, nth: string) =>
    storedFiles(cli.dataDir, `bytes ${nth}`)[0]?.replace(cli.dataDir, dataDir) as string;

  // The state after a killed restore: files, and no rows.
  const to = createCli(newFolder());
  const put = (nth: string, bytes: string) => {
    mkdirSync(join(of(to.dataDir, nth), '..'), { recursive: true, mode: 0o700 });
    writeFileSync(of(to.dataDir, nth), bytes);
  };
  put('1', 'bytes 1');
  put('2', 'BYTES 2');
  await refuses(
    to,
    [file, ...key],
    'target_not_empty',
    /the storage has a different file named [0-9a-f]{2}\//,
  );
  assert.deepEqual(storedFiles(to.dataDir).sort(), [of(to.dataDir, '1'), of(to.dataDir, '2')].sort());
  assert.ok(!existsSync(join(to.dataDir, 'latchkey.db')) && !existsSync(join(to.dataDir, 'master.key')));
  put('2', 'bytes 2');
  await to.ok(['restore', file, ...key]);
  assert.equal(readFileSync(of(to.dataDir, '3'), 'utf8'), 'bytes 3');
  const { 'API keys': _keys, ...rest } = await faults(to, 0);
  assert.deepEqual(rest, {});

  const without = await backUp(cli, ['--without-artifacts', '--to', join(temporaryFolder(), 'x.tar')]);
  assert.equal(without.artifacts, null);
  const bare = createCli(newFolder());
  const { next } = await restore(cli, without.file, bare);
  assert.match(next[0], /does not contain release files: put them back yourself/);
  assert.match((await faults(bare, 1))['Release files'], /missing/);

  // A backup fails if a release file is changed or missing.
  writeFileSync(of(cli.dataDir, '3'), 'bytes 4');
  assert.match(
    await cli.fails(1, ['backup', '--to', temporaryFolder()]),
    /a release file is missing or changed: .* has the SHA-256 .* --without-artifacts/,
  );
  rmSync(of(cli.dataDir, '3'));
  const folder = temporaryFolder();
  assert.match(
    await cli.fails(1, ['backup', '--to', folder]),
    /a release file is missing or changed: [0-9a-f]{2}\/.* is not there/,
  );
  assert.deepEqual(readdirSync(folder), []);
});

test('release files are backed up from S3 and restored to S3', async (t) => {
  const s3 = await startS3(t);
  const env = {
    LATCHKEY_S3_BUCKET: s3.bucket,
    LATCHKEY_S3_ENDPOINT: s3.endpoint,
    LATCHKEY_S3_ACCESS_KEY_ID: s3.credentials.accessKeyId,
    LATCHKEY_S3_SECRET_ACCESS_KEY: s3.credentials.secretAccessKey,
  };
  const cli = await migratedCli();
  const api = await startService(t, { dataDir: cli.dataDir, storage: settingsOf(s3) });
  const { id } = await api.software();
  await api.release(id, { file: new File([randomBytes(700_000)], 'a') });
  await api.stop();
  const { file } = await backUp(cli, [], { env });
  const [object = ''] = await s3.objects();
  const local = createCli(newFolder());
  await restore(cli, file, local);
  assert.deepEqual(
    storedFiles(local.dataDir).map((path) => path.slice(-object.length)),
    [object],
  );
  const elsewhere = { ...env, LATCHKEY_S3_PREFIX: 'restored/' };
  await restore(cli, file, createCli(newFolder()), { env: elsewhere });
  assert.deepEqual((await s3.objects()).sort(), [object, `restored/${object}`].sort());
  // Restore to the same bucket, which still holds the object.
  await restore(cli, file, createCli(newFolder()), { env });
  assert.equal((await s3.objects()).length, 2);
});

test('restored passwords work on either engine; sessions and links from before the backup do not', async (t) => {
  const cli = await migratedCli();
  const password = 'correct horse battery';
  const user = (name: string) => ['user', 'create', '--email', `${name}@example.test`, '--name', name];
  const setUp = await cli.json([...user('ada'), '--role', 'owner']);
  await cli.ok([...user('bob'), '--password-stdin'], { input: password });
  const invited = await cli.json(user('eve'));
  const reset = await cli.json(['user', 'reset', 'bob@example.test']);
  const clientOf = (api: Running, cookie = '') => consoleClient(api, { 'x-csrf-token': '1', cookie });
  const sent = { email: 'bob@example.test', password };
  const links = [setUp, invited, reset].map(({ link }) => ({ token: link.slice(link.indexOf('#') + 1) }));

  const first = await startService(t, { dataDir: cli.dataDir });
  const { headers } = await clientOf(first).post('/session', sent);
  const cookie = headers.getSetCookie()[0]?.split(';')[0] ?? '';
  assert.equal((await clientOf(first, cookie).ok('GET', '/session')).signed_in, true);
  for (const link of links) await clientOf(first).ok('POST', '/setup/link', link);
  const { file } = await backUp(cli);
  await first.stop();

  const url = await emptyDatabase(server);
  for (const databaseUrl of [null, url]) {
    const to = createCli(newFolder());
    const { next } = await restore(cli, file, to, databaseUrl === null ? {} : onPostgres(databaseUrl));
    assert.match(next.join(' '), /sign in again: their sessions and links are not restored/);
    const api = await startService(t, { dataDir: to.dataDir, storage: { databaseUrl } });
    assert.equal((await clientOf(api, cookie).ok('GET', '/session')).signed_in, false);
    for (const link of links) assert.equal((await clientOf(api).post('/setup/link', link)).status, 404);
    await clientOf(api).ok('POST', '/session', sent);
    await api.stop();
  }
});

/**
 * Backups must read the tables and columns of any version. Each run tests a random eighth of the earlier schemas, and restores
 * about half of these to PostgreSQL, too. `test/engine/earlier-schemas.test.ts` tests each migration.
 */
const turn = randomInt(8);
const isOurTurn = (nth: number) => nth === 0 || nth === MIGRATIONS.length - 1 || nth % 8 === turn;

for (const [nth, { name }] of MIGRATIONS.entries()) {
  if (!isOurTurn(nth)) continue;
  test(`a database that ends with ${name} is backed up as it is and migrated on restore`, async () => {
    const cli = createCli();
    mkdirSync(cli.dataDir);
    writeFileSync(join(cli.dataDir, 'master.key'), '07'.repeat(32));
    const connection = new SqliteConnection(join(cli.dataDir, 'latchkey.db'), {
      readOnly: false,
      timeout: 1_000,
    });
    await migrate(connection, sqliteEngine, MIGRATIONS.slice(0, nth + 1));
    for (const id of [1, 7]) {
      connection.exec(`insert into licenses
        (id, key_hash, sealed_key, valid_for, source, status, activations_limit, created_at, created_by)
        values (${id}, x'0${id}', x'00', 0, 2, 3, 0, '2026-01-01 00:00:00', 1)`);
    }
    const fingerprint = fingerprintOf(Buffer.from('07'.repeat(32), 'hex'));
    connection.exec(`insert into meta values ('master_key_fingerprint', '${fingerprint}')`);
    connection.close();
    const earlier = contents(cli.dataDir);
    const made = await backUp(cli);
    assert.deepEqual(contents(cli.dataDir), earlier);
    const toPostgres = nth % 2 === 0 || nth === MIGRATIONS.length - 1;
    const url = toPostgres ? await emptyDatabase(server) : null;
    for (const options of url === null ? [{}] : [{}, onPostgres(url)]) {
      const { migrated, tables } = await restore(cli, made.file, createCli(newFolder()), options);
      assert.deepEqual(
        migrated,
        MIGRATIONS.slice(nth + 1).map((one) => one.name),
      );
      assert.equal(tables.find((one: { name: string }) => one.name === 'licenses').rows, 2);
    }
    if (url === null) return;
    assert.equal((await server.query('select count(*)::int from licenses', nameOf(url))).rows[0].count, 2);
    const [{ records }] = (
      await server.query(
        "select sum(records)::int as records from record_counts where counted = 'licenses'",
        nameOf(url),
      )
    ).rows;
    assert.equal(records, 2);
  });
}

test('a backup made by version 0.1.0 is verified, and restored to either engine', async () => {
  const cli = createCli();
  mkdirSync(cli.dataDir);
  writeFileSync(join(cli.dataDir, 'master.key'), '07'.repeat(32));
  const file = cli.file('old.tar', gunzipSync(readFileSync(new URL('form-1.tar.gz', import.meta.url))));
  assert.deepEqual((await verified(cli, file, true)).license_keys, { opened: 1, not_opened: null });
  for (const options of [{}, onPostgres(await emptyDatabase(server))]) {
    const to = createCli(newFolder());
    const { artifacts, tables } = await restore(cli, file, to, options);
    assert.deepEqual(artifacts, { count: 1, bytes: 18 });
    assert.equal(tables.find((one: { name: string }) => one.name === 'users').rows, 2);
    assert.equal((await to.json(['license', 'show', 'OLD-1'], options)).license_key, 'OLD-1');
    assert.equal(readFileSync(storedFiles(to.dataDir)[0] ?? '', 'utf8'), 'bytes of a release');
    assert.equal((await to.json(['upgrade-check'], options)).from, VERSION);
  }
});

test('backup refuses a database migrated by a later version', async () => {
  const cli = await manyLicenses(1);
  cli.database((database) => database.exec("insert into schema_migrations values ('9999-later')"));
  assert.match(
    await cli.fails(1, ['backup']),
    /^error: No backup was made: the source was migrated by another version of Latchkey \(9999-later\)/,
  );
});
