import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, suite, test } from 'node:test';
import { commands, UNAUDITED } from '../../src/app/commands.ts';
import { generateKeys } from '../../src/app/generate-keys.ts';
import { beginLicenseBatch } from '../../src/app/license-batch.ts';
import type { Actor } from '../../src/domain/actor.ts';
import type { AuditEntry } from '../../src/domain/audit.ts';
import { newKey, type Record_ } from '../support/api.ts';
import { ENGINE, numberOf, rowsOf, runSql, storedBytes } from '../support/engine.ts';
import { startService } from '../support/service.ts';

const api = await startService({ after });
const { execute, store } = api.service;
const actor: Actor = { userId: 1, via: 'api', apiKeyId: 1, origin: '192.0.2.7', products: null };
const NO_FILTER = { action: null, subject: null, apiKeyId: null, userId: null, from: null, to: null };
const LAST = Number.MAX_SAFE_INTEGER;

const lastId = async () => (await store.read.audit.timeAt(LAST))?.id ?? 0;
/** Entries of what is done, oldest first. */
async function entriesOf(change: () => Promise<unknown>): Promise<AuditEntry[]> {
  const above = await lastId();
  await change();
  return (await store.read.audit.list(NO_FILTER, { above, upTo: LAST, limit: 100 })).reverse();
}
const must = async (outcome: Promise<unknown>): Promise<Record_> => {
  const found = (await outcome) as Record_;
  if (found?.ok === false) assert.fail(JSON.stringify(found.refusal));
  return found?.ok === true ? found.value : found;
};
const newLicense = () =>
  execute(
    'create-license',
    {
      licenseKey: newKey(),
      ...{ validFor: 0, status: 3, activationsLimit: 2, source: 3 },
      ...{ orderId: null, productId: null, userId: null, expiresAt: null },
    },
    actor,
  );
const newGenerator = () =>
  execute(
    'create-generator',
    {
      ...{ name: 'g', charset: 'ABCDEFGH', chunks: 3, chunkLength: 5, separator: '-' },
      ...{ prefix: null, suffix: null, activationsLimit: 1, expiresIn: 0 },
    },
    actor,
  );
const newSoftware = () =>
  execute(
    'create-software',
    {
      ...{ name: 'Acme', slug: newKey().toLowerCase(), type: null, url: null, productIds: [7], access: null },
      ...{ tested: null, requires: null, requiresPhp: null, icons: null, banners: null },
    },
    actor,
  );
const newRelease = (softwareId: number) =>
  execute(
    'create-release',
    {
      software: String(softwareId),
      input: {
        ...{ version: '1.0.0', channel: null, status: 'draft', changelog: 'x'.repeat(1_000) },
        ...{ upgradeNotice: null, rollout: null },
      },
      file: null,
    },
    actor,
  );
const newApiKey = () =>
  execute(
    'create-api-key',
    {
      ...{ userId: 1, description: 'd', keyEnding: 'abcdefg', permission: 'read', endpoints: null },
      ...{ products: null, expiresAt: null, keyHash: randomBytes(32), secretHash: randomBytes(32) },
    },
    actor,
  );
const id = async (made: Promise<unknown>) => String((await must(made)).id);
const releaseOf = async () => {
  const software = await id(newSoftware());
  const { release } = await must(newRelease(Number(software)));
  return { software, release: String(release.id) };
};

