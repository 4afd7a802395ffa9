import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, type TestContext, test } from 'node:test';
import { moveDatabase } from '../../../src/app/backups/copy-database.ts';
import { engineOf } from '../../../src/installation/engines.ts';
import { openTarget } from '../../../src/installation/moving.ts';
import type { CopyTarget, Row } from '../../../src/store/backups/copy.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { type PostgresServer, startPostgres } from '../../support/postgres/postgres.ts';
import { startTcpProxy, type TcpProxy } from '../../support/postgres/tcp-proxy.ts';
import { cleanEnvironment } from '../../support/process.ts';
import { START } from '../../support/program.ts';
import { storeConfig } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { type Cli, createCli } from '../cli.ts';
import { emptyDatabase, manyLicenses, nameOf } from './moves.ts';

/** Four chunks of a copy. */
const MANY = 1_000;
let server: PostgresServer;
let source: Cli;
/** The address of the same data on PostgreSQL. */
let sourceUrl: string;
before(async () => {
  server = await startPostgres({ settings: { fsync: 'off' } });
  source = await manyLicenses(MANY);
  sourceUrl = await emptyDatabase(server);
  await source.ok(['move', '--to', sourceUrl]);
});
after(() => server.stop());

const newFolder = () => join(temporaryFolder(), 'moved');
const relations = async (url: string): Promise<number> =>
  (await server.query("select from pg_class where relnamespace = 'public'::regnamespace", nameOf(url))).rows
    .length;

function start(t: TestContext, to: string, env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [START, 'move', '--to', to], {
    env: { ...cleanEnvironment(), LATCHKEY_DATA_DIR: source.dataDir, ...env },
  });
  t.after(() => child.kill('SIGKILL'));
  let told = '';
  child.stderr.on('data', (data) => {
    told += data;
  });
  const ended = once(child, 'exit').then(([code]) => ({ code, told }));
  const heldBy = (proxy: TcpProxy) =>
    until(() => {
      assert.equal(child.exitCode, null, told);
      return proxy.isHolding;
    });
  return { child, ended, heldBy };
}

/**
 * The address of a database behind a proxy that stops a copy in the middle of the licenses: before the copy writes the
 * second chunk, or reads the third.
 */
async function stopping(t: TestContext, url: string): Promise<{ url: string; proxy: TcpProxy }> {
  let isAtLicenses = false;
  let chunks = 0;
  const proxy = await startTcpProxy(t, server.port, {
    holds(sent) {
      if (sent.includes('insert into "licenses"')) return ++chunks === 2;
      if (sent.includes('declare rows_of_copy')) isAtLicenses = sent.includes('from "licenses"');
      return isAtLicenses && sent.includes('fetch 250') && ++chunks === 3;
    },
  });
  return { url: Object.assign(new URL(url), { port: proxy.port }).href, proxy };
}

/** Starts a move from PostgreSQL to a folder and stops it in the middle of the licenses. */
async function startDown(t: TestContext, dataDir: string) {
  const { url, proxy } = await stopping(t, sourceUrl);
  const move = start(t, `sqlite:${dataDir}`, { LATCHKEY_DATABASE_URL: url });
  await move.heldBy(proxy);
  assert.ok(existsSync(join(dataDir, 'latchkey.db-wal')));
  return { move, proxy };
}

test('an interrupted move to PostgreSQL leaves nothing there', async (t) => {
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGKILL', null],
  ] as const) {
    const url = await emptyDatabase(server);
    const { url: to, proxy } = await stopping(t, url);
    const move = start(t, to);
    await move.heldBy(proxy);
    move.child.kill(signal);
    proxy.release();
    const ended = await move.ended;
    assert.equal(ended.code, code);
    if (code) assert.match(ended.told, /(^|\n)error: Interrupted: nothing was moved\.\n$/);
    assert.equal(await relations(url), 0);
  }
});

test('an interrupted move to SQLite leaves no file, and no folder that it made', async (t) => {
  for (const [dataDir, isThere] of [
    [newFolder(), false],
    [newFolder(), true],
  ] as const) {
    if (isThere) mkdirSync(dataDir);
    const { move, proxy } = await startDown(t, dataDir);
    move.child.kill('SIGINT');
    proxy.release();
    assert.deepEqual(await move.ended, { code: 130, told: 'error: Interrupted: nothing was moved.\n' });
    assert.deepEqual(existsSync(dataDir) ? readdirSync(dataDir) : null, isThere ? [] : null);
  }
});

test('a killed move to SQLite leaves an empty database, which the next move takes over', async (t) => {
  const dataDir = newFolder();
  const { move } = await startDown(t, dataDir);
  move.child.kill('SIGKILL');
  await move.ended;
  const env = { LATCHKEY_DATABASE_URL: sourceUrl };
  await source.ok(['move', '--to', `sqlite:${dataDir}`], { env });
  assert.equal((await createCli(dataDir).json(['license', 'list'])).total, MANY);
});

