import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importLicenses } from '../../src/app/batches/import-licenses.ts';
import { SYSTEM } from '../../src/domain/actor.ts';
import { numberOf, rowsOf, runSql } from '../support/engine.ts';
import { newKey } from '../support/http/api.ts';
import { type Running, startService } from '../support/service.ts';

const LISTS = ['licenses', 'generators', 'software'] as const;

/** Returns the total of a list, after a check that it equals the number of records. */
async function totalOf(
  { call, dataDir }: Running,
  list: (typeof LISTS)[number] = 'licenses',
): Promise<number> {
  const { headers } = await call('HEAD', `/${list}`, { query: { per_page: 1 } });
  const told = Number(headers.get('x-wp-total'));
  assert.equal(told, await numberOf(dataDir, `select count(*) from ${list}`), list);
  return told;
}

const never = () => assert.fail('there is such a command');

const importOf = ({ service }: Running, keys: readonly string[], skipBad = false) =>
  importLicenses(
    service,
    (async function* () {
      for (const [i, license_key] of keys.entries()) yield { line: i + 2, values: { license_key } };
    })(),
    { skipBad, defaults: { valid_for: 0, status: 3, activations_limit: 0 } },
    SYSTEM,
  );

test('totals are exact after every creation and deletion of licenses, also after failed ones', async (t) => {
  const running = await startService(t);
  const { ok, call, license, generator, activation } = running;
  assert.equal(await totalOf(running), 0);
  const { license_key: key } = await license();
  assert.equal((await call('POST', '/licenses', { json: await license() })).status, 409);
  assert.equal(await totalOf(running), 2);

  await activation(key);
  await ok('PUT', `/licenses/${key}`, { json: { status: 5 } });
  await ok('DELETE', `/licenses/${key}`);
  assert.equal((await call('DELETE', `/licenses/${key}`)).status, 404);
  assert.equal(await totalOf(running), 1);

  const { id } = await generator({ charset: 'AB', chunks: 1, chunk_length: 4 });
  await ok('POST', `/generators/${id}/generate`, { json: { amount: 10, save: true } });
  await ok('POST', `/generators/${id}/generate`, { json: { amount: 3 } });
  const tooMany = await call('POST', `/generators/${id}/generate`, { json: { amount: 10, save: true } });
  assert.equal(tooMany.status, 422);
  assert.equal(await totalOf(running), 11);

  const keys = Array.from({ length: 3000 }, newKey);
  assert.equal((await importOf(running, keys)).imported, 3000);
  assert.equal((await importOf(running, [newKey(), keys[0] as string])).done, false);
  assert.equal((await importOf(running, [newKey(), keys[0] as string], true)).imported, 1);
  assert.equal(await totalOf(running), 3012);
});

test('totals of generators and software are exact; releases deleted with software do not count', async (t) => {
  const running = await startService(t);
  const { ok, call } = running;
  for (let i = 0; i < 3; i++) await running.generator();
  const [one, other] = [await running.software({ slug: 'one' }), await running.software()];
  await running.release(one.id);
  await running.license({ product_id: 1 });
  assert.equal((await call('POST', '/software', { json: { name: 'x', slug: 'one' } })).status, 409);
  await ok('DELETE', `/software/${other.id}`);
  await ok('DELETE', '/generators/2');
  assert.deepEqual(await Promise.all(LISTS.map((list) => totalOf(running, list))), [1, 2, 1]);
});

test('totals are exact after concurrent jobs, also if jobs in the same transaction fail', async (t) => {
  const running = await startService(t);
  const other = await startService(t, { dataDir: running.dataDir });
  const made = await Promise.all(Array.from({ length: 60 }, () => running.license()));
  const work = Array.from({ length: 240 }, (_, i) => {
    const on = i % 2 ? running : other;
    const key = made[Math.floor(i / 6)]?.license_key;
    if (i % 3 === 0) return on.call('DELETE', `/licenses/${key}`);
    if (i % 3 === 1) return on.license();
    return on.service.execute('no-such-command' as never, {} as never, SYSTEM).then(never, () => null);
  });
  const sums: unknown[] = [];
  const looking = (async () => {
    for (let i = 0; i < 20; i++) {
      // One statement reads both at the same moment.
      const [row] = await rowsOf(
        running.dataDir,
        `select (select count(*) from licenses) as there,
           (select sum(records) from record_counts where counted = 'licenses') as counted`,
      );
      sums.push(row && Number(row.there) === Number(row.counted));
    }
  })();
  const answers = await Promise.all(work);
  await looking;
  assert.ok(sums.every(Boolean), 'the totals must be exact at every moment');
  const gone = answers.filter((answer, i) => i % 3 === 0 && answer?.status === 200).length;
  assert.deepEqual([gone, await totalOf(running)], [40, 60 + 80 - 40]);
});

test('a wrong total is corrected while licenses are created', async (t) => {
  const running = await startService(t);
  await running.license();
  await running.generator();
  await runSql(
    running.dataDir,
    "update record_counts set records = records + 7; delete from record_counts where counted = 'generators'",
  );
  const { headers } = await running.call('GET', '/licenses');
  assert.notEqual(headers.get('x-wp-total'), '1');
  const making = Array.from({ length: 30 }, () => running.license());
  await running.service.execute('recount-records', {}, SYSTEM);
  await Promise.all(making);
  assert.deepEqual(await Promise.all(LISTS.map((list) => totalOf(running, list))), [31, 1, 0]);
});