/** How each command makes a change, and the actions that it is to leave. */
const changes: Record<string, [actions: string[], prepare: () => Promise<() => Promise<unknown>>]> = {
  'commit-staged-licenses': [
    ['license.import'],
    async () => {
      const batch = beginLicenseBatch(store.read, execute, actor);
      const row = {
        orderId: null,
        productId: null,
        userId: null,
        expiresAt: null,
        validFor: 0,
        status: 3,
        activationsLimit: 0,
      };
      await batch.add([
        { ...row, row: 1, key: newKey() },
        { ...row, row: 2, key: newKey() },
      ]);
      return () => batch.commit({ source: 2, generatorId: null, skipConflicts: false });
    },
  ],
  'create-api-key': [['api_key.create'], async () => newApiKey],
  'create-generator': [['generator.create'], async () => newGenerator],
  'create-license': [['license.create'], async () => newLicense],
  'create-release': [
    ['release.create'],
    async () => {
      const software = Number(await id(newSoftware()));
      return () => newRelease(software);
    },
  ],
  'create-software': [['software.create'], async () => newSoftware],
  'delete-generator': [
    ['generator.delete'],
    async () => {
      const named = await id(newGenerator());
      return () => execute('delete-generator', { named }, actor);
    },
  ],
  'delete-license': [
    ['license.delete'],
    async () => {
      const { key } = await must(newLicense());
      return () => execute('delete-license', { named: key }, actor);
    },
  ],
  'delete-release': [
    ['release.delete'],
    async () => {
      const named = await releaseOf();
      return () => execute('delete-release', { named }, actor);
    },
  ],
  'delete-software': [
    ['software.delete'],
    async () => {
      const named = await id(newSoftware());
      return () => execute('delete-software', { named }, actor);
    },
  ],
  'revoke-api-key': [
    ['api_key.revoke'],
    async () => {
      const made = await must(newApiKey());
      return () => execute('revoke-api-key', { id: Number(made) }, actor);
    },
  ],
  'begin-master-key-rotation': [
    ['master_key.rotate'],
    async () => {
      const { fingerprint } = await store.read.masterKey.state();
      const rotation = { from: fingerprint, to: 'new', keyId: '00000000', bundles: {}, temporary: [] };
      return () => execute('begin-master-key-rotation', rotation, actor);
    },
  ],
  'finish-master-key-rotation': [
    ['master_key.retire'],
    async () => {
      const { fingerprint } = await store.read.masterKey.state();
      await execute('switch-master-key', { to: 'new' }, actor);
      return async () => {
        await execute('finish-master-key-rotation', { to: 'new' }, actor);
        // Nobody has that key.
        await runSql(
          api.dataDir,
          `update meta set value = '${fingerprint}' where name = 'master_key_fingerprint';
           delete from meta where name = 'master_keys_retired'`,
        );
      };
    },
  ],
  'rotate-api-key': [
    ['api_key.create', 'api_key.rotate'],
    async () => {
      const made = await must(newApiKey());
      const hashed = { keyHash: randomBytes(32), keyEnding: '1234567', secretHash: randomBytes(32) };
      const endsAt = '2999-01-01 00:00:00';
      return () => execute('rotate-api-key', { id: Number(made), ...hashed, endsAt }, actor);
    },
  ],
  'set-up': [
    ['api_key.create'],
    async () => {
      const configured = { keyHash: randomBytes(32), keyEnding: '1234567', secretHash: randomBytes(32) };
      return () => execute('set-up', { first: null, configured }, actor);
    },
  ],
  'update-generator': [
    ['generator.update'],
    async () => {
      const named = await id(newGenerator());
      return () => execute('update-generator', { named, changes: { name: 'other' } }, actor);
    },
  ],
  'update-license': [
    ['license.update'],
    async () => {
      const { key } = await must(newLicense());
      return () => execute('update-license', { named: key, changes: { status: 5 } }, actor);
    },
  ],
  'update-release': [
    ['release.update'],
    async () => {
      const named = await releaseOf();
      return () => execute('update-release', { named, changes: { channel: 'beta' }, file: null }, actor);
    },
  ],
  'update-software': [
    ['software.update'],
    async () => {
      const named = await id(newSoftware());
      return () => execute('update-software', { named, changes: { name: 'Other' } }, actor);
    },
  ],
};

suite('every command', () => {
  for (const name of Object.keys(commands)) {
    if (name in UNAUDITED) continue;
    test(`${name} leaves an entry: who, when, from where`, async () => {
      const [actions, prepare] = changes[name] ?? assert.fail('neither audited here nor in UNAUDITED');
      const change = await prepare();
      const entries = await entriesOf(() => must(change()));
      assert.deepEqual(
        entries.map(({ action }) => action),
        actions,
      );
      for (const { at, userId, via, apiKeyId, origin } of entries) {
        assert.deepEqual(
          { userId, via, apiKeyId, origin },
          { userId: 1, via: 'api', apiKeyId: 1, origin: '192.0.2.7' },
        );
        assert.ok(Math.abs(Date.parse(`${at}Z`) - Date.now()) < 60_000);
      }
    });
  }
  test('what is not audited has a reason, and is a command', () => {
    for (const [name, reason] of Object.entries(UNAUDITED)) assert.ok(name in commands && reason !== '');
  });
});

