import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, suite, test } from 'node:test';
import { convertAllRows } from '../../src/app/licenses/convert-rows.ts';
import { labelStarts } from '../../src/domain/activation.ts';
import { SYSTEM } from '../../src/domain/actor.ts';
import { LICENSE_SOURCE } from '../../src/domain/licenses/license.ts';
import { type LicenseSearch, termsOf } from '../../src/domain/licenses/license-search.ts';
import { numberOf, rowsOf, runSql } from '../support/engine.ts';
import { newKey, newName } from '../support/http/api.ts';
import { startService } from '../support/service.ts';

const api = await startService({ after });
const { store, execute } = api.service;
const page = { before: null, limit: 50, counted: true };
const NOW = '2031-01-01 00:00:00';

const search = (filter: LicenseSearch, more = {}) => store.read.licenses.search(filter, { ...page, ...more });
const idsOf = async (filter: LicenseSearch) => (await search(filter)).items.map(({ id }) => id);
const typed = (text: string) => idsOf({ terms: termsOf(text) });

suite('licenses are found', () => {
  test('by the whole key; a match by key excludes all others', async () => {
    const key = newKey();
    const one = await api.license({ license_key: key });
    await api.license({ license_key: `${newKey()}-${key}`, order_id: 1 });
    const found = await search({ terms: termsOf(` ${key} `) });
    assert.deepEqual([found.items.map(({ id }) => id), found.matched, found.total], [[one.id], ['key'], 1]);
  });

  test('by the last characters of the key, in any case, if the key is long enough', async () => {
    const start = newKey();
    const [one, other] = [
      await api.license({ license_key: `${start}-a-xyz9` }),
      await api.license({ license_key: `${start}-b-XYZ9` }),
    ];
    await api.license({ license_key: 'yz9' });
    assert.deepEqual(await typed('xYz9'), [other.id, one.id]);
    assert.deepEqual(await typed('…XYZ9'), [other.id, one.id]);
    assert.deepEqual(await typed('A-xyz9'), [one.id]);
    assert.deepEqual(await typed('ending:b-xyz9'), [other.id]);
    assert.deepEqual(await typed('yz9'), await idsOf({ terms: [{ by: 'key', named: 'yz9' }] }));
    await api.ok('PUT', `/licenses/${start}-a-xyz9`, { json: { license_key: `${start}-QQW7` } });
    assert.deepEqual([await typed('xyz9'), await typed('qqw7')], [[other.id], [one.id]]);
  });

  test('by digits that are an order, product or customer id, newest first, each once', async () => {
    const made = [
      await api.license({ order_id: 4711 }),
      await api.license({ product_id: 4711, order_id: 4711 }),
      await api.license({ user_id: 4711 }),
    ].map(({ id }) => id);
    const found = await search({ terms: termsOf('4711') });
    assert.deepEqual(
      found.items.map(({ id }) => id),
      made.toReversed(),
    );
    assert.deepEqual(
      [found.total, found.totalIsMore, found.matched],
      [3, false, ['order', 'product', 'customer']],
    );
    assert.deepEqual(await typed('#4711'), [made[1], made[0]]);
    assert.deepEqual(await typed('product:4711'), [made[1]]);
    assert.deepEqual(await typed('customer: 4711'), [made[2]]);
    assert.deepEqual(await idsOf({ terms: termsOf('4711'), orderId: 4711, productId: 4711 }), [made[1]]);
  });

  test("by the start of an activation's label, or by its address, even if the activation has ended", async () => {
    const license = await api.license();
    const label = newName();
    const { token } = await api.activation(license.license_key, { label: `${label}-Ä` });
    await api.activation(license.license_key, { label: `${label}-b` });
    assert.deepEqual(await typed(label.toLowerCase()), [license.id]);
    assert.deepEqual(await typed(`label:${label}-Ä`), [license.id]);
    assert.deepEqual(await typed(`${label}-c`), []);
    assert.ok((await typed('127.0.0.1')).includes(license.id));
    await api.ok('GET', `/licenses/deactivate/${token}`);
    assert.deepEqual(await typed(`${label}-ä`.replace('ä', 'Ä')), [license.id]);
  });

  test("by a site's address, however much of it the label of its activation has", async () => {
    const site = `${newName().toLowerCase().replaceAll(' ', '-')}.example`;
    const labels = [site, `www.${site}`, `https://${site}`, `http://www.${site}/shop`];
    const ids: number[] = [];
    for (const label of labels) {
      const license = await api.license();
      await api.activation(license.license_key, { label });
      ids.unshift(license.id);
    }
    const other = await api.license();
    await api.activation(other.license_key, { label: `my-${site}` });
    for (const text of [site, `https://${site}/`, `www.${site}`, `HTTP://www.${site}/wp-admin/?page=1`]) {
      assert.deepEqual(await typed(text), ids, text);
      assert.deepEqual(await typed(`label:${text}`), ids, text);
      const found = await store.read.activations.search({ labels: labelStarts(text) }, page);
      assert.equal(found.items.length, labels.length, text);
    }
    assert.deepEqual(await typed(`label:${site}, second floor`), []);
  });

  test("by the customer's email address or its start, in any case", async () => {
    const name = newName().toLowerCase().replaceAll(' ', '.');
    const withEmail = async (customerEmail: string) => {
      const { id } = await api.license();
      const changed = await execute('update-license', { named: { id }, changes: { customerEmail } }, SYSTEM);
      assert.ok(changed.ok);
      return id;
    };
    const [ada, bob] = [
      await withEmail(`${name}.Ada@Example.com`),
      await withEmail(`${name}.bob@example.com`),
    ];
    await api.activation((await api.license()).license_key, { label: `${name}.x` });
    const found = await search({ terms: termsOf(`${name.toUpperCase()}.ada@example.com`) });
    assert.deepEqual([found.items.map(({ id }) => id), found.matched, found.total], [[ada], ['email'], 1]);
    assert.deepEqual(await typed(`${name}.ADA@ex`), [ada]);
    assert.deepEqual(await typed(`email: ${name}`), [bob, ada]);
    assert.deepEqual(await typed(`customer:${name}.bob@`), [bob]);
    assert.deepEqual(await idsOf({ terms: termsOf(`email:${name}`), ids: [ada] }), [ada]);
    assert.deepEqual(await typed(`email:${name}.c`), []);
    // A text without "@" is not searched as an address.
    assert.equal((await typed(`${name}.`)).includes(bob), false);
  });

  test('by their expiry', async () => {
    const product = 990;
    const made = async (expires_at: string | null) =>
      (await api.license({ product_id: product, expires_at })).id;
    const ids = [
      await made(null),
      await made('2030-12-31 23:59:59'),
      await made(NOW),
      await made('2031-02-01'),
    ];
    const of = (expiry: LicenseSearch['expiry']) => idsOf({ productId: product, ...(expiry && { expiry }) });
    assert.deepEqual(await of('never'), [ids[0]]);
    assert.deepEqual(await of({ from: null, before: NOW }), [ids[1]]);
    assert.deepEqual(await of({ from: NOW, before: '2031-01-31 00:00:00' }), [ids[2]]);
    assert.deepEqual(await of({ from: NOW, before: null }), [ids[3], ids[2]]);
  });

  test('in rows from before the suffix index once they are converted, each once', async () => {
    const keys = [`${newKey()}-OLD1`, 'ab'];
    for (const license_key of keys) await api.license({ license_key });
    await runSql(api.dataDir, 'update licenses set ending_hash = null');
    assert.deepEqual(await typed('old1'), []);
    await convertAllRows(execute);
    assert.equal((await typed('old1')).length, 1);
    assert.equal(await numberOf(api.dataDir, 'select count(*) from licenses where ending_hash is null'), 0);
    assert.equal(await convertAllRows(execute), 0);
  });
});

