import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { SYSTEM } from '../../../src/domain/actor.ts';
import { refused } from '../../../src/domain/refusal.ts';
import { newName, type Record_ } from '../../support/http/api.ts';
import { startService } from '../../support/service.ts';
import { asJson } from '../requests/bad-values.ts';

let now = Date.parse('2030-06-01T12:00:00Z');
const api = await startService({ after }, { clock: () => now });
test.beforeEach(() => {
  now = Date.parse('2030-06-01T12:00:00Z');
});
const total = async () => (await api.call('GET', '/software')).headers.get('x-wp-total');
/** Returns the record from the list: the item route answers updaters. */
const read = async (id: number): Promise<Record_> =>
  (await api.ok('GET', '/software', { query: { per_page: 1000 } })).find((one: Record_) => one.id === id);
const newSlug = () => newName().toLowerCase();

const FULL = {
  name: 'Acme Pro – “Premium”',
  type: 'plugin',
  url: 'https://example.com/acme?a=1&b=2#top',
  product_ids: [9, 7, 8],
  access: 'public',
  tested: '6.8.1',
  requires: '5.0',
  requires_php: '7.4',
  icons: { '1x': 'https://example.com/icon.png', svg: 'http://example.com/icon.svg' },
  banners: { low: 'https://example.com/low.png', 'two\nlines': 'https://example.com/b' },
};
const DEFAULTS = {
  type: 'wp',
  url: '',
  product_ids: [],
  access: 'licensed',
  tested: '',
  requires: '',
  requires_php: '',
  icons: {},
  banners: {},
};
const MADE = { created_at: '2030-06-01 12:00:00', created_by: 1, updated_at: null, updated_by: null };

suite('create', () => {
  test('with only a name sets the defaults, a slug made of the name, and its creator and time', async () => {
    const { id, ...software } = await api.ok('POST', '/software', { json: { name: 'Just a Name' } });
    assert.ok(Number.isInteger(id) && id > 0);
    assert.deepEqual(software, { name: 'Just a Name', slug: 'just-a-name', ...DEFAULTS, ...MADE });
    assert.deepEqual(await read(id), { id, ...software });
  });
  test('accepts every field', async () => {
    const slug = newSlug();
    const { id, ...software } = await api.ok('POST', '/software', { json: { ...FULL, slug } });
    assert.deepEqual(software, { ...FULL, slug, ...MADE });
    assert.deepEqual(await read(id), { id, ...software });
  });
  for (const literal of ['null', '""']) {
    test(`leaves optional fields unset if they are ${literal}`, async () => {
      const names = Object.keys(DEFAULTS).concat('slug');
      const sent = Object.fromEntries(names.map((name) => [name, literal]));
      const name = newName();
      const { id, ...software } = await api.ok(
        'POST',
        '/software',
        asJson({ name: JSON.stringify(name), ...sent }),
      );
      assert.deepEqual(software, { name, slug: name.toLowerCase(), ...DEFAULTS, ...MADE });
    });
  }
  test('ignores read-only and unknown fields', async () => {
    const json = { name: 'x', slug: newSlug(), id: 77_777, created_by: 9, updated_at: 'x', nonsense: [] };
    const { id, created_by, updated_at } = await api.ok('POST', '/software', { json });
    assert.notEqual(id, 77_777);
    assert.deepEqual([created_by, updated_at], [1, null]);
  });
  test('takes the id that a command gives; later software gets a higher one', async () => {
    const none = { type: null, url: null, productIds: null, access: null, tested: null, requires: null };
    const create = (id: number) => {
      const input = { ...none, requiresPhp: null, icons: null, banners: null, name: newName(), slug: null };
      return api.service.execute('create-software', { ...input, id }, SYSTEM);
    };
    for (const id of [5_700, 5_600]) {
      const created = await create(id);
      assert.deepEqual(created.ok && created.value, await api.service.store.read.software.find(id));
    }
    assert.deepEqual(await create(5_700), refused('software_id_exists', { id: 5_700 }));
    assert.equal((await api.software()).id, 5_701);
  });
  test('accepts access in any case', async () => {
    assert.equal((await api.software({ access: 'PUBLIC' })).access, 'public');
  });
  test('accepts empty icons and banners, even as the empty array that PHP sends', async () => {
    const { icons, banners } = await api.software({ icons: [], banners: {} });
    assert.deepEqual([icons, banners], [{}, {}]);
  });
});

