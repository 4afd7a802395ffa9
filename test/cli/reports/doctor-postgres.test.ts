import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import {
  checkConnections,
  checkReplica,
  checkServerClock,
  checkServerVersion,
} from '../../../src/cli/reports/doctor-database.ts';
import type { Record_ } from '../../support/http/api.ts';
import { type PostgresServer, startPostgres } from '../../support/postgres/postgres.ts';
import { caughtUp, startStandby } from '../../support/postgres/standby.ts';
import { startProcess } from '../../support/process.ts';
import { emptyDatabase, nameOf, PASSWORD } from '../backups/moves.ts';
import { type Cli, createCli, faults } from '../cli.ts';

let server: PostgresServer;
before(async () => {
  server = await startPostgres({ settings: { full_page_writes: 'off' } });
});
after(() => server.stop());

interface Installation {
  cli: Cli;
  url: string;
  /** The checks that are not ok, with more settings. */
  faults(code: number, env?: Record<string, string>): Promise<Record_>;
}

async function install(options = ''): Promise<Installation> {
  const cli = createCli();
  const url = await emptyDatabase(server, options);
  const env = { LATCHKEY_DATABASE_URL: url };
  await cli.ok(['license', 'create', '--license-key', 'A'], { env });
  await cli.ok(['api-key', 'create'], { env });
  return {
    cli,
    url,
    async faults(code, more = {}) {
      const found = await faults(cli, code, { env: { ...env, ...more } });
      assert.doesNotMatch(JSON.stringify(found), new RegExp(PASSWORD));
      return found;
    },
  };
}

test('doctor finds no problems in a sound installation, also next to a running server', async (t) => {
  const { cli, url, ...installation } = await install();
  assert.deepEqual(await installation.faults(0), {});
  const words = await cli.ok(['doctor'], { env: { LATCHKEY_DATABASE_URL: url } });
  assert.match(
    words,
    /\nok {4}Database +postgres:\/\/postgres@127\.0\.0\.1:\d+\/move_\w+, PostgreSQL 18\.\d+\n/,
  );
  assert.match(words, /\nok {4}Connections +29\d are free, and this node uses up to 15\n/);
  assert.match(words, /\n\n(No problems found|0 faults, 1 warning)\.\n$/);
  assert.doesNotMatch(words, new RegExp(PASSWORD));
  const running = await startProcess(t, cli.dataDir, { env: { LATCHKEY_DATABASE_URL: url } });
  await running.license();
  assert.deepEqual(await installation.faults(0), {});
});

test('doctor reports an empty database and creates nothing in it', async () => {
  const cli = createCli();
  const url = await emptyDatabase(server);
  const found = await faults(cli, 1, { env: { LATCHKEY_DATABASE_URL: url } });
  assert.match(found.Migrations, /^fail: missing: 0001-initial, .* \| Run "latchkey migrate"/);
  assert.match(found['Master key'], /^warn: .*does not exist yet/);
  const { rows } = await server.query(
    "select from pg_class where relnamespace = 'public'::regnamespace",
    nameOf(url),
  );
  assert.equal(rows.length, 0);
});

test('doctor reports an unreachable server and a missing database', async () => {
  const { faults: look, url } = await install();
  const away = await look(1, { LATCHKEY_DATABASE_URL: `postgres://me:${PASSWORD}@127.0.0.1:1/shop` });
  assert.match(
    away.Database,
    /^fail: postgres:\/\/me@127\.0\.0\.1:1\/shop cannot be used: connect ECONNREFUSED .* \| /,
  );
  const missing = await look(1, { LATCHKEY_DATABASE_URL: url.replace('move_', 'gone_') });
  assert.match(missing.Database, /^fail: .*: database "gone_\w+" does not exist \| /);
});

test('doctor reports a wrong master key and a missing one', async () => {
  const { cli, faults: look } = await install();
  const key = readFileSync(join(cli.dataDir, 'master.key'), 'utf8').trim();
  const other = await look(1, { LATCHKEY_MASTER_KEY: '0'.repeat(64) });
  assert.match(other['Master key'], /^fail: this is not the key of the database/);
  rmSync(join(cli.dataDir, 'master.key'));
  assert.match((await look(1))['Master key'], /^fail: .*does not exist \| Restore .* from your backup/);
  assert.deepEqual(await look(0, { LATCHKEY_MASTER_KEY: key }), {});
});

test('doctor reports wrong totals; --fix counts them again', async () => {
  const { cli, url, ...installation } = await install();
  await server.query('delete from record_counts', nameOf(url));
  assert.match((await installation.faults(0)).Totals, /^warn: licenses: 1, but lists show 0 \| .*--fix/);
  const env = { LATCHKEY_DATABASE_URL: url };
  assert.match(await cli.ok(['doctor', '--fix'], { env }), /^ok +Totals +counted again: licenses: 1/m);
  assert.deepEqual(await installation.faults(0), {});
});

