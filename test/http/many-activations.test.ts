import assert from 'node:assert/strict';
import { test } from 'node:test';
import { databaseEnvironment, ENGINE, runSql } from '../support/engine.ts';
import { runLatchkey } from '../support/process.ts';
import { startService } from '../support/service.ts';

const MANY = 1_000;

test('a license of a thousand activations is answered whole, newest first, and under HEAD without a body', async (t) => {
  const { dataDir, ...api } = await startService(t);
  const { license_key: key, id } = await api.license({ activations_limit: 0 });
  const { token } = await api.activation(key);
  await runSql(
    dataDir,
    `
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${MANY})
    insert into activations (license_id, token, source, created_at, deactivated_at)
      select ${id}, 'token-' || i, 2, '2026-01-01 00:00:00', cast(case when i % 10 = 0 then '2026-01-02 00:00:00' end as ${ENGINE === 'sqlite' ? 'text' : 'timestamp'}) from n;
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
});
