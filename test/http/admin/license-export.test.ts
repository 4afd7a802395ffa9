import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { signedIn } from '../../support/console/console.ts';
import { newKey, type Record_ } from '../../support/http/api.ts';
import { startService } from '../../support/service.ts';

const api = await startService({ after });
const [manager, support] = await Promise.all([signedIn(api, 'manager'), signedIn(api, 'support')]);
const exported = (body: unknown) =>
  manager.fetch('/licenses/export', {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });
const lastExport = async () => (await manager.ok('GET', '/audit?action=license.export')).items[0].about;

test('a CSV export has the chosen columns, and the trail records it without the search text', async () => {
  const key = `=${newKey()},"x`;
  const { id } = await api.license({ license_key: key, order_id: 919_191, valid_for: 0 });
  await api.license({ order_id: 919_191, valid_for: 30, expires_at: '2031-01-01' });
  const response = await manager.fetch(
    '/licenses/export?order_id=919191&columns[]=license_key&columns[]=expires_at&columns[]=is_expired',
  );
  assert.equal(response.headers.get('content-type'), 'text/csv; charset=utf-8');
  assert.match(
    response.headers.get('content-disposition') ?? '',
    /^attachment; filename="licenses-.*\.csv"$/,
  );
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(await response.arrayBuffer());
  const [header, newer, older] = text.split('\n');
  assert.deepEqual(
    [header, older],
    ['\ufefflicense_key,expires_at,is_expired', `"'=${key.slice(1).replace('"', '""')}",,"false"`],
  );
  assert.match(newer ?? '', /^"TEST-\w+","2031-01-01 00:00:00","false"$/);
  assert.equal((await manager.fetch(`/licenses/export?search=${encodeURIComponent(key)}`)).status, 200);
  const entries = (await manager.ok('GET', '/audit?action=license.export')).items;
  assert.deepEqual(
    entries.map(({ about }: Record_) => [about.count, about.order_id ?? about.search]),
    [
      [1, `…${key.slice(-4)}`],
      [2, 919_191],
    ],
  );
  assert.equal((await manager.get(`/licenses/${id}`)).status, 200);
});

test('selected licenses are exported, thousands at once, and the trail records how many', async () => {
  const { id } = await api.generator();
  await api.ok('POST', `/generators/${id}/generate`, {
    json: { amount: 1_300, save: true, order_id: 626_262 },
  });
  const ids: number[] = [];
  for (let before: number | null = null; ids.length < 1_300; ) {
    const query = `order_id=626262&limit=200${before === null ? '' : `&before=${before}`}`;
    const page: Record_ = await manager.ok('GET', `/licenses?${query}`);
    ids.push(...page.items.map((license: Record_) => license.id));
    before = page.next;
  }
  // The ids are in arbitrary order, with a duplicate and a deleted license.
  const gone = ids.pop();
  await manager.ok('DELETE', `/licenses/${gone}`);
  const response = await exported({ ids: [gone, ids[0], ...ids.toReversed()], columns: ['id'] });
  assert.equal(response.headers.get('content-type'), 'text/csv; charset=utf-8');
  const lines = (await response.text()).trimEnd().split('\n');
  assert.deepEqual(lines, ['id', ...ids.map((id) => `"${id}"`)]);
  assert.deepEqual(await lastExport(), { count: 1_299, ids: 1_300, columns: 'id' });

  for (const body of [{}, { ids: Array.from({ length: 10_001 }, (_, i) => i + 1) }, { ids: ['x'] }]) {
    const refused = await exported(body);
    assert.equal(refused.status, 422);
    assert.deepEqual(Object.keys(((await refused.json()) as Record_).data.params), ['ids']);
  }
  assert.equal((await support.post('/licenses/export', { ids })).status, 403);
});

test('importing an exported file creates the same licenses, whatever characters their keys begin with', async () => {
  const beginnings = ['=', '+', '-', '@', '\t', '\r', "'=", "''-", "'", ''];
  const keys = beginnings.map((beginning) => `${beginning}${newKey()}`);
  // The email address begins like a formula, too.
  const customer_email = '=ada@example.com';
  const made = await Promise.all(
    keys.map((license_key) => manager.ok('POST', '/licenses', { license_key, status: 3, customer_email })),
  );
  const ids = made.map((license) => license.id);
  const csv = await (await exported({ ids, columns: ['license_key', 'customer_email'] })).text();
  for (const line of csv.split(/\n(?=["']|TEST)/)) assert.doesNotMatch(line, /(^|,)"?[=+\-@\t\r]/);
  await manager.ok('POST', '/licenses/bulk/delete', { ids });
  const form = new FormData();
  form.set('file', new Blob([csv]), 'licenses.csv');
  const response = await manager.fetch('/imports', { method: 'POST', body: form });
  const { result } = JSON.parse((await response.text()).trimEnd().split('\n').at(-1) ?? '');
  assert.deepEqual([result.imported, result.rejected_total], [keys.length, 0]);
  for (const key of keys) {
    const { id } = await api.ok('GET', `/licenses/${encodeURIComponent(key)}`);
    const imported = await manager.ok('GET', `/licenses/${id}`);
    assert.deepEqual([imported.license_key, imported.customer_email], [key, customer_email]);
  }
});