suite('an entry', () => {
  test('of a create and of a delete holds the whole record, its key masked', async () => {
    const key = newKey();
    const [created] = await entriesOf(() => api.license({ license_key: key, product_id: 7 }));
    const record = {
      license_key: `…${key.slice(-4)}`,
      ...{ order_id: null, product_id: 7, user_id: null, expires_at: null, valid_for: 0 },
      ...{ source: 3, status: 3, activations_limit: 2 },
    };
    const { created_at, created_by, ...rest } = (created?.details.after ?? {}) as Record_;
    assert.deepEqual([rest, created_by, created?.details.before], [record, 1, undefined]);
    assert.equal(created_at, created?.at);
    const [deleted] = await entriesOf(() => api.ok('DELETE', `/licenses/${key}`));
    assert.deepEqual(deleted?.details, { before: created?.details.after });
    assert.deepEqual(deleted?.subject, created?.subject);
    for (const bytes of await storedBytes(api.dataDir)) assert.ok(!bytes.includes(key));
  });
  test('of an update holds what differs, before and after', async () => {
    const { license_key: key } = await api.license({ status: 3, product_id: 7 });
    const json = { status: 5, product_id: 7, activations_limit: 9, expires_at: '2031-02-03' };
    const [entry] = await entriesOf(() => api.ok('PUT', `/licenses/${key}`, { json }));
    assert.deepEqual(entry?.details, {
      before: { expires_at: null, status: 3, activations_limit: 2 },
      after: { expires_at: '2031-02-03 00:00:00', status: 5, activations_limit: 9 },
    });
  });
  test('shows that a key was changed, though both look the same', async () => {
    const [one, other] = ['short', 'brief'];
    await api.license({ license_key: one });
    const [entry] = await entriesOf(() =>
      api.ok('PUT', `/licenses/${one}`, { json: { license_key: other } }),
    );
    assert.deepEqual(entry?.details, { before: { license_key: '…' }, after: { license_key: '…' } });
  });
  test('is not left by an update that changes no value, nor by one that sends none', async () => {
    const { license_key: key } = await api.license({ order_id: 5 });
    const { id: software } = await api.software({ name: 'Same', product_ids: [1, 2] });
    const entries = await entriesOf(async () => {
      await api.ok('PUT', `/licenses/${key}`, { json: { order_id: 5 } });
      await api.ok('PUT', `/licenses/${key}`, { json: {} });
      await api.ok('PUT', `/software/${software}`, { json: { name: 'Same', product_ids: [1, 2] } });
    });
    assert.deepEqual(entries, []);
  });
  test('is not left by what is refused, nor by what changes nothing', async () => {
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
  test('is not left by activations, deactivations and validations', async () => {
    const { license_key: key } = await api.license();
    const entries = await entriesOf(async () => {
      const { token } = await api.activation(key);
      await api.ok('GET', `/licenses/validate/${token}`);
      await api.ok('GET', `/licenses/deactivate/${token}`);
    });
    assert.deepEqual(entries, []);
  });
  test('is one for all licenses that are generated at once', async () => {
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
  test('cuts a long text, and does not say where the bytes of a release are', async () => {
    const { id: software } = await api.software();
    const changelog = 'y'.repeat(2_000);
    const [entry] = await entriesOf(() => api.release(software, { changelog }));
    const after = entry?.details.after as Record_;
    assert.equal(after.changelog, `${'y'.repeat(200)}… (2000 characters)`);
    assert.deepEqual(Object.keys(after.file), ['name', 'type', 'size', 'sha256']);
  });
  test('of an API key tells nothing of its secret; a secret replaced by the settings shows', async () => {
    const configured = { keyHash: randomBytes(32), keyEnding: '7654321', secretHash: randomBytes(32) };
    const [made] = await entriesOf(() => execute('set-up', { first: null, configured }, actor));
    assert.deepEqual(Object.keys(made?.details.after ?? {}), [
      ...['user_id', 'description', 'key_ending', 'permission', 'endpoints', 'products', 'expires_at'],
    ]);
    assert.deepEqual(await entriesOf(() => execute('set-up', { first: null, configured }, actor)), []);
    const other = { ...configured, secretHash: randomBytes(32) };
    const entries = await entriesOf(() => execute('set-up', { first: null, configured: other }, actor));
    assert.deepEqual(
      entries.map(({ action, subject, details }) => [action, subject, details]),
      [['api_key.replace_secret', made?.subject, {}]],
    );
  });
  test('tells what was there before, though many change the same at once', async () => {
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
    // From the first value to the present one, each step from where the one before it led to.
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
