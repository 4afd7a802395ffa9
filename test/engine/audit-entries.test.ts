import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, suite, test } from 'node:test';
import { generateKeys } from '../../src/app/batches/generate-keys.ts';
import { ACTIVATION_SOURCE } from '../../src/domain/activation.ts';
import { actor, audited } from '../support/audited/audited.ts';
import { ENGINE, numberOf, rowsOf, runSql, storedBytes } from '../support/engine.ts';
import { newKey, type Record_ } from '../support/http/api.ts';
import { startService } from '../support/service.ts';

const api = await startService({ after });
const { execute } = api.service;
const { entriesOf, must, newGenerator, newApiKey } = audited(api);

suite('an entry', () => {
  test('of a create or a delete holds the whole record, with its key masked', async () => {
    const key = newKey();
    const [created] = await entriesOf(() => api.license({ license_key: key, product_id: 7 }));
    const record = {
      license_key: `…${key.slice(-4)}`,
      order_id: null,
      product_id: 7,
      user_id: null,
      customer_email: null,
      expires_at: null,
      valid_for: 0,
      source: 3,
      status: 3,
      activations_limit: 2,
      seat_ttl: 0,
      reclaim_after_days: 0,
      match: 'fingerprint',
      borrow_max_hours: 0,
      takeovers_per_month: 0,
      entitlements: [],
      lease_refresh_hours: 24,
      lease_days: 14,
      lease_grace_days: 7,
      offline_lease_days: 90,
    };
    const { created_at, created_by, ...rest } = (created?.details.after ?? {}) as Record_;
    assert.deepEqual([rest, created_by, created?.details.before], [record, 1, undefined]);
    assert.equal(created_at, created?.at);
    const [deleted] = await entriesOf(() => api.ok('DELETE', `/licenses/${key}`));
    assert.deepEqual(deleted?.details, { before: created?.details.after });
    assert.deepEqual(deleted?.subject, created?.subject);
    for (const bytes of await storedBytes(api.dataDir)) assert.ok(!bytes.includes(key));
  });
  test('of an update holds the changed fields, before and after', async () => {
    const { license_key: key } = await api.license({ status: 3, product_id: 7 });
    const json = {
      status: 5,
      product_id: 7,
      activations_limit: 9,
      expires_at: '2031-02-03',
      seat_ttl: 600,
      match: 'fingerprint',
      lease_days: 14,
      entitlements: ['pro'],
    };
    const [entry] = await entriesOf(() => api.ok('PUT', `/licenses/${key}`, { json }));
    assert.deepEqual(entry?.details, {
      before: { expires_at: null, status: 3, activations_limit: 2, seat_ttl: 0, entitlements: [] },
      after: {
        expires_at: '2031-02-03 00:00:00',
        status: 5,
        activations_limit: 9,
        seat_ttl: 600,
        entitlements: ['pro'],
      },
    });
  });
  test('shows that a key was changed, even if both masked keys look the same', async () => {
    const [one, other] = ['short', 'brief'];
    await api.license({ license_key: one });
    const [entry] = await entriesOf(() =>
      api.ok('PUT', `/licenses/${one}`, { json: { license_key: other } }),
    );
    assert.deepEqual(entry?.details, { before: { license_key: '…' }, after: { license_key: '…' } });
  });
  test('is not written by an update that changes no value or sends none', async () => {
    const { license_key: key } = await api.license({ order_id: 5 });
    const { id: software } = await api.software({ name: 'Same', product_ids: [1, 2] });
    const entries = await entriesOf(async () => {
      await api.ok('PUT', `/licenses/${key}`, { json: { order_id: 5 } });
      await api.ok('PUT', `/licenses/${key}`, { json: {} });
      await api.ok('PUT', `/software/${software}`, { json: { name: 'Same', product_ids: [1, 2] } });
    });
    assert.deepEqual(entries, []);
  });
  test('is not written by a refused command, nor by one that changes nothing', async () => {
    const { license_key: key } = await api.license();
    const { id: revoked } = { id: Number(await must(newApiKey())) };
    await must(execute('revoke-api-key', { id: revoked }, actor));
    const entries = await entriesOf(async () => {
      const json = { license_key: key, valid_for: 0, status: 3, activations_limit: 1 };
      await api.fails(409, 'data_error', 'POST', '/licenses', { json });
      const { license_key: other } = await api.license();
      await api.fails(409, 'data_error', 'PUT', `/licenses/${other}`, { json: { license_key: key } });
      await api.fails(404, 'data_error', 'DELETE', `/licenses/${newKey()}`);
      assert.equal((await execute('revoke-api-key', { id: revoked }, actor)).ok, false);
    });
    assert.deepEqual(
      entries.map(({ action }) => action),
      ['license.create'],
    );
  });
  test('is not written by activations, deactivations and validations', async () => {
    const { license_key: key } = await api.license();
    const entries = await entriesOf(async () => {
      const { token } = await api.activation(key);
      await api.ok('GET', `/licenses/validate/${token}`);
      await api.ok('GET', `/licenses/deactivate/${token}`);
    });
    assert.deepEqual(entries, []);
  });
  test('is written if a program takes the seat of another device', async () => {
    const policy = { activations_limit: 1, takeovers_per_month: 1 };
    const { license_key: key, id: license } = await api.license(policy);
    const old = await api.activation(key, { label: 'Old' });
    const take = {
      named: key,
      token: null,
      software: null,
      label: 'New',
      meta: null,
      source: ACTIVATION_SOURCE.api,
      ipAddress: null,
      userAgent: null,
      takeover: true,
    };
    const program = { ...actor, userId: 0, apiKeyId: null };
    const entries = await entriesOf(() => must(execute('activate-license', take, program)));
    assert.deepEqual(
      entries.map(({ action, subject, details, userId }) => ({ action, subject, details, userId })),
      [
        {
          action: 'activation.deactivate',
          subject: { type: 'license', id: license },
          details: { about: { activation_id: old.id, label: 'Old', ended_as: 'taken_over' } },
          userId: 0,
        },
      ],
    );
  });
  test('is a single one for all licenses of one generation', async () => {
    const generator = await must(newGenerator());
    const input = { amount: 20, save: true, status: null, orderId: null, productId: null, userId: null };
    const entries = await entriesOf(() =>
      must(generateKeys(api.service, { named: String(generator.id), input, source: 3 }, actor)),
    );
    assert.deepEqual(
      entries.map(({ action, subject, details }) => ({ action, subject, details })),
      [
        {
          action: 'license.generate',
          subject: { type: 'license', id: null },
          details: { about: { created: 20, source: 3, generator_id: generator.id } },
        },
      ],
    );
  });
  test('cuts a long text, and does not show where a release file is stored', async () => {
    const { id: software } = await api.software();
    const changelog = 'y'.repeat(2_000);
    const [entry] = await entriesOf(() => api.release(software, { changelog }));
    const after = entry?.details.after as Record_;
    assert.equal(after.changelog, `${'y'.repeat(200)}… (2000 characters)`);
    assert.deepEqual(Object.keys(after.file), ['name', 'type', 'size', 'sha256']);
  });
  test('of an API key shows nothing of its secret; a secret replaced through the settings is recorded', async () => {
    const configured = { keyHash: randomBytes(32), keyEnding: '7654321', secretHash: randomBytes(32) };
    const [made] = await entriesOf(() => execute('set-up', { first: null, configured }, actor));
    assert.deepEqual(Object.keys(made?.details.after ?? {}), [
      ...['user_id', 'description', 'key_ending', 'permission', 'endpoints', 'products'],
      ...['compatibility', 'lmfwc_version', 'expires_at'],
    ]);
    assert.deepEqual(await entriesOf(() => execute('set-up', { first: null, configured }, actor)), []);
    const other = { ...configured, secretHash: randomBytes(32) };
    const entries = await entriesOf(() => execute('set-up', { first: null, configured: other }, actor));
    assert.deepEqual(
      entries.map(({ action, subject, details }) => [action, subject, details]),
      [['api_key.replace_secret', made?.subject, {}]],
    );
  });
  test('shows the value before, even if many requests change it concurrently', async () => {
    const { license_key: key, id: license } = await api.license({ activations_limit: 1_000 });
    const limits = Array.from({ length: 12 }, (_, i) => 2_000 + i);
    const entries = await entriesOf(() =>
      Promise.all(
        limits.map((limit) => api.ok('PUT', `/licenses/${key}`, { json: { activations_limit: limit } })),
      ),
    );
    const steps = new Map(
      entries.map(({ details }) => [details.before?.activations_limit, details.after?.activations_limit]),
    );
    // The changes form a chain from the first value to the current one.
    let limit: unknown = 1_000;
    for (let i = 0; i < limits.length; i++) limit = steps.get(limit);
    assert.equal(
      limit,
      await numberOf(api.dataDir, `select activations_limit from licenses where id = ${license}`),
    );
  });
});

suite('the database', () => {
  for (const table of ['audit_entries', 'audit_chain']) {
    const column = table === 'audit_entries' ? 'action' : 'position';
    const statements = [`update ${table} set ${column} = ${column}`, `delete from ${table}`];
    if (ENGINE === 'postgres') statements.push(`truncate ${table}`);
    for (const statement of statements) {
      test(`refuses: ${statement}`, async () => {
        await api.license();
        await execute('chain-audit-entries', { reach: 1_000 }, actor);
        const before = await rowsOf(api.dataDir, `select count(*) from ${table}`);
        await assert.rejects(runSql(api.dataDir, statement), /append-only/);
        assert.deepEqual(await rowsOf(api.dataDir, `select count(*) from ${table}`), before);
      });
    }
  }
});
