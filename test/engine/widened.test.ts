import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runSql } from '../support/engine.ts';
import { startService } from '../support/service.ts';

const WIDENED = ['licenses', 'activations', 'api_keys', 'generators', 'software', 'releases', 'artifacts'];

test('answers stay the same while a later version adds columns', async (t) => {
  const api = await startService(t);
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
  // Statements prepared before return the new columns when they run, and know them when they run again.
  for (let i = 0; i < 3; i++) assert.deepEqual(await answers(), before);
});