suite('a slug made of a name', () => {
  const SLUGS: [name: string, slug: string][] = [
    ['2048', 'software-2048'],
    ['２０４８!', 'software-2048'],
    ['7'.repeat(200), `software-${'7'.repeat(182)}`],
    ['7.1', '7-1'],
    ['Acme Pro', 'acme-pro'],
    ['  --Ünïcödé   Prô!! (2nd) ', 'unicode-pro-2nd'],
    ['Ångström / naïve', 'angstrom-naive'],
    ['Việt Nam', 'viet-nam'],
    ['Файл Йод', 'файл-йод'],
    ['日本語 ガイド', '日本語-ガイド'],
    ['한국어', '한국어'],
    ['हिन्दी', 'हिन्दी'],
    ['ﬁx ①', 'fix-1'],
    ['\u0301Mark', 'mark'],
    ['Emoji 🎉 party', 'emoji-party'],
    ['x'.repeat(255), 'x'.repeat(191)],
    [`${'y'.repeat(190)} zzz`, 'y'.repeat(190)],
    ['𐐷'.repeat(255), '𐐷'.repeat(191)],
  ];
  for (const [name, slug] of SLUGS) {
    test(`${JSON.stringify(name.slice(0, 30))} gives ${slug.slice(0, 30)}`, async () => {
      const { id, ...software } = await api.ok('POST', '/software', { json: { name } });
      assert.equal(software.slug, slug);
      assert.equal(
        (await api.ok('PUT', `/software/${id}`, { json: { slug } })).slug,
        slug,
        'the result is a valid slug',
      );
      await api.ok('DELETE', `/software/${id}`);
    });
  }
  for (const name of ['!!!', ' ', '🎉', '\u0301']) {
    test(`${JSON.stringify(name)} gives no slug: 422 naming slug, nothing created`, async () => {
      const before = await total();
      const body = await api.fails(422, 'data_error', 'POST', '/software', { json: { name } });
      assert.deepEqual(Object.keys(body.data.params), ['slug']);
      assert.equal(await total(), before);
      assert.equal((await api.software({ name })).name, name, 'the name is valid with an explicit slug');
    });
  }
});

suite('a slug is unique', () => {
  test('a create with a taken slug, sent or made of the name, answers 409 with data.code and creates nothing', async () => {
    const { slug } = await api.software();
    const before = await total();
    for (const json of [{ name: 'Other', slug }, { name: slug.toUpperCase() }]) {
      const body = await api.fails(409, 'data_error', 'POST', '/software', { json });
      assert.deepEqual(body.data, { status: 409, code: 409 });
      assert.match(body.message, new RegExp(slug));
    }
    assert.equal(await total(), before);
  });
  test('an update to a taken slug answers 409 with data.code and changes nothing, products included', async () => {
    const { slug } = await api.software();
    const other = await api.software({ product_ids: [1] });
    const json = { slug, name: 'Changed', product_ids: [2] };
    const body = await api.fails(409, 'data_error', 'PUT', `/software/${other.id}`, { json });
    assert.deepEqual(body.data, { status: 409, code: 409 });
    assert.deepEqual(await read(other.id), other);
  });
  test('an update to its own slug is no duplicate', async () => {
    const { id, slug } = await api.software();
    assert.equal((await api.ok('PUT', `/software/${id}`, { json: { slug } })).slug, slug);
  });
});

