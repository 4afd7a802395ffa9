import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { ROLES } from '../../../src/domain/user.ts';
import { signedIn } from '../../support/console/console.ts';
import { numberOf, rowsOf } from '../../support/engine.ts';
import { newName, type Record_ } from '../../support/http/api.ts';
import { toldBy } from '../../support/http/lines.ts';
import { startService } from '../../support/service.ts';
import { until } from '../../support/until.ts';

const api = await startService({ after });
const manager = await signedIn(api, 'manager');
const json = (body: unknown): RequestInit => ({
  method: 'POST',
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json' },
});
const TEMPLATE = { charset: 'ABCDEF0123456789', chunks: 4, chunk_length: 5, separator: '-' };
const count = (table: string): Promise<number> => numberOf(api.dataDir, `select count(*) from ${table}`);
const create = (values: object = {}): Promise<Record_> =>
  manager.ok('POST', '/generators', { name: newName(), ...TEMPLATE, ...values });

suite('permissions by role', () => {
  for (const role of ROLES) {
    test(role, async () => {
      const client = await signedIn(api, role);
      const { id } = await create();
      const mayWrite = role === 'owner' || role === 'manager';
      const expected = mayWrite ? 200 : 403;
      const fields = { name: newName(), ...TEMPLATE };
      assert.equal((await client.get('/generators')).status, 200);
      assert.equal((await client.get(`/generators/${id}`)).status, 200);
      assert.equal((await client.post('/generators/preview', TEMPLATE)).status, 200);
      const made = await client.post('/generators', fields);
      assert.equal(made.status, expected);
      assert.equal((await client.patch(`/generators/${id}`, { name: 'Other' })).status, expected);
      assert.equal((await client.post(`/generators/${id}/generate`, { amount: 1 })).status, expected);
      assert.equal((await client.delete(`/generators/${id}`)).status, expected);
      const still = await client.get(`/generators/${id}`);
      if (mayWrite) return assert.equal(still.status, 404);
      assert.deepEqual([still.status, made.body.code], [200, 'permission_denied']);
      assert.notEqual(still.body.name, 'Other');
    });
  }
});

test('a generator is created, read, changed, listed and deleted, and the audit trail names the user', async () => {
  const made = await create({ prefix: 'P-', expires_in: 365, activations_limit: 3 });
  assert.deepEqual(
    [made.prefix, made.suffix, made.expires_in, made.activations_limit, made.updated_at],
    ['P-', null, 365, 3, null],
  );
  const changed = await manager.ok('PATCH', `/generators/${made.id}`, { prefix: null, chunks: 3 });
  assert.deepEqual([changed.prefix, changed.chunks, changed.expires_in], [null, 3, 365]);
  assert.deepEqual(await manager.ok('GET', `/generators/${made.id}`), changed);
  const newest = await manager.ok('GET', '/generators?limit=1');
  assert.deepEqual([newest.items, newest.next === null], [[changed], newest.total === 1]);
  const next = await manager.ok('GET', `/generators?limit=200&before=${made.id}`);
  assert.equal(next.items.length, newest.total - 1);
  await manager.ok('DELETE', `/generators/${made.id}`);
  const trail = await rowsOf(
    api.dataDir,
    `select action, via, user_id, subject_id from audit_entries where subject_type = 'generator' order by id desc limit 3`,
  );
  assert.deepEqual(
    trail.map(({ action, via, user_id, subject_id }) => [action, via, Number(user_id), Number(subject_id)]),
    ['delete', 'update', 'create'].map((what) => [`generator.${what}`, 'console', manager.user.id, made.id]),
  );
});

test('the answer names each invalid field, and no generator is created', async () => {
  const before = await count('generators');
  const { status, body } = await manager.post('/generators', { name: '', chunks: 101, chunk_length: 'x' });
  assert.equal(status, 422);
  assert.deepEqual(Object.keys(body.data.params).sort(), ['charset', 'chunk_length', 'chunks', 'name']);
  const long = await manager.post('/generators/preview', { ...TEMPLATE, chunks: 100, chunk_length: 3 });
  assert.deepEqual([long.status, Object.keys(long.body.data.params)], [422, ['chunk_length']]);
  assert.equal(await count('generators'), before);
});

suite('the key preview', () => {
  const preview = (values: object): Promise<Record_> =>
    manager.ok('POST', '/generators/preview', { ...TEMPLATE, ...values });
  const kinds = ({ warnings }: Record_): string[] => warnings.map(({ kind }: Record_) => kind);

  test('shows keys that the generator could create, and the exact number of possible keys', async () => {
    const { examples, possible, entropy_bits, warnings } = await preview({ prefix: 'A:', suffix: '!' });
    assert.equal(new Set(examples).size, 5);
    for (const key of examples) assert.match(key, /^A:([A-F0-9]{5}-){3}[A-F0-9]{5}!$/);
    assert.deepEqual([possible, entropy_bits, warnings], [String(16n ** 20n), 80, []]);
    const largest = await preview({ charset: 'ABC', chunks: 85, chunk_length: 3, separator: '' });
    assert.equal(largest.possible, String(3n ** 255n));
  });
  test('shows every key of a small generator, and counts a repeated character once', async () => {
    const few = await preview({ charset: 'ABBA', chunks: 1, chunk_length: 2 });
    assert.deepEqual([few.examples.sort(), few.possible], [['AA', 'AB', 'BA', 'BB'], '4']);
    assert.deepEqual(few.warnings, [
      { kind: 'repeated', characters: 'AB' },
      { kind: 'guessable', characters: '' },
    ]);
  });
  test('warns of look-alikes, white space and guessable keys', async () => {
    const alike = await preview({ charset: '0123456789OIl' });
    assert.deepEqual(alike.warnings, [
      { kind: 'look_alikes', characters: '0O' },
      { kind: 'look_alikes', characters: '1Il' },
    ]);
    assert.deepEqual(kinds(await preview({ separator: ' ' })), ['white_space']);
    assert.deepEqual(kinds(await preview({ chunks: 3 })), []);
    assert.deepEqual(kinds(await preview({ chunks: 7, chunk_length: 2 })), ['guessable']);
  });
  test('stores nothing', async () => {
    const before = [await count('licenses'), await count('staged_licenses'), await count('generators')];
    await preview({});
    const now = [await count('licenses'), await count('staged_licenses'), await count('generators')];
    assert.deepEqual(now, before);
  });
});