/** Imports many licenses in one batch. */
async function makeLicenses(
  count: number,
  status: number,
  userId: number,
  customerEmail: string | null = null,
): Promise<void> {
  const batch = randomUUID();
  const values = {
    orderId: null,
    productId: 55,
    userId,
    customerEmail,
    expiresAt: null,
    validFor: 0,
    activationsLimit: 0,
  };
  for (let from = 0; from < count; from += 2_000) {
    const rows = Array.from({ length: Math.min(2_000, count - from) }, (_, i) => from + i);
    const licenses = rows.map((row) => ({ ...values, status, row, key: `${batch}-${row}` }));
    await execute('stage-licenses', { batch, licenses }, SYSTEM);
  }
  const how = { source: LICENSE_SOURCE.import, generatorId: null, skipConflicts: false };
  const committed = await execute('commit-staged-licenses', { batch, rows: count, ...how }, SYSTEM);
  assert.ok(committed.ok);
}

test('a rare license among many is found by every filter, and paging is stable while rows come and go', async () => {
  await makeLicenses(500, 4, 66);
  await makeLicenses(3, 2, 67);
  await makeLicenses(11_000, 4, 66, 'Reseller@example.com');
  const rare = await search({ productId: 55, status: [2, 5] });
  assert.deepEqual([rare.items.length, rare.total, rare.totalIsMore], [3, 3, false]);
  const byFewest = await search({ productId: 55, userId: 67 });
  assert.deepEqual([byFewest.items.length, byFewest.total, byFewest.totalIsMore], [3, 3, false]);
  const many = await search({ productId: 55, status: [4, 5] });
  assert.deepEqual([many.items.length, many.total, many.totalIsMore], [50, 10_000, true]);

  const newest = (await search({ userId: 66 })).items;
  // The index finds one whole address; a prefix of many addresses is compared from the newest license on.
  for (const text of ['reseller@example.com', 'email:resell']) {
    const found = await search({ terms: termsOf(text), status: [4] });
    assert.deepEqual([found.items, found.total, found.totalIsMore], [newest, 10_000, true], text);
  }

  const ofOne = await search({ productId: 55 });
  assert.deepEqual([ofOne.total, ofOne.totalIsMore], [10_000, true]);

  const seen: number[] = [];
  for (let before: number | null = null; ; ) {
    const found = await search(
      { status: [2, 4], productId: 55, userId: 66 },
      { before, limit: 200, counted: false },
    );
    seen.push(...found.items.map(({ id }) => id));
    if (seen.length === 400) {
      await api.license({ product_id: 55, user_id: 66, status: 4 });
      await runSql(api.dataDir, `delete from licenses where id = ${seen.at(-1)}`);
    }
    if (found.next === null) break;
    before = found.next;
  }
  assert.equal(seen.length, 11_500);
  assert.deepEqual(
    seen,
    [...new Set(seen)].sort((one, other) => other - one),
  );
  const all = await search({});
  assert.equal(all.total, await numberOf(api.dataDir, 'select count(*) from licenses'));
});