suite('update', () => {
  for (const method of ['PUT', 'PATCH', 'POST']) {
    test(`${method} changes only the fields that are sent`, async () => {
      const created = await api.software({ ...FULL, slug: newSlug() });
      now += 1000;
      const json = { name: 'New', product_ids: [1], icons: { '2x': 'https://example.com/2x' } };
      const updated = await api.ok(method, `/software/${created.id}`, { json });
      const changed = { ...json, updated_at: '2030-06-01 12:00:01', updated_by: 1 };
      assert.deepEqual(updated, { ...created, ...changed });
      assert.deepEqual(await read(created.id), updated);
    });
  }
  test('a new name does not change the slug', async () => {
    const { id, slug } = await api.software();
    assert.equal((await api.ok('PUT', `/software/${id}`, { json: { name: 'Another' } })).slug, slug);
  });
  for (const [field, cleared] of Object.entries(DEFAULTS)) {
    for (const literal of ['null', '""']) {
      test(`${field} ${literal} becomes ${JSON.stringify(cleared)}, nothing else changes`, async () => {
        const before = await api.software({ ...FULL, slug: newSlug() });
        await api.ok('PUT', `/software/${before.id}`, asJson({ [field]: literal }));
        const { updated_at, updated_by, ...software } = await read(before.id);
        assert.deepEqual([updated_at, updated_by], ['2030-06-01 12:00:00', 1]);
        assert.deepEqual(
          { ...software, updated_at: null, updated_by: null },
          { ...before, [field]: cleared },
        );
      });
    }
  }
  test('an update without a known field answers 200 and changes nothing', async () => {
    const created = await api.software();
    for (const json of [{}, { id: 1, created_by: 9, updated_at: null, nonsense: 1 }]) {
      assert.deepEqual(await api.ok('PUT', `/software/${created.id}`, { json }), created);
    }
    assert.deepEqual(await api.ok('PUT', `/software/${created.id}`), created);
    assert.deepEqual(await read(created.id), created);
  });
  test('an update accepts a whole record as the API returned it', async () => {
    const created = await api.software({ ...FULL, slug: newSlug() });
    const updated = await api.ok('PUT', `/software/${created.id}`, { json: created });
    assert.deepEqual({ ...updated, updated_at: null, updated_by: null }, created);
  });
  test('nothing in the query string or body replaces the id of the path', async () => {
    const [one, other] = [await api.software(), await api.software()];
    const named = { software_id: other.id, id: other.id };
    const options = { json: { ...named, name: 'Changed' }, query: named };
    assert.equal((await api.ok('PUT', `/software/${one.id}`, options)).id, one.id);
    assert.deepEqual(await read(other.id), other);
  });
});

suite('product_ids and pictures in forms and query strings', () => {
  const LISTS: [sent: string, ids: number[]][] = [
    ['product_ids=7', [7]],
    ['product_ids[]=7', [7]],
    ['product_ids[]=9&product_ids[]=7&product_ids[]=8', [9, 7, 8]],
    ['product_ids%5B0%5D=9&product_ids%5B1%5D=7', [9, 7]],
    ['product_ids=7&product_ids=8', [8]],
    ['product_ids[]=7&product_ids[]=7', [7]],
    ['product_ids=', []],
  ];
  for (const [sent, ids] of LISTS) {
    test(`${sent} is read as ${JSON.stringify(ids)}, in a form and in a query string`, async () => {
      const { id } = await api.software({ product_ids: [1, 2] });
      const form = { raw: { body: sent, type: 'application/x-www-form-urlencoded' } };
      assert.deepEqual((await api.ok('PUT', `/software/${id}`, form)).product_ids, ids);
      await api.ok('PUT', `/software/${id}`, { json: { product_ids: [1, 2] } });
      assert.deepEqual((await api.ok('PUT', `/software/${id}?${sent}`)).product_ids, ids);
      assert.deepEqual((await read(id)).product_ids, ids);
    });
  }
  test('JSON may have a single value, digits and repeated values', async () => {
    for (const [sent, ids] of [
      [5, [5]],
      ['5', [5]],
      [
        ['5', 6, 5, '6'],
        [5, 6],
      ],
      [
        [0, Number.MAX_SAFE_INTEGER],
        [0, Number.MAX_SAFE_INTEGER],
      ],
      [[], []],
    ] as const) {
      assert.deepEqual((await api.software({ product_ids: sent })).product_ids, ids);
    }
  });
  test('a multipart form may have icons in brackets', async () => {
    const { id } = await api.software();
    const multipart = { 'icons[1x]': 'https://example.com/1', 'icons[2x]': 'https://example.com/2' };
    const { icons } = await api.ok('PUT', `/software/${id}`, { multipart });
    assert.deepEqual(icons, { '1x': 'https://example.com/1', '2x': 'https://example.com/2' });
  });
});
