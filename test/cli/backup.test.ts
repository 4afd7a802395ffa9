import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { beginArchive } from '../../src/archive/folder.ts';
import { fingerprintOf } from '../../src/store/key-bundle.ts';
import { MIGRATIONS } from '../../src/store/migrations/index.ts';
import { migrate } from '../../src/store/sql/migrate.ts';
import { SqliteConnection, sqliteDb, sqliteMigrationTools } from '../../src/store/sqlite/connection.ts';
import { storedFiles } from '../support/artifacts.ts';
import { temporaryFolder } from '../support/folder.ts';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';
import { startProcess } from '../support/process.ts';
import { startS3 } from '../support/s3.ts';
import { backUp, newFolder, restore, verified } from './backups.ts';
import { type Cli, createCli, faults } from './cli.ts';
import { contents, emptyDatabase, fill, manyLicenses, nameOf, PASSWORD } from './moves.ts';

let server: PostgresServer;
before(async () => {
  server = await startPostgres({ settings: { fsync: 'off' } });
});
after(() => server.stop());

const onPostgres = (url: string) => ({ env: { LATCHKEY_DATABASE_URL: url } });
const tablesIn = async (url: string): Promise<number> =>
  (await server.query("select from pg_class where relnamespace = 'public'::regnamespace", nameOf(url))).rows
    .length;

test('every table with odd values: to PostgreSQL, from there to SQLite, the same to the byte', async () => {
  const cli = createCli();
  await cli.ok(['license', 'create', '--license-key', 'A']);
  fill(cli);
  const earlier = contents(cli.dataDir);
  // Nothing of what was made up is a file of a release.
  const first = await backUp(cli, ['--without-artifacts']);
  assert.equal(first.left_out, 7);
  const url = await emptyDatabase(
    server,
    "template template0 encoding 'UTF8' locale_provider icu icu_locale 'de' locale 'C'",
  );
  const middle = createCli();
  const up = await restore(cli, first.file, middle, onPostgres(url));
  assert.match(up.next.join(' '), /7 licenses of imports or generations that were not done/);
  assert.match(up.next.join(' '), /without the files of releases/);
  const second = await backUp(middle, ['--without-artifacts'], onPostgres(url));
  assert.deepEqual(second.tables, first.tables);
  assert.equal(second.engine, 'postgres');
  const last = createCli(newFolder());
  const down = await restore(middle, second.file, last);
  assert.deepEqual(down.tables, first.tables);
  assert.ok(!JSON.stringify([up, second, down]).includes(PASSWORD));

  const { staged_licenses: _staged, ...expected } = earlier;
  const { staged_licenses: none, ...found } = contents(last.dataDir);
  assert.deepEqual(none, []);
  assert.deepEqual(found, expected);
});