test('all licenses with a label or an address shared by many activations are found, page by page', async () => {
  const made = `insert into activations (license_id, token, label, source, ip_address, created_at)
    select id, 'none-' || id, case when id % 3 = 0 then 'Many-a' else 'many-b' end || id, 1, '192.0.2.99', '2026-01-01 00:00:00'
    from licenses order by id`;
  await runSql(api.dataDir, made);
  const licenses = (await rowsOf(api.dataDir, 'select id from licenses order by id desc')).map(
    ({ id }) => id,
  );
  assert.ok(licenses.length > 11_000);
  for (const text of ['label:MANY', 'ip:192.0.2.99']) {
    const seen: number[] = [];
    for (let before: number | null = null; ; ) {
      const found = await search({ terms: termsOf(text) }, { before, limit: 500, counted: before === null });
      if (before === null) assert.deepEqual([found.total, found.totalIsMore], [10_000, true]);
      seen.push(...found.items.map(({ id }) => id));
      if (found.next === null) break;
      before = found.next;
    }
    assert.deepEqual(seen, licenses, text);
  }
  const activations: number[] = [];
  for (let before: number | null = null; ; ) {
    const found = await store.read.activations.search(
      { labels: ['many'] },
      { before, limit: 500, counted: false },
    );
    activations.push(...found.items.map(({ license }) => license.id));
    if (found.next === null) break;
    before = found.next;
  }
  assert.deepEqual(activations, licenses);
});
