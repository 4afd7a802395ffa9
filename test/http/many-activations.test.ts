import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ACTIVATIONS_PER_STEP as STEP } from '../../src/app/licenses/licenses.ts';
import { SYSTEM } from '../../src/domain/actor.ts';
import { signedIn } from '../support/console/console.ts';
import { databaseEnvironment, ENGINE, numberOf, runSql } from '../support/engine.ts';
import { runLatchkey } from '../support/process.ts';
import { startService } from '../support/service.ts';

const MANY = 1_000;
const DATETIME = ENGINE === 'sqlite' ? 'text' : 'timestamp';

/** Inserts activations of a license. One in `validOf` of them is valid. */
const insertMany = (licenseId: number, count: number, validOf: number) => `
  with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
  insert into activations (license_id, token, source, created_at, deactivated_at)
    select ${licenseId}, '${licenseId}-' || cast(i as text), 2, '2026-01-01 00:00:00',
      cast(case when i % ${validOf} > 0 then '2026-01-02 00:00:00' end as ${DATETIME}) from n;
  update licenses set times_activated = times_activated + ${Math.floor(count / validOf)} where id = ${licenseId};`;

test('a license with a thousand activations is answered in full, newest first, and without a body for HEAD', async (t) => {
  const { dataDir, ...api } = await startService(t);
  const { license_key: key, id } = await api.license({ activations_limit: 0, seat_ttl: 600 });
  const { token } = await api.activation(key);
  await runSql(
    dataDir,
    `
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${MANY})
    insert into activations (license_id, token, source, created_at, deactivated_at)
      select ${id}, 'token-' || i, 2, '2026-01-01 00:00:00', cast(case when i % 10 = 0 then '2026-01-02 00:00:00' end as ${DATETIME}) from n;
    update licenses set times_activated = 1 + ${MANY} * 9 / 10;`,
  );

  const license = await api.ok('GET', `/licenses/${key}`);
  assert.equal(license.times_activated, 901);
  const expected = Array.from({ length: MANY }, (_, i) => i + 1)
    .filter((i) => i % 10 !== 0)
    .map((i) => `token-${i}`);
  assert.deepEqual(
    license.activations.map((one: { token: string }) => one.token),
    [token, ...expected].reverse(),
  );
  const small = await api.license();
  await api.activation(small.license_key);
  const fields = Object.keys((await api.ok('GET', `/licenses/${small.license_key}`)).activations[0]);
  assert.deepEqual(Object.keys(license.activations[500]), fields);

  const head = await api.call('HEAD', `/licenses/${key}`);
  assert.deepEqual([head.status, head.body], [200, '']);
  const shown = await runLatchkey(['license', 'show', key, '--json', '--data-dir', dataDir], {
    env: await databaseEnvironment(dataDir),
  });
  assert.equal(JSON.parse(shown.stdout).activations.length, 901);

  // The seats of the newest have lapsed, which nothing has recorded yet.
  await runSql(
    dataDir,
    `update activations set seat_expires_at = '2026-01-03 00:00:00' where license_id = ${id} and token not in (
      select token from activations where license_id = ${id} order by id limit 701);`,
  );
  const { times_activated, activations } = await api.ok('GET', `/licenses/${key}`);
  const held = [token, ...expected.slice(0, 630)].reverse();
  assert.equal(times_activated, held.length);
  assert.deepEqual(
    activations.map((one: { token: string }) => one.token),
    held,
  );
});

test('a license with many activations is deleted in steps, and exists until the last step', async (t) => {
  const { dataDir, service, ...api } = await startService(t);
  const { license_key: key, id } = await api.license({ activations_limit: 0 });
  const step = () => service.execute('delete-license', { named: { id } }, SYSTEM);
  const seats = async () => (await api.ok('GET', `/licenses/${key}`)).times_activated;
  const counted = () => numberOf(dataDir, `select count(*) from activations where license_id = ${id}`);
  await runSql(dataDir, insertMany(id, 3 * STEP, 2));
  // The first step deletes deactivated activations.
  assert.deepEqual(await step(), { ok: true, value: { isDone: false } });
  assert.deepEqual([await seats(), await counted()], [1.5 * STEP, 2 * STEP]);
  assert.deepEqual(await step(), { ok: true, value: { isDone: false } });
  const left = await api.ok('GET', `/licenses/${key}`);
  assert.deepEqual([left.times_activated, left.activations.length, await counted()], [STEP, STEP, STEP]);
  // The route completes the deletion, whatever the number of activations, and records it once.
  await api.ok('DELETE', `/licenses/${key}`);
  assert.equal(await counted(), 0);
  await api.fails(404, 'data_error', 'GET', `/licenses/${key}`);
  const entries = "select count(*) from audit_entries where action = 'license.delete'";
  assert.equal(await numberOf(dataDir, entries), 1);
});

test('many licenses are deleted in steps, too; if one does not exist, none loses an activation', async (t) => {
  const { dataDir, service, ...api } = await startService(t);
  const manager = await signedIn({ ...api, service }, 'manager');
  const licenses = [await api.license(), await api.license(), await api.license()];
  const ids = licenses.map(({ id }) => id);
  for (const id of ids) await runSql(dataDir, insertMany(id, STEP, 3));
  const counted = () => numberOf(dataDir, 'select count(*) from activations');
  const refused = await manager.post('/licenses/bulk/delete', { ids: [...ids, 999_999_999] });
  assert.deepEqual([refused.status, await counted()], [404, 3 * STEP]);
  const { gone } = await manager.ok('POST', '/licenses/bulk/delete', {
    ids: [...ids, 7_777],
    skip_gone: true,
  });
  assert.deepEqual([gone, await counted()], [[7_777], 0]);
  assert.equal(await numberOf(dataDir, 'select count(*) from licenses'), 0);
});