test('the restored service goes on: keys, tokens, limits, ids and files; only its owner reads the backup', async (t) => {
  const cli = createCli();
  const first = await startProcess(t, cli.dataDir);
  const { credentials } = first;
  const license = await first.license({ license_key: 'Ключ-🔑', activations_limit: 2 });
  const software = await first.software();
  const bytes = randomBytes(1_000_000);
  await first.release(software.id, { file: new File([bytes], 'a.zip') });
  const { token } = await first.activation(license.license_key, { label: 'Ноутбук', software: software.id });
  const gone = await first.license();
  await first.ok('DELETE', `/licenses/${gone.license_key}`);

  const made = await backUp(cli);
  assert.deepEqual(made.artifacts, { count: 1, bytes: bytes.length });
  assert.match(made.file, new RegExp(`^${cli.dataDir}/backups/latchkey-\\d{8}T\\d{6}Z\\.tar$`));
  assert.equal(statSync(made.file).mode & 0o777, 0o600);
  assert.equal(statSync(join(cli.dataDir, 'backups')).mode & 0o777, 0o700);
  assert.deepEqual(readdirSync(join(cli.dataDir, 'backups')).length, 1);
  // The release was deleted later, and the license, too.
  await first.ok('DELETE', `/licenses/${encodeURIComponent(license.license_key)}`);
  await first.stop();
  const whole = readFileSync(made.file);
  for (const secret of [readFileSync(join(cli.dataDir, 'master.key')), 'Ключ-🔑', credentials.consumerSecret])
    assert.ok(!whole.includes(String(secret).trim()));
  const about = await verified(cli, made.file, true);
  assert.deepEqual(about.license_keys, { opened: 1, not_opened: null });

  const next = createCli(newFolder());
  const restored = await restore(cli, made.file, next);
  assert.equal(restored.made_master_key, join(next.dataDir, 'master.key'));
  assert.equal(statSync(next.dataDir).mode & 0o777, 0o700);
  assert.equal(statSync(join(next.dataDir, 'latchkey.db')).mode & 0o777, 0o600);
  assert.deepEqual(Object.keys(await faults(next, 0)), []);
  const second = await startProcess(t, next.dataDir, { credentials });
  assert.equal((await second.ok('GET', `/licenses/validate/${token}`)).label, 'Ноутбук');
  await second.activation(license.license_key);
  await second.fails(
    ...([404, 'license_activation_limit_reached', 'GET'] as const),
    `/licenses/activate/${encodeURIComponent(license.license_key)}`,
  );
  assert.equal((await second.license()).id, gone.id + 1);
  const { download_url: url } = await second.ok('GET', `/software/${software.id}`, {
    query: { activation_token: token },
  });
  assert.ok(Buffer.from(await (await fetch(url)).arrayBuffer()).equals(bytes));
});

test('names and places: a file, a folder, never over another, one at a time', async () => {
  const cli = await manyLicenses(3);
  const folder = join(temporaryFolder(), 'made');
  const file = join(folder, 'mine.tar');
  assert.equal((await backUp(cli, ['--to', file])).file, file);
  const earlier = readFileSync(file);
  const refused = JSON.parse(await cli.fails(1, ['backup', '--json', '--to', file])).error;
  assert.deepEqual(
    [refused.code, refused.message],
    ['file_exists', `No backup was made: ${file} exists already.`],
  );
  assert.deepEqual(readFileSync(file), earlier);
  assert.match((await backUp(cli, ['--to', folder])).file, /made\/latchkey-\d{8}T\d{6}Z\.tar$/);
  assert.equal(readdirSync(folder).length, 2);
  assert.match(await cli.fails(2, ['backup', '--to', '']), /--to must not be empty/);
  assert.match(await cli.fails(2, ['backup', '--keep', '0']), /--keep/);
  const other = await beginArchive(folder, 0);
  assert.match(
    await cli.fails(1, ['backup', '--to', folder]),
    /No backup was made: another backup is being made in/,
  );
  await other.close();
  assert.equal(readdirSync(folder).length, 2);
  const nowhere = createCli();
  assert.match(await nowhere.fails(3, ['backup']), /There is no database in/);
  assert.ok(!existsSync(nowhere.dataDir));
  assert.match(await cli.fails(1, ['backup', 'verify']), /There are no backups in .*backups: name one/);
  assert.match(
    await cli.fails(3, ['backup', 'verify', join(folder, 'none.tar')]),
    /none\.tar: there is no such file/,
  );
  assert.match(await cli.fails(3, ['backup', '--to', join(file, 'below')]), /file/);
});

