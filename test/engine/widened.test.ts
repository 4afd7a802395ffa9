import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { rowsOf, runSql } from '../support/engine.ts';
import { startService } from '../support/service.ts';

const WIDENED = ['licenses', 'activations', 'api_keys', 'generators', 'software', 'releases', 'artifacts'];

const api = await startService({ after });

test('answers stay the same while a later version adds columns', async () => {
  const { license_key: key } = await api.license();
  const { token } = await api.activation(key);
  const { id: generator } = await api.generator();
  const { id: software } = await api.software({ product_ids: [7, 8] });
  await api.release(software);
  const paths = [
    ...[
      '/licenses',
      `/licenses/${key}`,
      `/licenses/validate/${token}`,
      '/generators',
      `/generators/${generator}`,
    ],
    ...['/software', `/software/${software}`, `/software/${software}/releases`],
  ];
  const answers = () => Promise.all(paths.map((path) => api.ok('GET', path)));
  const before = await answers();
  for (const table of WIDENED)
    await runSql(api.dataDir, `alter table ${table} add column note text default 'later'`);
  // Statements prepared earlier return the new columns at their next run.
  for (let i = 0; i < 3; i++) assert.deepEqual(await answers(), before);
});

test('terms stored by an earlier version, with only the seat policy, can be changed and restored', async () => {
  const { id, license_key: key } = await api.license({ seat_ttl: 600, entitlements: ['pro'] });
  const earlier =
    '{"seatTtl":600,"reclaimAfterDays":0,"match":"fingerprint","borrowMaxHours":0,"takeoversPerMonth":0}';
  await runSql(api.dataDir, `update licenses set seat_policy = '${earlier}' where id = ${id}`);
  const path = `/licenses/${key}`;
  const { seat_ttl, entitlements, lease_days } = await api.ok('GET', path);
  assert.deepEqual([seat_ttl, entitlements, lease_days], [600, [], 14]);
  const changed = await api.ok('PUT', path, { json: { entitlements: ['team'], lease_days: 30 } });
  assert.deepEqual([changed.seat_ttl, changed.entitlements, changed.lease_days], [600, ['team'], 30]);
  const stored = async () =>
    (await rowsOf(api.dataDir, `select seat_policy from licenses where id = ${id}`))[0]?.seat_policy;
  await api.ok('PUT', path, { json: { entitlements: null, lease_days: null } });
  assert.equal(await stored(), earlier);
  await api.ok('PUT', path, { json: { seat_ttl: 0 } });
  assert.equal(await stored(), null);
});
