import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import type { Record_ } from '../../support/http/api.ts';
import { startService } from '../../support/service.ts';
import { NO_INTEGER } from '../requests/bad-values.ts';

const api = await startService({ after });
const ids = (data: Record_[]) => data.map(({ id }) => id);
let unique = 1000;
const several = async (count: number, values: object = {}) => {
  const product_id = unique++;
  const made: Record_[] = [];
  for (let i = 0; i < count; i++) made.push(await api.license({ product_id, ...values }));
  return { product_id, newestFirst: ids(made).reverse() };
};

suite('pages', () => {
  test('have 30 records by default, newest first, with the totals', async () => {
    const { product_id, newestFirst } = await several(31);
    const { body, headers } = await api.call('GET', '/licenses', { query: { product_id } });
    assert.deepEqual(ids(body.data), newestFirst.slice(0, 30));
    assert.deepEqual([headers.get('x-wp-total'), headers.get('x-wp-totalpages')], ['31', '2']);
  });
  test('contain every record exactly once', async () => {
    const { product_id, newestFirst } = await several(7);
    const seen = [];
    for (const page of [1, 2, 3, 4]) {
      seen.push(...ids(await api.ok('GET', '/licenses', { query: { product_id, page, per_page: 2 } })));
    }
    assert.deepEqual(seen, newestFirst);
  });
  test('past the end are empty', async () => {
    const { product_id } = await several(1);
    for (const page of [2, 1000, 2 ** 31 - 1]) {
      const { status, body, headers } = await api.call('GET', '/licenses', {
        query: { product_id, page, per_page: 1000 },
      });
      assert.deepEqual([status, body], [200, { success: true, data: [] }]);
      assert.equal(headers.get('x-wp-total'), '1');
    }
  });
  test('have from 1 to 1000 records by per_page', async () => {
    const { product_id } = await several(2);
    assert.equal((await api.ok('GET', '/licenses', { query: { product_id, per_page: 1 } })).length, 1);
    assert.equal((await api.ok('GET', '/licenses', { query: { product_id, per_page: '1000' } })).length, 2);
  });
  test('page and per_page count as not set if empty', async () => {
    const { product_id } = await several(2);
    assert.equal(
      (await api.ok('GET', '/licenses', { query: { product_id, page: '', per_page: '' } })).length,
      2,
    );
  });
  test('an empty result is [] with totals of 0', async () => {
    const { body, headers } = await api.call('GET', '/licenses', { query: { product_id: unique++ } });
    assert.deepEqual(body, { success: true, data: [] });
    assert.deepEqual(
      [headers.get('x-wp-total'), headers.get('x-wp-totalpages'), headers.get('link')],
      ['0', '0', null],
    );
  });

  const strings = NO_INTEGER.filter((literal) => literal.startsWith('"')).map(
    (literal) => JSON.parse(literal) as string,
  );
  const BAD = [
    '0',
    '-1',
    '1.5',
    '1e3',
    ...strings.filter((text) => text.isWellFormed()),
    '2147483648',
    '9007199254740993',
    '12345678901234567890',
  ];
  for (const list of ['/licenses', '/generators']) {
    for (const name of ['page', 'per_page']) {
      for (const value of name === 'page' ? BAD : [...BAD, '1001', '100000']) {
        test(`${name}=${JSON.stringify(value)} of ${list} answers 400 rest_invalid_param naming it`, async () => {
          const body = await api.fails(400, 'rest_invalid_param', 'GET', list, { query: { [name]: value } });
          assert.deepEqual(Object.keys(body.data.params), [name]);
        });
      }
      test(`${name}[]=1 of ${list} answers 400 rest_invalid_param`, async () => {
        await api.fails(400, 'rest_invalid_param', 'GET', `${list}?${name}[]=1`);
      });
    }
    test(`one answer names both page and per_page of ${list} if both are invalid`, async () => {
      const body = await api.fails(400, 'rest_invalid_param', 'GET', `${list}?page=0&per_page=x`);
      assert.deepEqual(Object.keys(body.data.params), ['page', 'per_page']);
    });
  }
});

