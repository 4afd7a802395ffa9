import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { ACTIVATION_SOURCE } from '../../src/domain/activation.ts';
import { LICENSE_SOURCE } from '../../src/domain/license.ts';
import { databaseFile, SYSTEM } from '../../src/service.ts';
import { StoreUnavailable } from '../../src/store/store.ts';
import { newKey } from '../support/api.ts';
import { startService } from '../support/service.ts';

const newLicense = (licenseKey: string, activationsLimit = 0) => ({
  licenseKey,
  validFor: 0,
  status: 3,
  activationsLimit,
  orderId: null,
  productId: null,
  userId: null,
  expiresAt: null,
  source: LICENSE_SOURCE.api,
});
const activation = (named: string) => ({
  named,
  label: null,
  meta: null,
  token: null,
  software: null,
  source: ACTIVATION_SOURCE.api,
  ipAddress: null,
  userAgent: null,
});

/** Another process at the database, as far as SQLite can tell. */
function otherProcess(t: TestContext, dataDir: string): DatabaseSync {
  const database = new DatabaseSync(databaseFile(dataDir));
  t.after(() => database.close());
  return database;
}

function count(dataDir: string, sql: string): number {
  const database = new DatabaseSync(databaseFile(dataDir), { readOnly: true });
  const n = Number(database.prepare(sql).get()?.n);
  database.close();
  return n;
}

test('200 activations at once of a license with 10 places: exactly 10 are made', async (t) => {
  const { dataDir, ...api } = await startService(t);
  const { license_key: key } = await api.license({ activations_limit: 10 });
  const answers = await Promise.all(
    Array.from({ length: 200 }, () => api.call('GET', `/licenses/activate/${key}`)),
  );
  assert.equal(answers.filter(({ status }) => status === 200).length, 10);
  const refused = answers.filter(({ body }) => body.code === 'license_activation_limit_reached');
  assert.equal(refused.length, 190);
  assert.equal(count(dataDir, 'select count(*) n from activations'), 10);
  assert.equal(count(dataDir, 'select times_activated n from licenses'), 10);
});

test('40 deactivations at once of one activation: one is done, and one place is given back', async (t) => {
  const { dataDir, ...api } = await startService(t);
  const { license_key: key } = await api.license({ activations_limit: 5 });
  const { token } = await api.activation(key);
  await api.activation(key);
  const path = `/licenses/deactivate/${token}`;
  const answers = await Promise.all(Array.from({ length: 40 }, () => api.call('GET', path)));
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  assert.equal(count(dataDir, 'select times_activated n from licenses'), 1);
});

test('40 reactivations at once of one activation take one place', async (t) => {
  const { dataDir, ...api } = await startService(t);
  const { license_key: key } = await api.license({ activations_limit: 5 });
  const { token } = await api.activation(key);
  await api.ok('GET', `/licenses/deactivate/${token}`);
  const path = `/licenses/activate/${key}?token=${token}`;
  const answers = await Promise.all(Array.from({ length: 40 }, () => api.call('GET', path)));
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  assert.equal(count(dataDir, 'select times_activated n from licenses'), 1);
});

test('50 creates at once of one key: one is done, the others are told that it exists', async (t) => {
  const api = await startService(t);
  const json = { license_key: newKey(), valid_for: 0, status: 3, activations_limit: 0 };
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => api.call('POST', '/licenses', { json })),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [
    200,
    ...Array.from({ length: 49 }, () => 409),
  ]);
});

test('a job that fails leaves its neighbours in the same transaction alone', async (t) => {
  const { service } = await startService(t);
  const key = newKey();
  const jobs = [
    service.execute('create-license', newLicense(key), SYSTEM),
    service.execute('create-license', newLicense(key), SYSTEM),
    service.execute('no-such-command' as never, {} as never, SYSTEM),
    service.execute('create-license', newLicense(newKey()), SYSTEM),
  ];
  const ends = (await Promise.allSettled(jobs)).map((end) =>
    end.status === 'fulfilled' ? (end.value as { ok: boolean }).ok : end.status,
  );
  assert.deepEqual(ends, [true, false, 'rejected', true]);
});

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

test('a lock held for longer than the service is patient: 503 with Retry-After, and nothing is changed', async (t) => {
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

test('the end of the service waits for what was sent before it', async (t) => {
  const { service } = await startService(t);
  const jobs = Array.from({ length: 50 }, () =>
    service.execute('create-license', newLicense(newKey()), SYSTEM),
  );
  await service.close();
  for (const outcome of await Promise.all(jobs)) assert.ok(outcome.ok);
  await assert.rejects(service.execute('create-license', newLicense(newKey()), SYSTEM), StoreUnavailable);
});

test('activating under a limit from the API and from commands of another service on the same file', async (t) => {
  const first = await startService(t);
  const second = await startService(t, { dataDir: first.dataDir });
  const { license_key: key } = await first.license({ activations_limit: 10 });
  const tries = Array.from({ length: 100 }, (_, i) =>
    (i % 2 ? first : second).service.execute('activate-license', activation(key), SYSTEM),
  );
  const outcomes = await Promise.all(tries);
  assert.equal(outcomes.filter(({ ok }) => ok).length, 10);
});
