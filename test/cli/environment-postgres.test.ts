import assert from 'node:assert/strict';
import { chmodSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { unprivileged } from '../support/faults/unprivileged.ts';
import { type PostgresServer, startPostgres } from '../support/postgres/postgres.ts';
import { runLatchkey, startProcess } from '../support/process.ts';
import { emptyDatabase, nameOf, PASSWORD } from './backups/moves.ts';
import { createCli, faults } from './cli.ts';

let server: PostgresServer;
before(async () => {
  server = await startPostgres({ settings: { full_page_writes: 'off' } });
});
after(() => server.stop());

const on = (url: string) => ({ env: { LATCHKEY_DATABASE_URL: url } });
const secret = new RegExp(PASSWORD);

test('the first command on PostgreSQL names the database by its address without the password', async () => {
  const cli = createCli();
  const url = await emptyDatabase(server);
  const first = await cli.ok(['migrate'], on(url));
  assert.match(first, /^Set up postgres:\/\/postgres@127\.0\.0\.1:\d+\/move_\w+ for version .*\.\n/);
  assert.match(
    first,
    /master\.key encrypts all license keys\. Back it up, .* Every other node of this database needs the same key\.\n$/,
  );
  assert.match(await cli.ok(['migrate'], on(url)), /^postgres:\/\/\S+ is up to date\.\n$/);
  assert.ok(!existsSync(join(cli.dataDir, 'latchkey.db')));
  const other = createCli();
  const { code, stderr } = await other.run(
    ['license', 'create', '--license-key', 'A'],
    on(await emptyDatabase(server)),
  );
  assert.deepEqual(code, 0);
  assert.match(stderr, /^Set up postgres:.*\n\S*master\.key encrypts all license keys.* Every other node/);
  assert.doesNotMatch(first + stderr, secret);
});

test('a database that is empty or unreachable exits with 3 and says what to do', async () => {
  const cli = createCli();
  const empty = await emptyDatabase(server);
  for (const command of [
    ['license', 'list'],
    ['api-key', 'list'],
    ['generator', 'generate', '1', '--amount', '1'],
  ]) {
    const told = await cli.fails(3, command, on(empty));
    assert.match(
      told,
      /^error: postgres:\/\/\S+ has no tables of Latchkey: set LATCHKEY_DATABASE_URL to the right database, or create them with "latchkey migrate"\.\n$/,
    );
    assert.doesNotMatch(told, secret);
  }
  for (const command of [
    ['license', 'list'],
    ['license', 'create', '--license-key', 'B'],
    ['migrate'],
    ['serve', '--port', '0'],
  ]) {
    const told = await cli.fails(3, command, on(`postgres://me:${PASSWORD}@127.0.0.1:1/x`));
    assert.match(
      told,
      /^error: The database cannot be used: connect ECONNREFUSED .*\. Run "latchkey doctor" for details\.\n$/,
    );
    assert.doesNotMatch(told, secret);
  }
  assert.ok(!existsSync(cli.dataDir));
  const bad = await cli.fails(3, ['license', 'list'], on(`postgres//me:${PASSWORD}@db`));
  assert.match(bad, /^error: LATCHKEY_DATABASE_URL must be an address like/);
  assert.doesNotMatch(bad, secret);
});

test('a missing or wrong master key exits with 3; a node that is given the right one works', async () => {
  const cli = createCli();
  const url = await emptyDatabase(server);
  await cli.ok(['license', 'create', '--license-key', 'A'], on(url));
  const key = readFileSync(join(cli.dataDir, 'master.key'), 'utf8').trim();
  const withKey = (masterKey: string) => ({
    env: { LATCHKEY_DATABASE_URL: url, LATCHKEY_MASTER_KEY: masterKey },
  });
  const wrong = await cli.fails(3, ['license', 'list'], withKey('0'.repeat(64)));
  assert.match(wrong, /made with another master key: put that key back/);
  chmodSync(cli.dataDir, 0o000);
  const closedTo = { ...on(url), cwd: '/', through: unprivileged };
  const closed = await runLatchkey(['license', 'list', '--data-dir', cli.dataDir], closedTo);
  const doctor = await runLatchkey(['doctor', '--data-dir', cli.dataDir], closedTo);
  chmodSync(cli.dataDir, 0o700);
  assert.match(closed.stderr, /^error: \S+: permission denied\. Run latchkey as the user who owns it/);
  assert.match(
    doctor.stdout,
    /Master key +\S+ cannot be read by this user \(EACCES\)\n +Run .* or let this user read and write it /,
  );
  rmSync(join(cli.dataDir, 'master.key'));
  const missing = await cli.fails(3, ['license', 'list'], on(url));
  assert.match(
    missing,
    /postgres:\/\/postgres@\S+ exists, but its master key does not: restore .*master\.key/,
  );
  assert.doesNotMatch(missing, secret);
  const node = createCli();
  assert.equal((await node.json(['license', 'list'], withKey(key))).total, 1);
  assert.ok(!existsSync(join(node.dataDir, 'master.key')));
});

test('the program reads dates and bytes whatever output format the database has set, also behind a pooler', async () => {
  const cli = createCli();
  const url = await emptyDatabase(server);
  await server.query(
    `alter database ${nameOf(url)} set datestyle = 'German'; alter database ${nameOf(url)} set bytea_output = 'escape'`,
  );
  for (const pooler of ['no', 'yes']) {
    const with_ = { env: { LATCHKEY_DATABASE_URL: url, LATCHKEY_DATABASE_POOLER: pooler } };
    const create = ['license', 'create', '--license-key', pooler, '--expires-at', '2099-02-01 03:04:05'];
    await cli.ok([...create, '--status', 'active'], with_);
    const shown = await cli.json(['license', 'show', pooler], with_);
    assert.deepEqual([shown.expires_at, shown.is_expired], ['2099-02-01 03:04:05', false]);
  }
  const back = createCli();
  await cli.ok(['move', '--to', `sqlite:${back.dataDir}`], on(url));
  assert.equal((await back.json(['license', 'show', 'no'])).expires_at, '2099-02-01 03:04:05');
});

test('a command reports its own change, even if every read may come from a replica that lags', async () => {
  const cli = createCli();
  const url = await emptyDatabase(server);
  await cli.ok(['license', 'create', '--license-key', 'A', '--expires-at', '2099-01-01'], on(url));
  const env = {
    LATCHKEY_DATABASE_URL: url,
    LATCHKEY_DATABASE_REPLICA_URL: await emptyDatabase(server, `template ${nameOf(url)}`),
    LATCHKEY_DATABASE_REPLICA_READS: 'all',
  };
  const extended = await cli.json(['license', 'extend', 'A', '--days', '1'], { env });
  assert.equal(extended.expires_at, '2099-01-02 00:00:00');
  await cli.ok(['license', 'create', '--license-key', 'B'], { env });
  assert.equal((await cli.json(['license', 'list'], { env })).total, 2);
});

test('a user who does not own the database exits with 3 and says so', async () => {
  const url = new URL(await emptyDatabase(server));
  await server.query('create role stranger login');
  url.username = 'stranger';
  const cli = createCli();
  const told = await cli.fails(3, ['migrate'], on(url.href));
  assert.match(told, /permission denied for schema public: the user must own the database and its tables/);
  const { Changes } = await faults(cli, 1, on(url.href));
  assert.match(
    Changes,
    /^fail: refused: the user may not create tables \| Let the user in LATCHKEY_DATABASE_URL/,
  );
});

test('a user who owns nothing but the database can run Latchkey; the first start reports the master key', async (t) => {
  const url = new URL(await emptyDatabase(server));
  await server.query(`create role "own-er" login; alter database ${nameOf(url.href)} owner to "own-er"`);
  url.username = 'own-er';
  const cli = createCli();
  const running = await startProcess(t, cli.dataDir, on(url.href));
  assert.match(
    running.output(),
    /without it no license key can be read\.\n {2}Every other node of this database/,
  );
  const license = await running.license();
  assert.equal(
    (await cli.json(['license', 'list'], on(url.href))).licenses[0].license_key,
    license.license_key,
  );
  const { ok, checks } = JSON.parse(await cli.ok(['doctor', '--json'], on(url.href)));
  assert.equal(ok, true);
  assert.deepEqual(
    checks.filter(({ status }: { status: string }) => status !== 'ok'),
    [],
  );
  const back = createCli();
  await cli.ok(['move', '--to', `sqlite:${back.dataDir}`], on(url.href));
  assert.equal((await back.json(['license', 'list'])).total, 1);
  assert.doesNotMatch(running.output(), secret);
});