suite('Link', () => {
  const linkOf = async (query: object) => {
    const { headers } = await api.call('GET', '/licenses', { query: { ...query, per_page: 1 } });
    return Object.fromEntries(
      [...(headers.get('link') ?? '').matchAll(/<([^>]+)>; rel="(\w+)"/g)].map(([, to, rel]) => [
        rel,
        new URL(to as string),
      ]),
    );
  };
  test('names the next and previous pages with the filters; following it walks the list', async () => {
    const { product_id, newestFirst } = await several(3);
    const first = await linkOf({ product_id, status: 'active' });
    assert.deepEqual(Object.keys(first), ['next']);
    const query = Object.fromEntries(first.next?.searchParams ?? []);
    const before = String(newestFirst[0]);
    const filters = { product_id: `${product_id}`, status: 'active' };
    assert.deepEqual(query, { ...filters, per_page: '1', page: '2', before });
    const followed = await api.ok('GET', `/licenses${first.next?.search}`);
    assert.deepEqual(ids(followed), [newestFirst[1]]);
    const second = await linkOf({ product_id, page: 2 });
    assert.deepEqual(
      [second.next?.searchParams.get('page'), second.prev?.searchParams.get('page')],
      ['3', '1'],
    );
    assert.deepEqual(Object.keys(await linkOf({ product_id, page: 3 })), ['prev']);
  });
  test('is absent for a single page', async () => {
    const { product_id } = await several(1);
    assert.deepEqual(await linkOf({ product_id }), {});
  });
  test('leads back from beyond the last page', async () => {
    const { product_id } = await several(2);
    assert.equal((await linkOf({ product_id, page: 9 })).prev?.searchParams.get('page'), '2');
  });
  test('works for generators too', async () => {
    for (let i = 0; i < 3; i++) await api.generator();
    const { headers } = await api.call('GET', '/generators', { query: { page: 2, per_page: 1 } });
    assert.match(
      headers.get('link') ?? '',
      /generators\?page=3&per_page=1&before=\d+>; rel="next", <.*page=1&per_page=1>; rel="prev"/,
    );
  });
  for (const [key, secret] of [
    ['consumer_key', 'consumer_secret'],
    ['consumer%5Fkey', 'consumer%5Fsecret'],
    ['[consumer_key]', '[consumer_secret]'],
  ] as const) {
    test(`never contains credentials: ${key}`, async () => {
      await several(2);
      const { consumerKey, consumerSecret } = api.credentials;
      for (const credentials of [null, api.credentials]) {
        const path = `/licenses?per_page=1&${key}=${consumerKey}&${secret}=${consumerSecret}`;
        const { status, headers } = await api.call('GET', path, { credentials });
        if (status === 401) continue;
        const link = headers.get('link') ?? '';
        assert.match(link, /page=2/);
        assert.ok(!link.includes(consumerKey) && !link.includes(consumerSecret), 'credentials in the link');
      }
    });
  }
});