test('list and --keep: the newest stay, and what is not ours is left alone', async () => {
  const cli = await manyLicenses(1);
  const folder = join(cli.dataDir, 'backups');
  const made = await backUp(cli);
  const names = ['20260101T000000Z', '20260102T000000Z', '20260103T000000Z', '20990101T000000Z'];
  for (const name of names) writeFileSync(join(folder, `latchkey-${name}.tar`), readFileSync(made.file));
  const others = [
    'notes.txt',
    'other.tar',
    'latchkey-20260101T000000Z.tar.gz',
    'latchkey-20261399T000000Z.tar',
  ];
  for (const name of others) writeFileSync(join(folder, name), 'mine');
  const foreign = 'latchkey-20250101T000000Z.tar';
  writeFileSync(join(folder, foreign), 'a file of somebody else');
  writeFileSync(join(folder, 'latchkey-20260101T000001Z.tar.partial'), 'left by one that was killed');
  const { backups } = await cli.json(['backup', 'list']);
  assert.deepEqual(
    backups.map((one: { file: string }) => one.file.slice(-20, -4)),
    ['20990101T000000Z', made.file.slice(-20, -4), ...names.slice(0, 3).reverse(), '20250101T000000Z'],
  );
  assert.deepEqual(
    [backups[1].engine, backups[1].latchkey, backups[1].bytes],
    ['sqlite', '0.1.0', made.bytes],
  );
  assert.match(backups.at(-1).problem, /header|ends/);

  rmSync(join(folder, 'latchkey-20990101T000000Z.tar'));
  // The next second, for another name.
  while (new Date().toISOString().slice(0, 19) === made.begun_at.slice(0, 19));
  const next = await backUp(cli, ['--keep', '2']);
  assert.deepEqual(
    next.removed,
    names
      .slice(0, 3)
      .reverse()
      .map((name) => join(folder, `latchkey-${name}.tar`)),
  );
  assert.deepEqual(
    readdirSync(folder).sort(),
    [...others, foreign, made.file, next.file].map((path) => path.slice(path.lastIndexOf('/') + 1)).sort(),
  );
});

/** What fails so, and changes nothing. */
async function refuses(to: Cli, args: string[], code: string, why: RegExp, options = {}): Promise<void> {
  const { error } = JSON.parse(
    await to.fails(/^master/.test(code) ? 3 : 1, ['restore', '--json', ...args], options),
  );
  assert.equal(error.code, code);
  assert.match(error.message, why);
  assert.doesNotMatch(error.message, new RegExp(PASSWORD));
}

