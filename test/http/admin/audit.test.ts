import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { signedIn } from '../../support/console/console.ts';
import type { Record_ } from '../../support/http/api.ts';
import { startService } from '../../support/service.ts';

const api = await startService({ after });
const owner = await signedIn(api, 'owner');

const query = (values: Record<string, unknown>) =>
  new URLSearchParams(
    Object.entries(values).flatMap(([name, value]) =>
      Array.isArray(value) ? value.map((one) => [`${name}[]`, String(one)]) : [[name, String(value)]],
    ),
  );
const list = (values: Record<string, unknown> = {}) => owner.ok('GET', `/audit?${query(values)}`);
const ids = ({ items }: Record_) => items.map(({ id }: Record_) => id);

test('entries name the user or API key, and the interface', async () => {
  const { id } = await api.license();
  const { api_key: made } = await owner.ok('POST', '/api-keys', { description: 'Shop' });
  const { items } = await list({ limit: 2 });
  const [byUser, byKey] = items;
  assert.deepEqual(
    [byUser.action, byUser.via, byUser.user_name, byUser.api_key_id, byUser.subject_name],
    ['api_key.create', 'console', owner.user.name, null, 'Shop'],
  );
  assert.equal(byUser.subject_id, made.id);
  assert.equal(byUser.after.description, 'Shop');
  assert.deepEqual(
    [byKey.action, byKey.via, byKey.subject_type, byKey.subject_id, byKey.api_key_id],
    ['license.create', 'api', 'license', id, 1],
  );
  assert.equal(byKey.api_key_description, 'From the settings');
});

test('only entries from the console name a user', async () => {
  const settings = { userId: owner.user.id, apiKeyId: null, products: null };
  const cli = { ...settings, via: 'cli', origin: 'root@shop' } as const;
  const { id } = await api.software({ name: 'By hand' });
  await api.service.execute('delete-software', { named: String(id) }, cli);
  const [byCli] = (await list({ limit: 1 })).items;
  assert.deepEqual(
    [byCli.via, byCli.user_name, byCli.origin, byCli.subject_name],
    ['cli', null, 'root@shop', 'By hand'],
  );
  const { items } = await list({ via: 'system', limit: 200 });
  assert.ok(items.some(({ action }: Record_) => action === 'api_key.create'));
  for (const { user_name } of items) assert.equal(user_name, null);
  const { events } = await owner.ok('GET', '/dashboard');
  assert.deepEqual(events[0].by, {
    via: 'cli',
    user_id: owner.user.id,
    user_name: null,
    origin: 'root@shop',
    api_key_id: null,
    api_key_description: null,
  });
});

test('an entry names its record, even after the record is deleted', async () => {
  const { id } = await api.software({ name: 'Astrolabe' });
  const release = await api.release(id, { version: '1.2.3', status: 'draft' });
  const [released] = (await list({ subject: `release:${release.id}` })).items;
  assert.deepEqual([released.subject_name, released.software_id], ['Astrolabe 1.2.3', id]);
  await api.ok('DELETE', `/software/${id}`);
  const gone = (await list({ subject: `software:${id}` })).items;
  for (const { subject_name } of gone) assert.equal(subject_name, 'Astrolabe');
  const [nowhere] = (await list({ subject: `release:${release.id}` })).items;
  assert.deepEqual([nowhere.subject_name, nowhere.software_id], ['1.2.3', null]);
});

test('whoever may read the trail gets the user names to filter by, and nothing else about users', async () => {
  const manager = await signedIn(api, 'manager');
  const { items } = await manager.ok('GET', '/audit/users');
  assert.deepEqual(
    items,
    [owner, manager].map(({ user: { id, name } }) => ({ id, name })),
  );
  assert.equal((await (await signedIn(api, 'support')).get('/audit/users')).status, 403);
});

test('entries can be filtered and paged through', async () => {
  for (let i = 0; i < 5; i++) await api.license();
  const all = await list({ limit: 200 });
  assert.equal(all.next, null);
  const walked: number[] = [];
  for (let before: number | undefined; ; ) {
    const page = await list({ limit: 2, ...(before && { before }) });
    walked.push(...ids(page));
    if (page.next === null) break;
    before = page.next;
  }
  assert.deepEqual(walked, ids(all));
  const some = (is: (entry: Record_) => boolean) => all.items.filter(is).map(({ id }: Record_) => id);
  const { subject_id: subject } = all.items.find((one: Record_) => one.action === 'license.create');
  for (const [filter, is] of [
    [{ action: ['license.create', 'user.create'] }, (e) => /^(license|user)\.create$/.test(e.action)],
    [{ subject: `license:${subject}` }, (e) => e.subject_type === 'license' && e.subject_id === subject],
    [{ via: 'console' }, (e) => e.via === 'console'],
    [{ via: 'api' }, (e) => e.via === 'api'],
    [{ user_id: owner.user.id }, (e) => e.user_name === owner.user.name],
    [{ api_key_id: 1 }, (e) => e.api_key_id === 1],
    [{ from: '2999-01-01' }, () => false],
    [{ to: '2000-01-01' }, () => false],
  ] as [Record<string, unknown>, (entry: Record_) => boolean][]) {
    const found = ids(await list({ limit: 200, ...filter }));
    assert.deepEqual(found, some(is), JSON.stringify(filter));
  }
  const bad = await owner.get('/audit?via=post&action[]=nothing');
  assert.deepEqual([bad.status, Object.keys(bad.body.data.params)], [422, ['action', 'via']]);
});

for (const role of ['support', 'viewer'] as const)
  test(`${role} cannot read the audit trail`, async () => {
    assert.equal((await (await signedIn(api, role)).get('/audit')).status, 403);
  });

test('a subject that is not a string is refused like any other invalid subject', async () => {
  for (const path of [
    '/audit?subject[a]=1',
    '/audit?subject[]=license:1&subject[]=license:2',
    '/audit?subject=x',
  ]) {
    const { status, body } = await owner.get(path);
    assert.deepEqual([status, Object.keys(body.data.params ?? {})], [422, ['subject']], path);
  }
});
