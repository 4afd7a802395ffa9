import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { CLIENT_PRESET } from '../../src/domain/api-key.ts';
import { type Api, newKey, type Record_ } from '../support/http/api.ts';
import { withApiKey } from '../support/http/api-keys.ts';
import { resolved } from '../support/http/document.ts';
import { startService } from '../support/service.ts';

const api = await startService({ after });

/** Returns all pages of a list by following its `next` links. */
async function walk(path: string): Promise<Record_[][]> {
  const pages: Record_[][] = [];
  for (let next: string | null = path; next !== null; ) {
    const { status, body, headers } = await api.call('GET', next);
    assert.equal(status, 200, JSON.stringify(body));
    pages.push(body.data);
    const link = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
    assert.doesNotMatch(link ?? '', /consumer/);
    next = link ? link.slice(api.root.length) : null;
  }
  return pages;
}
const listed = (query: Record<string, unknown>) => api.ok('GET', '/audit', { query });
const ids = (entries: Record_[]) => entries.map(({ id }) => id);

test('an entry for an API change names the user, the API key, the address and the change', async () => {
  const key = newKey();
  const { id } = await api.license({ license_key: key, product_id: 7 });
  const [entry] = await listed({ subject: `license:${id}` });
  const { id: entryId, at, after: record, ...rest } = entry;
  assert.deepEqual(rest, {
    action: 'license.create',
    user_id: 1,
    via: 'api',
    api_key_id: 1,
    origin: '127.0.0.1',
    subject_type: 'license',
    subject_id: id,
    before: null,
    about: null,
  });
  assert.ok(entryId > 0);
  assert.match(at, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  assert.equal(record.license_key, `…${key.slice(-4)}`);
});

test('the client behind a trusted proxy is named, and nobody else', async (t) => {
  const headers = { 'X-Forwarded-For': '203.0.113.9' };
  const originOf = async (service: Api) => {
    const json = { license_key: newKey(), valid_for: 0, status: 3, activations_limit: 1 };
    const { id } = await service.ok('POST', '/licenses', { json, headers });
    // The code below creates licenses concurrently.
    const entries: Record_[] = await service.ok('GET', '/audit', { query: { action: 'license.create' } });
    return entries.find(({ subject_id }) => subject_id === id)?.origin;
  };
  assert.equal(await originOf(api), '127.0.0.1');
  const behind = await startService(t, { server: { trustProxy: '127.0.0.1' } });
  assert.equal(await originOf(behind), '203.0.113.9');
  const anybody = await startService(t, { server: { trustProxy: true } });
  headers['X-Forwarded-For'] = 'x'.repeat(5_000);
  assert.equal(await originOf(anybody), '127.0.0.1');
});

test('changes made by GET name the address', async (t) => {
  let now = Date.parse('2031-05-01T12:00:00Z');
  const service = await startService(t, { clock: () => now });
  const { id, license_key: key } = await service.license({ activations_limit: 1, reclaim_after_days: 1 });
  await service.activation(key, { fingerprint: 'a' });
  now += 2 * 86_400_000;
  const { token: activation_token } = await service.activation(key, { fingerprint: 'b' });
  await service.call('GET', `/licenses/${key}/file`);
  // Programs may get the file of their own device at any time, so it is not recorded.
  assert.equal(
    (await service.call('GET', `/licenses/${key}/file`, { query: { activation_token } })).status,
    200,
  );
  const entries: Record_[] = await service.ok('GET', '/audit', { query: { subject: `license:${id}` } });
  assert.deepEqual(
    entries.map(({ action, origin }) => [action, origin]),
    ['license.lease', 'activation.deactivate', 'license.create'].map((action) => [action, '127.0.0.1']),
  );
});

const made: Record_[] = [];
for (let i = 0; i < 7; i++) made.push(await api.license({ order_id: i }));
const generator = await api.generator();
await api.ok('PUT', `/generators/${generator.id}`, { json: { name: 'Other' } });
const writer = await withApiKey(api, {});
const { id: byWriter } = await writer.license();
const all = (await walk('/audit?per_page=1000')).flat();

suite('the list', () => {
  test('is newest first, and its `next` links lead through all entries', async () => {
    assert.deepEqual(
      ids(all),
      ids(all).toSorted((a, b) => b - a),
    );
    for (const size of [1, 3, 1000]) {
      const pages = await walk(`/audit?per_page=${size}&to=${encodeURIComponent(all[0].at)}`);
      assert.deepEqual(
        pages.flat().filter(({ id }) => id <= all[0].id),
        all,
      );
      assert.ok(pages.slice(0, -1).every((page) => page.length === size));
    }
  });
  for (const [what, query, matches] of [
    ['action', () => ({ action: 'generator.update' }), ({ action }) => action === 'generator.update'],
    [
      'actions',
      () => ({ 'action[]': 'generator.create', action: 'generator.create' }),
      ({ action }) => action === 'generator.create',
    ],
    [
      'subject',
      () => ({ subject: `license:${made[3].id}` }),
      ({ subject_type, subject_id }) => subject_type === 'license' && subject_id === made[3].id,
    ],
    ['API key', () => ({ api_key_id: 1 }), ({ api_key_id }) => api_key_id === 1],
    ['user', () => ({ user_id: 1 }), ({ user_id }) => user_id === 1],
    ['another user', () => ({ user_id: 2 }), () => false],
    ['from', () => ({ from: '2020-01-01' }), () => true],
    ['a from in the future', () => ({ from: '2999-01-01' }), () => false],
    ['to', () => ({ to: '2020-01-01' }), () => false],
    [
      'several parameters',
      () => ({ action: 'license.create', subject: `license:${byWriter}`, from: '2020-01-01' }),
      ({ subject_id, action }) => subject_id === byWriter && action === 'license.create',
    ],
  ] as [string, () => Record<string, unknown>, (entry: Record_) => boolean][]) {
    test(`filters by ${what}`, async () => {
      const found = (await listed({ ...query(), per_page: 1000 })).filter(
        ({ id }: Record_) => id <= all[0].id,
      );
      assert.deepEqual(found, all.filter(matches));
    });
  }
  test('ends at the start of the day of a `to` without a time, as the API document says', async () => {
    const day = all[0].at.slice(0, 10);
    const until = all.filter(({ at }) => at <= `${day} 00:00:00`);
    const found = await listed({ to: day, per_page: 1000 });
    assert.deepEqual(ids(found), ids(until));
    const { body } = await api.call('GET', '/openapi.json', { credentials: null });
    const { description, parameters } = resolved(body).paths['/audit'].get;
    assert.match(description, /`to` without a time/);
    const to = parameters.find(({ name }: Record_) => name === 'to');
    assert.match(JSON.stringify(to), /start of that day/);
  });
  for (const [name, value] of [
    ['action', 'license.explode'],
    ['subject', 'license'],
    ['subject', 'secret:1'],
    ['subject', 'license:1e3'],
    ['api_key_id', 'x'],
    ['from', 'yesterday'],
  ]) {
    test(`refuses ${name}=${value}`, async () => {
      const { data } = await api.fails(422, 'data_error', 'GET', '/audit', {
        query: { [name as string]: value },
      });
      assert.deepEqual(Object.keys(data.params), [name]);
    });
  }
  test('refuses an invalid cursor', async () => {
    await api.fails(400, 'rest_invalid_param', 'GET', '/audit?before=x');
    await api.fails(400, 'rest_invalid_param', 'GET', '/audit?per_page=1001');
  });
});

suite('may be read', () => {
  for (const [path, endpoint] of [
    ['/audit', 'audit.list'],
    ['/audit/counts', 'audit.counts'],
  ] as const) {
    test(`${path} by a key with read permission, for all products, that may call ${endpoint}`, async () => {
      await (await withApiKey(api, { permission: 'read', endpoints: [endpoint] })).ok('GET', path);
      const limited = await withApiKey(api, { products: [7] });
      const { message } = await limited.fails(403, 'permission_denied', 'GET', path);
      assert.match(message, /limited to products/);
      const other = await withApiKey(api, { endpoints: ['licenses.list'] });
      assert.match((await other.fails(403, 'permission_denied', 'GET', path)).message, new RegExp(endpoint));
      await (await withApiKey(api, { permission: 'write' })).fails(401, 'authentication_error', 'GET', path);
      await (await withApiKey(api, CLIENT_PRESET)).fails(403, 'permission_denied', 'GET', path);
      await api.fails(404, 'rest_no_route', 'POST', path, { json: {} });
    });
  }
});

test('activations, deactivations and validations are counted per day once they are answered', async (t) => {
  let now = Date.parse('2031-05-01T23:59:00Z');
  const service = await startService(t, { clock: () => now });
  const { license_key: key } = await service.license({ activations_limit: 2 });
  const { token } = await service.activation(key);
  await service.ok('GET', `/licenses/validate/${token}`);
  now = Date.parse('2031-05-02T00:00:00Z');
  await service.ok('GET', `/licenses/validate/${token}`);
  await service.ok('GET', `/licenses/validate/${token}`);
  await service.fails(404, 'data_error', 'GET', '/licenses/validate/none');
  await service.service.usage.flush();
  await service.ok('GET', `/licenses/validate/${token}`);
  await service.ok('GET', `/licenses/deactivate/${token}`);
  await service.fails(404, 'data_error', 'GET', `/licenses/deactivate/${token}`);
  await service.fails(404, 'data_error', 'GET', `/licenses/validate/${token}`);
  await service.activation(key, { token });
  await service.service.usage.flush();
  const counts = (query = {}) => service.ok('GET', '/audit/counts', { query });
  const second = [
    { day: '2031-05-02', counted: 'activations', count: 1 },
    { day: '2031-05-02', counted: 'deactivations', count: 1 },
    { day: '2031-05-02', counted: 'validations', count: 3 },
  ];
  const first = [
    { day: '2031-05-01', counted: 'activations', count: 1 },
    { day: '2031-05-01', counted: 'validations', count: 1 },
  ];
  assert.deepEqual(await counts(), [...second, ...first]);
  assert.deepEqual(await counts({ from: '2031-05-02' }), second);
  assert.deepEqual(await counts({ to: '2031-05-01' }), first);
  assert.deepEqual(await counts({ per_page: 2, page: 2 }), [...second, ...first].slice(2, 4));
});