test('doctor reports server settings that lose commits, refuse changes or leave too few connections', async () => {
  const { faults: look, url } = await install();
  const set = (what: string) => server.query(`alter database ${nameOf(url)} ${what}`);
  await set('set synchronous_commit = off');
  assert.match((await look(0)).Durability, /^warn: off: synchronous_commit\. Committed changes may be lost/);
  await set('reset synchronous_commit');
  await set('set default_transaction_read_only = on');
  assert.match((await look(1)).Changes, /^fail: refused: default_transaction_read_only is on/);
  await set('reset default_transaction_read_only');
  await set('connection limit 9');
  assert.match((await look(0)).Connections, /^warn: 9 are free, and this node uses up to 15 \|/);
  assert.deepEqual(await look(0, { LATCHKEY_DATABASE_CONNECTIONS: '4' }), {});
  const workers = await look(0, { LATCHKEY_DATABASE_CONNECTIONS: '4', LATCHKEY_WORKERS: '2' });
  assert.match(workers.Connections, /^warn: 9 are free, and this node uses up to 18 \|/);
  await set('connection limit -1');
  const many = await look(0, { LATCHKEY_DATABASE_CONNECTIONS: '1000' });
  assert.match(many.Connections, /^warn: 29\d are free, and this node uses up to 1,005 \|/);
  assert.deepEqual(
    await look(0, { LATCHKEY_DATABASE_CONNECTIONS: '1000', LATCHKEY_DATABASE_POOLER: 'yes' }),
    {},
  );
});

test('doctor reports a database with another text encoding', async () => {
  const { faults: look } = await install("template template0 encoding 'LATIN1' locale 'C'");
  assert.match((await look(1)).Database, /^fail: .*PostgreSQL 18\.\d+, stores text as LATIN1/);
});

test('doctor warns about release files on one machine, but not if they are in S3', async () => {
  const { cli, url, faults: look } = await install();
  const env = { LATCHKEY_DATABASE_URL: url };
  await cli.ok(['software', 'create', '--name', 'Acme'], { env });
  await cli.ok(
    ['release', 'publish', '--software', 'acme', '--version', '1.0.0', cli.file('acme.zip', 'bytes')],
    { env },
  );
  const found = await look(0);
  assert.match(found['Shared files'], /^warn: .*a node on another machine does not have them \| .*S3/);
  const { 'Shared files': shared } = await look(1, {
    LATCHKEY_S3_BUCKET: 'b',
    LATCHKEY_S3_ENDPOINT: 'http://127.0.0.1:1',
    LATCHKEY_S3_ACCESS_KEY_ID: 'x',
    LATCHKEY_S3_SECRET_ACCESS_KEY: 'x',
  });
  assert.equal(shared, undefined);
});

test('doctor reports a replica that is behind, unreachable, of another installation, or used as the primary', async (t) => {
  const { cli, url, faults: look } = await install();
  const replica = { LATCHKEY_DATABASE_REPLICA_URL: url.replace(`${server.port}`, '1') };
  assert.match((await look(0, replica)).Replica, /^warn: it cannot be used: connect ECONNREFUSED/);
  assert.match(
    (await look(0, { LATCHKEY_DATABASE_REPLICA_URL: url })).Replica,
    /^warn: .* a primary, not a replica/,
  );
  const other = await install();
  const wrong = await look(1, { LATCHKEY_DATABASE_REPLICA_URL: other.url });
  assert.match(wrong.Replica, /^fail: it holds another installation/);

  const standby = await startStandby(server);
  t.after(() => standby.stop());
  await cli.ok(['license', 'create', '--license-key', 'B'], { env: { LATCHKEY_DATABASE_URL: url } });
  await caughtUp(server, standby);
  const standbyUrl = url.replace(`:${server.port}/`, `:${standby.port}/`);
  const following = { LATCHKEY_DATABASE_REPLICA_URL: standbyUrl };
  assert.deepEqual(await look(0, following), {});

  await standby.query('select pg_wal_replay_pause()');
  await server.query(
    "create table bulk (x text storage external); insert into bulk select repeat('x', 9000) from generate_series(1, 3000)",
    nameOf(url),
  );
  assert.match(
    (await look(0, following)).Replica,
    /^warn: its log is [\d,]+ bytes behind the primary; its last change .* old \| /,
  );
  await standby.query('select pg_wal_replay_resume()');
  await caughtUp(server, standby);

  const taken = await faults(cli, 1, { env: { LATCHKEY_DATABASE_URL: standbyUrl } });
  assert.deepEqual(Object.keys(taken), ['Changes']);
  assert.match(
    taken.Changes,
    /^fail: refused: this server is a replica \| Set LATCHKEY_DATABASE_URL to the primary/,
  );
});

test('doctor warns about versions, clocks, lag and connections beyond their limits', () => {
  const version = (text: string) =>
    checkServerVersion('postgres://db/x', { version: text, encoding: 'UTF8' }).status;
  assert.deepEqual(['14.20', '15.0', '18.4 (Debian 18.4-1)', '19devel'].map(version), [
    'warn',
    'ok',
    'ok',
    'warn',
  ]);
  const clock = (ahead: number) => checkServerClock(ahead);
  assert.deepEqual(
    [0, 1_999, -2_000, 299_999, -300_000].map((ahead) => clock(ahead).status),
    ['ok', 'ok', 'warn', 'warn', 'fail'],
  );
  assert.match(clock(-2_500).message, /^2\.5 s behind/);
  const connections = (free: number) => checkConnections({ free, wanted: 15 }).status;
  assert.deepEqual([connections(15), connections(14)], ['ok', 'warn']);
  const lag = (bytesBehind: number, secondsBehind: number | null) =>
    checkReplica({ problem: null, isReplica: true, isSame: true, bytesBehind, secondsBehind }).status;
  assert.deepEqual(
    [lag(0, 9_999), lag(1, 9), lag(1, 11), lag(2 ** 25, 0), lag(1, null)],
    ['ok', 'ok', 'warn', 'warn', 'ok'],
  );
});
