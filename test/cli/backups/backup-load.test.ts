import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, type TestContext, test } from 'node:test';
import { newKey } from '../../support/http/api.ts';
import { type PostgresServer, startPostgres } from '../../support/postgres/postgres.ts';
import { type RunningProcess, startProcess } from '../../support/process.ts';
import { until } from '../../support/until.ts';
import { createCli, faults } from '../cli.ts';
import { backUp, checkContract, newFolder, restore, verified } from './backups.ts';
import { emptyDatabase, nameOf } from './moves.ts';

let server: PostgresServer;
before(async () => {
  server = await startPostgres({ settings: { fsync: 'off' } });
});
after(() => server.stop());

interface Written {
  /** The time of the answer, on the clock of `performance.now()`. */
  at: number;
  /** Whether the service still has what it answered. Nothing else changes it later. */
  isThere(api: RunningProcess): Promise<boolean>;
}

/** Starts clients that create, activate, deactivate, publish and delete all the time, and record every answer. */
function startClients(t: TestContext, api: RunningProcess, softwareId: number) {
  const written: Written[] = [];
  let isOver = false;
  t.after(() => {
    isOver = true;
  });
  const write = (isThere: Written['isThere']) => void written.push({ at: performance.now(), isThere });
  const statusOf = async (running: RunningProcess, path: string) => (await running.call('GET', path)).status;

  async function license(): Promise<void> {
    const { license_key: key } = await api.license({ license_key: newKey(), activations_limit: 3 });
    write(async (there) => (await statusOf(there, `/licenses/${key}`)) === 200);
    const [kept, ended] = [await api.activation(key), await api.activation(key)];
    write(async (there) => (await statusOf(there, `/licenses/validate/${kept.token}`)) === 200);
    await api.ok('GET', `/licenses/deactivate/${ended.token}`);
    write(async (there) => {
      const { body } = await there.call('GET', `/licenses/validate/${ended.token}`);
      return /deactivated/.test(body.message);
    });
  }
  async function release(nth: number): Promise<void> {
    const file = () => new File([randomBytes(40_000)], 'a.zip');
    const kept = await api.release(softwareId, { version: `${nth}.1`, file: file() });
    write(async (there) => {
      const releases = await there.ok('GET', `/software/${softwareId}/releases`, {
        query: { per_page: 100 },
      });
      return releases.some(({ id, sha256 }: typeof kept) => id === kept.id && sha256 === kept.sha256);
    });
    const gone = await api.release(softwareId, { version: `${nth}.2`, file: file() });
    await api.ok('DELETE', `/software/${softwareId}/releases/${gone.id}`);
  }
  async function client(work: (nth: number) => Promise<void>, most: number): Promise<void> {
    for (let nth = 0; !isOver && nth < most; nth++) await work(nth);
  }
  const clients = [...Array.from({ length: 3 }, () => client(license, 100_000)), client(release, 40)];
  return {
    written,
    async stop(): Promise<void> {
      isOver = true;
      await Promise.all(clients);
    },
  };
}

const INCONSISTENT = `select
  (select count(*) from licenses l where times_activated <>
    (select count(*) from activations a where a.license_id = l.id and a.deactivated_at is null)) as count`;

// Reading a snapshot and filling a target are independent: each engine is read from once and filled once.
for (const { from, workers, to, contract } of [
  { from: 'SQLite', workers: '2', to: 'PostgreSQL', contract: true },
  { from: 'PostgreSQL', workers: '1', to: 'SQLite', contract: false },
]) {
  test(`a backup of ${from} under load by ${workers} workers, restored to ${to}, has all that was answered before`, async (t) => {
    const cli = createCli();
    const url = from === 'PostgreSQL' ? await emptyDatabase(server) : null;
    const env: Record<string, string> = { LATCHKEY_WORKERS: workers };
    if (url) env.LATCHKEY_DATABASE_URL = url;
    const api = await startProcess(t, cli.dataDir, { env });
    const { id } = await api.software();
    const clients = startClients(t, api, id);
    const enough = async (count: number) => {
      const wanted = clients.written.length + count;
      await until(() => clients.written.length >= wanted);
    };
    await enough(80);
    const begun = performance.now();
    const made = await backUp(cli, [], { env });
    const ended = performance.now();
    await enough(30);
    await clients.stop();
    await api.stop();
    const meanwhile = clients.written.filter(({ at }) => at > begun && at < ended).length;
    const earlier = clients.written.filter(({ at }) => at < begun);
    t.diagnostic(
      `${earlier.length} answers before, ${meanwhile} in the ${Math.round(ended - begun)} ms of the backup; ${made.artifacts.count} files`,
    );
    assert.ok(meanwhile > 0 && made.artifacts.count > 0);
    const { license_keys: keys } = await verified(cli, made.file, true);
    assert.ok(keys.opened > 0);

    const there = createCli(newFolder());
    const toUrl = to === 'PostgreSQL' ? await emptyDatabase(server) : null;
    const database: Record<string, string> = toUrl ? { LATCHKEY_DATABASE_URL: toUrl } : {};
    await restore(cli, made.file, there, { env: database });
    const {
      'Shared files': _shared,
      Durability: _fsync,
      ...notWell
    } = await faults(there, 0, { env: database });
    assert.deepEqual(notWell, {});
    const restored = await startProcess(t, there.dataDir, { env: database, credentials: api.credentials });
    for (const [nth, { isThere }] of earlier.entries())
      assert.ok(await isThere(restored), `answer ${nth} of ${earlier.length}`);
    const inconsistent = toUrl
      ? Number((await server.query(INCONSISTENT, nameOf(toUrl))).rows[0].count)
      : there.database((opened) => opened.prepare(INCONSISTENT).get())?.count;
    assert.equal(inconsistent, 0);
    if (contract && !(await checkContract(restored.root, api.credentials)))
      t.diagnostic('no ../shared/contract/check.mjs');
    await restored.stop();
  });
}