suite('generating', () => {
  test('saves 5,000 licenses and reports progress', async () => {
    const { id } = await create({ expires_in: 10, activations_limit: 2 });
    const before = await count('licenses');
    const asked = {
      amount: 5_000,
      save: true,
      product_id: 77,
      order_id: 8,
      status: 'delivered',
      customer_email: 'a@b.example',
    };
    const { progress, result } = await toldBy(await manager.fetch(`/generators/${id}/generate`, json(asked)));
    assert.ok(progress.length > 0);
    let last = 0;
    for (const { done, total } of progress) {
      assert.ok(done > last && done <= 5_000 && total === 5_000);
      last = done;
    }
    assert.deepEqual([result.count, result.saved, new Set(result.keys).size], [5_000, true, 5_000]);
    assert.equal((await count('licenses')) - before, 5_000);
    const license = await api.service.store.read.licenses.find({ key: result.keys[4_321] });
    assert.deepEqual(
      [license?.productId, license?.orderId, license?.customerEmail, license?.status],
      [77, 8, 'a@b.example', 2],
    );
    assert.deepEqual([license?.activationsLimit, license?.validFor], [2, 10]);
    assert.deepEqual([license?.source, license?.createdBy], [1, manager.user.id]);
  });
  test('a repeated request with its Idempotency-Key saves nothing and gets the same keys', async () => {
    const { id } = await create();
    // These licenses have the same user and the same second.
    await toldBy(await manager.fetch(`/generators/${id}/generate`, json({ amount: 50, save: true })));
    const before = await count('licenses');
    const ask = async () => {
      const init = json({ amount: 2_010, save: true });
      const headers = { ...init.headers, 'idempotency-key': `generate-${id}` };
      return (await toldBy(await manager.fetch(`/generators/${id}/generate`, { ...init, headers }))).result;
    };
    const first = await ask();
    await api.license();
    assert.deepEqual(await ask(), first);
    assert.equal((await count('licenses')) - before, 2_011);
    assert.equal(await count('staged_licenses'), 0);
    const made = async () => {
      const init = json({ name: 'Once', ...TEMPLATE });
      const headers = { ...init.headers, 'idempotency-key': `create-${id}` };
      return (await manager.fetch('/generators', { ...init, headers })).json();
    };
    assert.deepEqual(await made(), await made());
  });
  test('stores nothing without `save`', async () => {
    const { id } = await create();
    const before = await count('licenses');
    const { result } = await toldBy(await manager.fetch(`/generators/${id}/generate`, json({ amount: 3 })));
    assert.deepEqual([result.keys.length, result.saved], [3, false]);
    assert.equal(await count('licenses'), before);
  });
  test('refuses an amount above the maximum and an unknown generator', async () => {
    const { id } = await create();
    const before = await count('licenses');
    const generate = (generator: number, body: object) =>
      manager.post(`/generators/${generator}/generate`, body);
    const over = await generate(id, { amount: 100_001 });
    assert.deepEqual([over.status, Object.keys(over.body.data.params)], [422, ['amount']]);
    assert.equal((await generate(999_999, { amount: 1 })).status, 404);
    assert.deepEqual([await count('licenses'), await count('staged_licenses')], [before, 0]);
  });
  test('ends with an error line if the keys run out after progress was reported', async () => {
    const { id } = await create({ charset: '0123456789', chunks: 1, chunk_length: 4 });
    const response = await manager.fetch(`/generators/${id}/generate`, json({ amount: 10_001, save: true }));
    const { progress, error } = await toldBy(response);
    assert.ok(progress.length > 0);
    assert.deepEqual(
      [error.code, error.data.status, Object.keys(error.data.params)],
      ['data_error', 422, ['amount']],
    );
    assert.equal(await count('staged_licenses'), 0);
  });
  test('is interrupted and saves nothing if the server stops', async (t) => {
    const stopped = await startService(t);
    const manager = await signedIn(stopped, 'manager');
    const { id } = await manager.ok('POST', '/generators', { name: newName(), ...TEMPLATE });
    const asked = json({ amount: 100_000, save: true });
    const response = await manager.fetch(`/generators/${id}/generate`, asked);
    const [{ error }] = await Promise.all([toldBy(response), stopped.stop()]);
    assert.deepEqual([error.code, error.data.status], ['server_error', 503]);
  });
  test('saves nothing if the client disconnects before the end', async () => {
    const { id } = await create();
    const before = await count('licenses');
    const gone = new AbortController();
    const asked = { ...json({ amount: 100_000, save: true }), signal: gone.signal };
    const response = await manager.fetch(`/generators/${id}/generate`, asked);
    gone.abort();
    await assert.rejects(response.text());
    await until(async () => (await count('staged_licenses')) === 0);
    assert.equal(await count('licenses'), before);
  });
});