suite('filters', () => {
  test('order_id, product_id, user_id and source select licenses', async () => {
    const values = { order_id: unique++, product_id: unique++, user_id: unique++ };
    const one = await api.license(values);
    const other = await api.license({ ...values, order_id: unique++, product_id: unique++ });
    assert.deepEqual(ids(await api.ok('GET', '/licenses', { query: { order_id: values.order_id } })), [
      one.id,
    ]);
    assert.deepEqual(ids(await api.ok('GET', '/licenses', { query: { product_id: values.product_id } })), [
      one.id,
    ]);
    assert.deepEqual(ids(await api.ok('GET', '/licenses', { query: { user_id: values.user_id } })), [
      other.id,
      one.id,
    ]);
    const { user_id } = values;
    assert.deepEqual(ids(await api.ok('GET', '/licenses', { query: { user_id, source: 3 } })), [
      other.id,
      one.id,
    ]);
    assert.deepEqual(await api.ok('GET', '/licenses', { query: { user_id, source: 1 } }), []);
  });
  test('several filters are combined with AND', async () => {
    const [order_id, user_id] = [unique++, unique++];
    const both = await api.license({ order_id, user_id });
    await api.license({ order_id });
    await api.license({ user_id });
    assert.deepEqual(ids(await api.ok('GET', '/licenses', { query: { order_id, user_id } })), [both.id]);
  });
  test('license_key finds exactly that license', async () => {
    const { license_key, id } = await api.license({ license_key: 'Ключ/с пробелом %' });
    assert.deepEqual(ids(await api.ok('GET', '/licenses', { query: { license_key } })), [id]);
    assert.deepEqual(
      await api.ok('GET', '/licenses', { query: { license_key: license_key.toLowerCase() } }),
      [],
    );
    assert.deepEqual(await api.ok('GET', '/licenses', { query: { license_key: 'Ключ' } }), []);
  });
  test('an empty filter counts as not set', async () => {
    const { product_id, newestFirst } = await several(2);
    const query = { product_id, order_id: '', user_id: '', status: '', license_key: '', source: '' };
    assert.deepEqual(ids(await api.ok('GET', '/licenses', { query })), newestFirst);
  });

  const STATUS: [query: string, statuses: number[]][] = [
    ['status=3', [3]],
    ['status=active', [3]],
    ['status=Active', [3]],
    ['status[]=1&status[]=2', [2, 1]],
    ['status[0]=1&status[1]=5', [5, 1]],
    ['status[]=sold&status[]=DISABLED', [5, 1]],
    ['status[]=4', [4]],
    ['status%5B%5D=1&status%5B%5D=2', [2, 1]],
    ['status[3]=1&status[7]=2', [2, 1]],
    ['status[]=1&status[]=1', [1]],
  ];
  const product_id = unique++;
  test('status accepts one or several values, by number or name', async () => {
    for (const status of [1, 2, 3, 4, 5]) await api.license({ product_id, status });
    for (const [query, statuses] of STATUS) {
      const found = await api.ok('GET', `/licenses?product_id=${product_id}&${query}`);
      assert.deepEqual(
        found.map(({ status }: Record_) => status),
        statuses,
        query,
      );
    }
  });
  for (const [name, values] of Object.entries({
    status: ['0', '6', 'unknown', '1,2', '1.0', '-1'],
    order_id: ['abc', '1.5', '-1', '9007199254740992', '+5'],
    product_id: ['abc', '1e3', '٣'],
    user_id: ['abc', ' 5', 'true'],
    source: ['abc', '-1', '1.5', '9007199254740991'],
    license_key: ['a\0b', 'k'.repeat(256)],
  })) {
    for (const value of values) {
      test(`${name}=${JSON.stringify(value.slice(0, 20))} is an invalid value: 422 naming it`, async () => {
        const body = await api.fails(422, 'data_error', 'GET', '/licenses', { query: { [name]: value } });
        assert.deepEqual(Object.keys(body.data.params), [name]);
      });
    }
  }
  test('one bad status among several answers 422', async () => {
    await api.fails(422, 'data_error', 'GET', '/licenses?status[]=1&status[]=9');
  });
  test('a body on GET and unknown parameters are ignored', async () => {
    const { product_id: of, newestFirst } = await several(2);
    const query = { product_id: of, orderby: 'license_key', id: 1, nonsense: 'x' };
    assert.deepEqual(ids(await api.ok('GET', '/licenses', { query })), newestFirst);
  });
});

suite('generators', () => {
  test('are listed newest first, with totals', async () => {
    const made = [await api.generator(), await api.generator(), await api.generator()];
    const { body, headers } = await api.call('GET', '/generators', { query: { per_page: '3' } });
    assert.deepEqual(ids(body.data), ids(made).reverse());
    const total = Number(headers.get('x-wp-total'));
    assert.equal(Number(headers.get('x-wp-totalpages')), Math.ceil(total / 3));
  });
});