test('a move whose server goes away says so and leaves nothing at the target', async (t) => {
  const dataDir = newFolder();
  const { move } = await startDown(t, dataDir);
  await server.stop('immediate');
  const { code, told } = await move.ended;
  await server.start();
  assert.equal(code, 3, told);
  assert.match(told, /^error: The database cannot be used: .*\. Run "latchkey doctor" for details\.\n$/);
  assert.ok(!existsSync(dataDir));
});

test('a move whose target goes away names the target', async (t) => {
  const { url: to, proxy } = await stopping(t, await emptyDatabase(server));
  const move = start(t, to);
  await move.heldBy(proxy);
  proxy.switchTo(server.port);
  const { code, told } = await move.ended;
  assert.equal(code, 3, told);
  const name = `${new URL(to).host}${new URL(to).pathname}`;
  assert.match(told, new RegExp(`^error: Nothing was moved: postgres://.*${name} cannot be used: `, 'm'));
});

/** The number of changes before the snapshot of a copy, and again after it. */
const CHANGES = 5;
/** Changes two tables in one transaction: a copy that has only one of the changes did not read a single snapshot. */
const CHANGE = (nth: number) => `
  begin;
  update licenses set times_activated = times_activated + 1 where id = ${MANY};
  insert into activations (license_id, token, source, created_at)
    values (${MANY}, 'token-${nth}', 1, '2026-01-01 00:00:00');
  commit`;
const DIFFERENCE = `
  select (select times_activated from licenses where id = ${MANY}) as counted,
         (select count(*) from activations) as there`;

test('a copy of a source that is being changed is a single snapshot', async (t) => {
  let nth = 0;
  const url = await emptyDatabase(server);
  const sqlite = new DatabaseSync(join(source.dataDir, 'latchkey.db'), { timeout: 5_000 });
  t.after(() => sqlite.close());
  const changeSqlite = () => {
    for (let i = 0; i < CHANGES; i++) sqlite.exec(CHANGE(++nth));
  };
  changeSqlite();
  const { url: to, proxy } = await stopping(t, url);
  const up = start(t, to);
  await up.heldBy(proxy);
  changeSqlite();
  proxy.release();
  assert.equal((await up.ended).code, 0);
  const [there] = (await server.query(DIFFERENCE, nameOf(url))).rows;
  assert.deepEqual([there.counted, there.there].map(Number), [CHANGES, CHANGES]);

  const changePostgres = async () => {
    for (let i = 0; i < CHANGES; i++) await server.query(CHANGE(++nth), nameOf(sourceUrl));
  };
  await changePostgres();
  const dataDir = newFolder();
  const { move: down, proxy: other } = await startDown(t, dataDir);
  await changePostgres();
  other.release();
  assert.equal((await down.ended).code, 0);
  const [here] = createCli(dataDir).database((database) => database.prepare(DIFFERENCE).all());
  assert.deepEqual([here?.counted, here?.there], [CHANGES, CHANGES]);
});

test('move undoes everything if rows read back differ or are missing, or if ids would start anew', async () => {
  const small = await manyLicenses(300);
  const wrong: Record<string, (target: CopyTarget) => Partial<CopyTarget>> = {
    'licenses .*300 of 300 rows': (target) => ({
      insert: (table, rows) => target.insert(table, table.name === 'licenses' ? rows.map(later) : rows),
    }),
    'licenses .*298 of 300 rows': (target) => ({
      insert: (table, rows) => target.insert(table, table.name === 'licenses' ? rows.slice(1) : rows),
    }),
    'ids of users do not continue after 1': () => ({ lastId: async () => null }),
    'refused rows of licenses: ': (target) => ({
      insert: (table, rows) =>
        target.insert(
          table,
          rows.map((row) => ({ ...row, valid_for: 'soon' })),
        ),
    }),
  };
  for (const isUp of [true, false]) {
    for (const [message, changed] of Object.entries(wrong)) {
      const url = await emptyDatabase(server);
      const dataDir = newFolder();
      const config = storeConfig(small.dataDir);
      const source = await (await engineOf(config)).source();
      const to = isUp ? { ...config, databaseUrl: url } : { ...config, dataDir };
      const { target } = await openTarget(to, isUp ? null : Buffer.alloc(32, 7));
      const moved = moveDatabase(source, { ...target, ...changed(target) }, async () => {});
      await assert.rejects(moved, { name: 'CopyRefused', message: new RegExp(message) });
      await target.close();
      await source.close();
      assert.equal(await relations(url), 0);
      assert.ok(!existsSync(dataDir));
    }
  }
});

/** Adds one to `valid_for` in the last of many rows. */
const later = (row: Row): Row => (row.id === 300 ? { ...row, valid_for: Number(row.valid_for) + 1 } : row);
