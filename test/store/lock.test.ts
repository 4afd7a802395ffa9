import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { databaseFile } from '../../src/installation/service.ts';
import { startService } from '../support/service.ts';

/** Opens the database like another process, as far as SQLite can tell. */
function otherProcess(t: TestContext, dataDir: string): DatabaseSync {
  const database = new DatabaseSync(databaseFile(dataDir));
  t.after(() => database.close());
  return database;
}

test('while another process holds the write lock, reads go on, and writes wait and then succeed', async (t) => {
  const api = await startService(t);
  const { license_key: key } = await api.license();
  const { token } = await api.activation(key);
  const other = otherProcess(t, api.dataDir);
  other.exec('begin immediate');

  let written = false;
  const write = api.activation(key).then((made) => {
    written = true;
    return made;
  });
  for (let i = 0; i < 50; i++) await api.ok('GET', `/licenses/validate/${token}`);
  await api.ok('GET', '/licenses');
  assert.equal(written, false);
  other.exec('commit');
  assert.equal((await write).license.times_activated, 2);
});

test('a lock held longer than the patience of the service gives 503 with Retry-After, and nothing changes', async (t) => {
  const api = await startService(t, { patience: 100 });
  const { license_key: key } = await api.license();
  const other = otherProcess(t, api.dataDir);
  other.exec('begin immediate');
  const answer = await api.call('GET', `/licenses/activate/${key}`);
  assert.deepEqual([answer.status, answer.body.code], [503, 'server_error']);
  assert.ok(Number(answer.headers.get('retry-after')) >= 1);
  other.exec('commit');
  assert.equal((await api.ok('GET', `/licenses/${key}`)).times_activated, 0);
  await api.activation(key);
});
