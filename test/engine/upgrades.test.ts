import assert from 'node:assert/strict';
import { chmodSync, readdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import pg from 'pg';
import { checkNewestBackup, checkSpace } from '../../src/cli/reports/upgrade-check.ts';
import { VERSION } from '../../src/config/version.ts';
import type { UpgradePlan } from '../../src/installation/upgrade.ts';
import { prepareStart } from '../../src/server/start.ts';
import { MIGRATIONS } from '../../src/store/migrations/index.ts';
import { createCli } from '../cli/cli.ts';
import { consoleClient } from '../support/console/console.ts';
import { madeWith } from '../support/earlier-schema.ts';
import { databaseUrl, ENGINE, numberOf, rowsOf, runSql } from '../support/engine.ts';
import { temporaryFolder } from '../support/folder.ts';
import type { Record_ } from '../support/http/api.ts';
import { engineConfig, startService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { placeVersion, versions } from '../versions/versions.ts';

const BYTES = ENGINE === 'sqlite' ? 'blob' : 'bytea';

/** The output of upgrade-check, with the message of each check that is not ok. */
async function checked(dataDir: string, code: number, flags: string[] = []) {
  const { code: ended, stdout, stderr } = await createCli(dataDir).run(['upgrade-check', '--json', ...flags]);
  const { checks, ...plan } = JSON.parse(stdout);
  assert.deepEqual([ended, plan.ok, stderr], [code, code === 0, ''], stdout);
  const notWell = checks.filter(({ status }: Record_) => status !== 'ok');
  const said = notWell.map(({ name, status, message }: Record_) => [name, `${status}: ${message}`]);
  return { ...plan, said: Object.fromEntries(said) };
}

/** The files of a folder with the content of the database, or its migrations and meta rows on PostgreSQL. */
const stateOf = async (dataDir: string) => [
  readdirSync(dataDir).map((name) => [name, statSync(join(dataDir, name)).mtimeMs]),
  ENGINE === 'sqlite'
    ? readFileSync(join(dataDir, 'latchkey.db')).toString('hex')
    : await rowsOf(dataDir, 'select name from schema_migrations union all select name from meta'),
];

/** Locks a table, such as `releases in row exclusive mode`. @returns a function that ends this */
async function hold(t: TestContext, dataDir: string, lock: string): Promise<() => Promise<unknown>> {
  const client = new pg.Client((await databaseUrl(dataDir)) as string);
  await client.connect();
  t.after(() => client.end());
  await client.query(`begin; lock table ${lock}`);
  return () => client.query('rollback');
}

/** Lets a migration take longer than the role of a pooler allows statements. */
const SLOW_DROP = `
  do $$ begin execute format('alter database %I set statement_timeout = ''1s''', current_database()); end $$;
  create function slowly() returns event_trigger language plpgsql as 'begin perform pg_sleep(1.2); end';
  create event trigger slowly on ddl_command_start when tag in ('DROP INDEX') execute function slowly()`;

for (const version of versions())
  test(`an installation of version ${version} keeps all of its data`, async (t) => {
    const dataDir = temporaryFolder();
    const { credentials, owner, license, token, file, moved, licenses } = await placeVersion(
      version,
      dataDir,
    );
    await checked(dataDir, 0, ['--without-backup']);
    const api = await startService(t, { dataDir });
    const own = { credentials };
    const {
      license_key: key,
      id,
      times_activated: seats,
    } = await api.ok('GET', '/licenses/FIXTURE-0001', own);
    assert.deepEqual([key, id, seats], [license.license_key, license.id, 1]);
    assert.equal((await api.ok('GET', `/licenses/validate/${token}`, own)).license.license_key, key);
    await api.ok('GET', `/licenses/activate/${key}`, own);
    await api.ok('GET', `/licenses/${moved.licenseKey}`, { credentials: moved.credentials });
    assert.equal((await api.call('GET', `/software/download/${token}`, own)).body, file);
    const people = consoleClient(api, { 'x-csrf-token': '1' });
    assert.equal((await people.post('/session', owner)).status, 200);
    const cli = createCli(dataDir);
    assert.equal((await cli.json(['license', 'list'])).total, licenses);
    assert.deepEqual((await cli.json(['audit', 'verify'])).faults, []);
    await cli.ok(['doctor']);
  });

test('upgrade-check says what a start would do to an earlier schema and changes nothing; the start does and reports it', async (t) => {
  const dataDir = temporaryFolder();
  await madeWith(dataDir, 14);
  await runSql(
    dataDir,
    `
    insert into meta (name, value) values ('migrated_by', '0.0.9'), ('master_key_fingerprint', 'later');
    insert into users (id, name, created_at) values (1, 'owner', '2026-01-01 00:00:00');
    insert into sessions
      (token_hash, user_id, created_at, last_seen_at, expires_at, second_factor, pending, failures)
    values (cast('1' as ${BYTES}), 1, '2026-01-01 00:00:00', '2026-01-02 00:00:00', '2026-01-31 00:00:00', 0, 0, 0);
    insert into licenses (key_hash, sealed_key, valid_for, source, status, activations_limit, created_at, created_by)
    values (cast('1' as ${BYTES}), cast('sealed' as ${BYTES}), 0, 2, 3, 0, '2026-01-01 00:00:00', 1)`,
  );
  const key = join(dataDir, 'master.key');
  chmodSync(key, 0o600);
  renameSync(key, `${key}.away`);
  assert.match((await checked(dataDir, 1)).said['Master key'], /^fail: .*master\.key does not exist/);
  renameSync(`${key}.away`, key);
  const before = await stateOf(dataDir);
  const { from, to, migrations, said } = await checked(dataDir, 1);
  const names = MIGRATIONS.slice(14).map(({ name }) => name);
  assert.deepEqual([from, to, migrations.map(({ name }: Record_) => name)], ['0.0.9', VERSION, names]);
  assert.deepEqual(
    migrations.map(({ breaking }: Record_) => breaking),
    names.map((_, i) => i === 0),
  );
  assert.deepEqual(Object.keys(said), ['Conversion', 'Backup', 'Going back']);
  assert.match(said.Conversion, /^warn: after the start, .* converts about \d+ rows .* less than a second$/);
  assert.match(said.Backup, /^fail: there is none in /);
  assert.match(said['Going back'], /^warn: no earlier version works .* after 0015-blind-indexes$/);
  const words = await createCli(dataDir).ok(['upgrade-check', '--without-backup']);
  for (const { name, note } of MIGRATIONS.slice(14)) assert.ok(words.includes(`${name}: ${note}\n`), words);
  assert.deepEqual(await stateOf(dataDir), before);

  await runSql(dataDir, "delete from meta where name = 'master_key_fingerprint'");
  let printed = '';
  const release = ENGINE === 'postgres' ? await hold(t, dataDir, 'releases in row exclusive mode') : null;
  if (release) await runSql(dataDir, SLOW_DROP);
  const config = { ...(await engineConfig(dataDir)), databasePooler: release !== null };
  const starting = prepareStart(config, async (text) => {
    printed += text;
  });
  if (release) {
    const applied = 'select count(*) from schema_migrations';
    const reached = (name: string) => {
      const before = 14 + names.indexOf(name);
      return Promise.race([starting, until(async () => (await numberOf(dataDir, applied)) === before)]);
    };
    // The migration that must wait for the lock holds up nobody else: those before it are committed.
    await reached('0028-version-checks');
    assert.equal(await numberOf(dataDir, 'select count(*) from licenses'), 1);
    const endBackup = await hold(t, dataDir, 'activations in access share mode');
    await release();
    // An open read holds up only the migration that removes an index.
    await reached('0032-no-install-index');
    await endBackup();
  }
  const { service } = await starting;
  t.after(() => service.close());
  assert.match(printed, new RegExp(`Migrated .* from version 0\\.0\\.9 to ${VERSION} in \\d+\\.\\d s:\n`));
  for (const { name, note } of MIGRATIONS.slice(14)) assert.ok(printed.includes(`${name}: ${note}`), printed);
  assert.equal(service.migrated?.from, '0.0.9');
  assert.equal((await service.store.read.users.find(1))?.lastSeenAt, '2026-01-02 00:00:00');

  // Run next to the server; upgrade-check makes no file.
  const files = readdirSync(dataDir);
  const now = await checked(dataDir, 0);
  assert.deepEqual([now.from, now.migrations, Object.keys(now.said)], [VERSION, [], ['Backup']]);
  assert.match(now.said.Backup, /^warn: there is none in /);
  assert.deepEqual(readdirSync(dataDir), files);
  await createCli(dataDir).ok(['backup']);
  assert.deepEqual((await checked(dataDir, 0)).said, {});

  await runSql(
    dataDir,
    "insert into schema_migrations values ('9999-later'); update meta set value = '99.0.0' where name = 'migrated_by'",
  );
  const later = await checked(dataDir, 1);
  assert.match(
    later.said.Version,
    /^fail: .* migrated by version 99\.0\.0, which is later than this one .*: 9999-later$/,
  );
});

test('upgrade-check without a database says so and makes none', async () => {
  const dataDir = join(temporaryFolder(), 'none');
  const cli = createCli(dataDir);
  assert.match(await cli.fails(3, ['upgrade-check']), /There is no database in|has no tables of Latchkey/);
  assert.throws(() => readdirSync(dataDir), { code: 'ENOENT' });
});

test('upgrade-check fails for an old backup and a small disk', () => {
  const pending = [{ name: '1', note: '', indexed: 0, rewritten: 0, isBreaking: false }];
  const HOUR = 3_600_000;
  const backup = (hours: number) =>
    ({ path: 'b.tar', when: -hours * HOUR, problem: null }) as UpgradePlan['backup'];
  const backedUp = (hours: number, of = pending) =>
    checkNewestBackup({ pending: of, backup: backup(hours), backupFolder: '' } as unknown as UpgradePlan, 0)
      .status;
  assert.deepEqual([backedUp(24), backedUp(24.1), backedUp(24.1, [])], ['ok', 'fail', 'warn']);
  const GIB = 1024 ** 3;
  const space = (freeBytes: number | null, needed = GIB) =>
    checkSpace({ startBytes: needed, rewriteBytes: GIB, freeBytes } as UpgradePlan).status;
  assert.deepEqual(
    [space(3 * GIB), space(2 * GIB), space(null), space(null, 0)],
    ['ok', 'fail', 'warn', 'warn'],
  );
});
