import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { SYSTEM } from '../../src/domain/actor.ts';
import { LICENSE_SOURCE } from '../../src/domain/licenses/license.ts';
import type { NewRelease } from '../../src/domain/releases/release.ts';
import { databaseFile } from '../../src/installation/service.ts';
import { firstBundle } from '../../src/store/keys/key-bundle.ts';
import { openSqlite } from '../../src/store/sqlite/store.ts';
import { numberOf, runSql } from '../support/engine.ts';
import { newKey } from '../support/http/api.ts';
import { startService } from '../support/service.ts';

const newLicense = (licenseKey: string) => ({
  licenseKey,
  validFor: 0,
  status: 3,
  activationsLimit: 0,
  source: LICENSE_SOURCE.api,
  orderId: null,
  productId: null,
  userId: null,
  expiresAt: null,
});

test('a job that cannot be sent to the writer fails its whole turn and leaves no trace; later jobs succeed', async (t) => {
  const { service, dataDir } = await startService(t);
  const create = (licenseKey: unknown) =>
    service.execute('create-license', newLicense(licenseKey as string), SYSTEM);
  for (let i = 1; i <= 3; i++) {
    const turn = await Promise.allSettled([create(newKey()), create(() => 'no text'), create(newKey())]);
    assert.deepEqual(
      turn.map(({ status }) => status),
      ['rejected', 'rejected', 'rejected'],
    );
    assert.ok((await create(newKey())).ok);
    assert.equal(await numberOf(dataDir, 'select count(*) from licenses'), i);
  }
});

test('refused jobs of a message leave no trace, and the jobs before and after them are kept', async (t) => {
  const { service, dataDir, ...api } = await startService(t);
  const taken = newKey();
  await api.license({ license_key: taken });
  const outcomes = await Promise.all(
    Array.from({ length: 300 }, (_, i) =>
      service.execute('create-license', newLicense(i % 3 === 1 ? taken : newKey()), SYSTEM),
    ),
  );
  assert.deepEqual(
    outcomes.map(({ ok }) => ok),
    outcomes.map((_, i) => i % 3 !== 1),
  );
  assert.equal(await numberOf(dataDir, 'select count(*) from licenses'), 201);
  assert.equal(
    await numberOf(dataDir, "select sum(records) from record_counts where counted = 'licenses'"),
    201,
  );
});

test('everything that a job wrote before it was refused is rolled back, and nothing of its neighbors', async (t) => {
  const { service, dataDir, ...api } = await startService(t);
  const { id } = await api.software();
  const release = (version: string) => {
    const hex = randomBytes(32).toString('hex');
    const bytes = { key: hex, size: 1, sha256: hex, sha512: hex + hex };
    const given = { changelog: '', upgradeNotice: '', status: 'published', channel: 'stable', rollout: 100 };
    const file = { ...bytes, name: 'a.zip', type: 'application/zip' };
    const input = { ...given, version } as NewRelease;
    // The artifact is written before the version is found to be in use.
    return service.execute('create-release', { software: String(id), input, file }, SYSTEM);
  };
  const outcomes = await Promise.all(['1.0', '2.0', '1.0', '3.0', '2.0', '1.0'].map(release));
  assert.deepEqual(
    outcomes.map(({ ok }) => ok),
    [true, true, false, true, false, false],
  );
  assert.equal(await numberOf(dataDir, 'select count(*) from releases'), 3);
  assert.equal(await numberOf(dataDir, 'select count(*) from artifacts'), 3);
});

test('after SQLite has rolled a transaction back by itself, no statement of its jobs is kept', async (t) => {
  const { service, dataDir, ...api } = await startService(t);
  const made = await Promise.all(Array.from({ length: 3 }, () => api.license()));
  const ids = made.map(({ id }) => id as number);
  // As a full disk does.
  await runSql(
    dataDir,
    `create trigger full before insert on audit_entries when new.subject_id = ${ids[0]}
      begin select raise(rollback, 'no space'); end`,
  );
  const deleted = () => service.execute('delete-licenses', { ids }, SYSTEM);
  const entries = () =>
    numberOf(dataDir, "select count(*) from audit_entries where action = 'license.delete'");
  await assert.rejects(deleted(), /no space/);
  assert.equal(await entries(), 0);
  await runSql(dataDir, 'drop trigger full');
  assert.ok((await deleted()).ok);
  assert.equal(await entries(), 3);
});

test('concurrent clients can read what they created as soon as the server has answered', async (t) => {
  const api = await startService(t);
  await Promise.all(
    Array.from({ length: 40 }, async () => {
      for (let i = 0; i < 5; i++) {
        const { license_key: key } = await api.license({ activations_limit: 1 });
        assert.equal((await api.ok('GET', `/licenses/${key}`)).times_activated, 0);
        const { token } = await api.activation(key);
        await api.ok('GET', `/licenses/validate/${token}`);
        assert.equal((await api.ok('GET', `/licenses/${key}`)).times_activated, 1);
      }
    }),
  );
});

test('a writer that cannot start fails its jobs and nothing else', async (t) => {
  const { service, dataDir } = await startService(t);
  const store = openSqlite({
    file: databaseFile(dataDir),
    keys: firstBundle(new Uint8Array(32)),
    patience: 100,
    shared: false,
    writer: () => new URL('https://example.com/writer.ts'),
  });
  const job = {
    name: 'touch-api-keys',
    input: [],
    actor: SYSTEM,
    now: service.clock() as never,
    guarded: false,
  };
  for (const end of await Promise.allSettled([store.run(job), store.run(job)]))
    assert.equal(end.status, 'rejected');
  assert.ok(await store.ready());
  await store.close();
});