test('the master key: none, another one, of a file, of the environment', async () => {
  const cli = await manyLicenses(2);
  const { file } = await backUp(cli);
  const to = createCli(newFolder());
  await refuses(
    to,
    [file],
    'master_key_missing',
    /^Nothing was restored: .*put it into .*restored\/master\.key, set LATCHKEY_MASTER_KEY, or .*--master-key-file\.$/,
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
  assert.match((await verified(to, file, true)).license_keys.not_opened, /no master key at hand/);
  assert.deepEqual((await verified(cli, file, true)).license_keys, { opened: 2, not_opened: null });
  assert.match((await verified(cli, file, false, named)).problems[0], /other\.key is not the master key/);

  const right = readFileSync(join(cli.dataDir, 'master.key'), 'utf8').trim();
  await to.ok(['restore', file], { env: { LATCHKEY_MASTER_KEY: right } });
  assert.deepEqual(readdirSync(to.dataDir), ['latchkey.db']);
  const there = createCli(newFolder());
  mkdirSync(there.dataDir);
  writeFileSync(join(there.dataDir, 'master.key'), right);
  await there.ok(['restore', file]);
  assert.equal((await there.json(['license', 'list'])).total, 2);
});

test('a place that is not empty: refused, and left as it was', async () => {
  const cli = await manyLicenses(2);
  const { file } = await backUp(cli);
  const key = ['--master-key-file', join(cli.dataDir, 'master.key')];
  const earlier = contents(cli.dataDir);
  await refuses(
    cli,
    [file],
    'target_not_empty',
    /^Nothing was restored: the target is not empty: .*rows in meta, users, licenses/,
  );
  assert.deepEqual(contents(cli.dataDir), earlier);
  const other = await manyLicenses(1);
  await refuses(other, [file, ...key], 'target_not_empty', /a master key of its own/);
  const used = await emptyDatabase(server);
  await other.ok(['license', 'create', '--license-key', 'THEIRS'], onPostgres(used));
  const to = createCli(newFolder());
  await refuses(to, [file, ...key], 'target_not_empty', /rows in meta, users, licenses/, onPostgres(used));
  const foreign = await emptyDatabase(server);
  await server.query('create table users (login text)', nameOf(foreign));
  await refuses(
    to,
    [file, ...key],
    'target_not_empty',
    /tables that Latchkey has not made: users/,
    onPostgres(foreign),
  );
  assert.equal(await tablesIn(foreign), 1);
  assert.ok(!existsSync(to.dataDir));
});

test('files of releases: what is there already is taken where it is the same, and never written over', async (t) => {
  const cli = createCli();
  const api = await startProcess(t, cli.dataDir);
  const { id } = await api.software();
  for (const version of ['1', '2', '3'])
    await api.release(id, { version, file: new File([`bytes ${version}`], 'a') });
  await api.stop();
  const { file, artifacts } = await backUp(cli);
  assert.equal(artifacts.count, 3);
  const key = ['--master-key-file', join(cli.dataDir, 'master.key')];
  const of = (dataDir: string, nth: string) =>
    storedFiles(cli.dataDir, `bytes ${nth}`)[0]?.replace(cli.dataDir, dataDir) as string;

  // As a restore that was killed leaves it: files, and no rows.
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
    /the storage has another file of the name [0-9a-f]{2}\//,
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
  assert.match(next[0], /made without the files of releases: put them back yourself/);
  assert.match((await faults(bare, 1))['Release files'], /missing/);

  // One that is lost: no backup pretends to have it.
  writeFileSync(of(cli.dataDir, '3'), 'bytes 4');
  assert.match(
    await cli.fails(1, ['backup', '--to', temporaryFolder()]),
    /the file of a release, .* has the SHA-256 .* --without-artifacts/,
  );
  rmSync(of(cli.dataDir, '3'));
  const folder = temporaryFolder();
  assert.match(
    await cli.fails(1, ['backup', '--to', folder]),
    /the file of a release, [0-9a-f]{2}\/.* is not there/,
  );
  assert.deepEqual(readdirSync(folder), []);
});

test('from S3 and to S3', async (t) => {
  const s3 = await startS3(t);
  const env = {
    LATCHKEY_S3_BUCKET: s3.bucket,
    LATCHKEY_S3_ENDPOINT: s3.endpoint,
    LATCHKEY_S3_ACCESS_KEY_ID: s3.credentials.accessKeyId,
    LATCHKEY_S3_SECRET_ACCESS_KEY: s3.credentials.secretAccessKey,
  };
  const cli = createCli();
  const api = await startProcess(t, cli.dataDir, { env });
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
  // The bucket was not lost.
  await restore(cli, file, createCli(newFolder()), { env });
  assert.equal((await s3.objects()).length, 2);
});

for (const [nth, { name }] of MIGRATIONS.entries()) {
  test(`a database that ends with ${name} is backed up as it is, and restored to what this version has`, async () => {
    const cli = createCli();
    mkdirSync(cli.dataDir);
    writeFileSync(join(cli.dataDir, 'master.key'), '07'.repeat(32));
    const connection = new SqliteConnection(join(cli.dataDir, 'latchkey.db'), {
      readOnly: false,
      timeout: 1_000,
    });
    await migrate(connection, sqliteDb, sqliteMigrationTools, MIGRATIONS.slice(0, nth + 1));
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
    const url = await emptyDatabase(server);
    for (const options of [{}, onPostgres(url)]) {
      const to = createCli(newFolder());
      const { migrated } = await restore(cli, made.file, to, options);
      assert.deepEqual(
        migrated,
        MIGRATIONS.slice(nth + 1).map((one) => one.name),
      );
      const again = await backUp(to, [], options);
      assert.equal(again.tables.find((one: { name: string }) => one.name === 'licenses').rows, 2);
    }
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

test('of a later version: refused, and nothing is changed', async () => {
  const cli = await manyLicenses(1);
  cli.database((database) => database.exec("insert into schema_migrations values ('9999-later')"));
  assert.match(
    await cli.fails(1, ['backup']),
    /the source was migrated by another version of Latchkey \(9999-later\)/,
  );
});
