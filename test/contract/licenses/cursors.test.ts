import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import type { Api, Record_ } from '../../support/http/api.ts';
import { withApiKey } from '../../support/http/api-keys.ts';
import { startService } from '../../support/service.ts';
import { NO_INTEGER } from '../requests/bad-values.ts';

const api = await startService({ after });
const ids = (data: Record_[]): number[] => data.map(({ id }) => id);
let unique = 5000;
const several = async (count: number, values: Record<string, unknown> = {}): Promise<Record_[]> => {
  const made: Record_[] = [];
  for (let i = 0; i < count; i++) made.push(await api.license(values));
  return made.reverse();
};

interface ReadPage {
  ids: number[];
  total: string | null;
  links: Partial<Record<'next' | 'prev', URL>>;
}
async function read(from: Api, path: string, query: object = {}): Promise<ReadPage> {
  const { status, body, headers } = await from.call('GET', path, { query: { ...query } });
  assert.equal(status, 200, JSON.stringify(body));
  const links = [...(headers.get('link') ?? '').matchAll(/<([^>]+)>; rel="(\w+)"/g)];
  return {
    ids: ids(body.data),
    total: headers.get('x-wp-total'),
    links: Object.fromEntries(links.map(([, to, rel]) => [rel, new URL(to as string)])),
  };
}

/** Returns every page from the first to the last, by following only the `next` links. */
async function walk(
  from: Api,
  list: string,
  query: object,
  beside: (page: ReadPage) => Promise<unknown> = async () => null,
): Promise<number[][]> {
  const pages: number[][] = [];
  for (let page = await read(from, list, query); ; ) {
    pages.push(page.ids);
    await beside(page);
    const { next } = page.links;
    if (!next) return pages;
    assert.ok(pages.length < 100, 'the walk ends');
    assert.equal(next.searchParams.get('page'), String(pages.length + 1));
    page = await read(from, list + next.search);
  }
}

const product_id = unique++;
const made = ids(await several(6, { product_id }));
const page = (query: object) => read(api, '/licenses', { product_id, per_page: 2, ...query });

suite('following next', () => {
  test('visits every lasting record once while licenses are created and deleted', async () => {
    const made = await several(24);
    const [passed, ahead] = [made.slice(0, 8), made.slice(14)];
    const deleted: number[] = [];
    const remove = async (license: Record_ | undefined) => {
      if (!license || deleted.includes(license.id)) return;
      await api.ok('DELETE', `/licenses/${license.license_key}`);
      deleted.push(license.id);
    };
    const pages = await walk(api, '/licenses', { per_page: 5 }, async (page) => {
      await several(3);
      // Delete the cursor of the next page, a record already read, and a record not read yet.
      await remove(made.find(({ id }) => id === page.ids.at(-1)));
      await remove(passed.find(({ id }) => !deleted.includes(id) && page.ids.includes(id)));
      await remove(ahead.pop());
    });
    const seen = pages.flat();
    assert.equal(new Set(seen).size, seen.length, 'no record twice');
    assert.deepEqual(
      seen,
      seen.toSorted((one, other) => other - one),
    );
    const lasting = ids(made).filter((id) => !deleted.includes(id));
    assert.ok(deleted.length > 8 && lasting.length > 8);
    assert.deepEqual(
      lasting.filter((id) => !seen.includes(id)),
      [],
      'no record left out',
    );
    for (const page of pages.slice(0, -1)) assert.equal(page.length, 5);
  });
  for (const [what, filter, values] of [
    ['a product', (product_id: number) => ({ product_id }), {}],
    ['a product and a status', (product_id: number) => ({ product_id, status: 'sold' }), { status: 1 }],
    ['several statuses', (product_id: number) => ({ product_id, 'status[]': '2' }), { status: 2 }],
  ] as const) {
    test(`stays within the filter: ${what}`, async () => {
      const product_id = unique++;
      const made = await several(7, { product_id, ...values });
      await several(2);
      const pages = await walk(api, '/licenses', { ...filter(product_id), per_page: 3 }, () => several(1));
      assert.deepEqual(pages.flat(), ids(made));
      assert.deepEqual(
        pages.map((page) => page.length),
        [3, 3, 1],
      );
    });
  }
  test('stays within the products of a limited API key', async () => {
    const [one, other] = [unique++, unique++];
    const limited = await withApiKey(api, { products: [one, other] });
    const made: Record_[] = [];
    for (let i = 0; i < 5; i++) {
      made.unshift(await api.license({ product_id: i % 2 ? one : other }));
      await api.license({ product_id: unique++ });
    }
    const pages = await walk(limited, '/licenses', { per_page: 2 }, async ({ total }) => {
      assert.equal(total, '5');
    });
    assert.deepEqual(pages.flat(), ids(made));
  });
  test('ends with the last record, whether its page is full or not', async () => {
    for (const [count, lengths] of [
      [4, [2, 2]],
      [5, [2, 2, 1]],
      [1, [1]],
    ] as const) {
      const product_id = unique++;
      await several(count, { product_id });
      const pages = await walk(api, '/licenses', { product_id, per_page: 2 });
      assert.deepEqual(
        pages.map((page) => page.length),
        lengths,
      );
    }
  });
  test('works for generators and software too', async () => {
    for (const [list, make] of [
      ['/generators', api.generator],
      ['/software', api.software],
    ] as const) {
      const made: number[] = [];
      for (let i = 0; i < 5; i++) made.unshift((await make()).id);
      const pages = await walk(api, list, { per_page: 2 }, () => make());
      assert.deepEqual(pages.flat().slice(0, 5), made, list);
      assert.equal(new Set(pages.flat()).size, pages.flat().length, list);
    }
  });
});

suite('before', () => {
  test('decides where the page begins, whatever page says', async () => {
    for (const number of [1, 2, 1000]) {
      const found = await page({ before: made[2], page: number });
      assert.deepEqual(found.ids, made.slice(3, 5));
      assert.equal(found.total, '6', 'the total covers all pages');
      assert.equal(found.links.next?.searchParams.get('page'), String(number + 1));
      assert.equal(found.links.next?.searchParams.get('before'), String(made[4]));
    }
  });
  test('links to the previous page by its number', async () => {
    const { links } = await page({ before: made[1], page: 2 });
    assert.equal(links.prev?.searchParams.get('page'), '1');
    assert.equal(links.prev?.searchParams.has('before'), false);
    assert.deepEqual((await page({ before: made[1] })).links.prev, undefined);
  });
  test('appears once in the links if it was sent by another accepted name', async () => {
    const { links } = await page({ '[before]': made[1], page: 2 });
    assert.deepEqual([...(links.next as URL).searchParams.keys()].sort(), [
      'before',
      'page',
      'per_page',
      'product_id',
    ]);
    assert.doesNotMatch(String(links.prev), /before/);
  });
  test('links to a next page only if there are more records, whatever the total', async () => {
    const last = await page({ before: made[3] });
    assert.deepEqual([last.ids, last.links], [made.slice(4), {}]);
  });
  test('accepts the id of a deleted record, an id beyond the last, and the first', async () => {
    const gone = await api.license({ product_id });
    await api.ok('DELETE', `/licenses/${gone.license_key}`);
    assert.deepEqual((await page({ before: gone.id })).ids, made.slice(0, 2));
    assert.deepEqual((await page({ before: Number.MAX_SAFE_INTEGER })).ids, made.slice(0, 2));
    assert.deepEqual(await page({ before: 1 }), { ids: [], total: '6', links: {} });
    assert.deepEqual((await page({ before: '' })).ids, made.slice(0, 2), 'empty counts as not set');
  });

  const strings = NO_INTEGER.filter((literal) => literal.startsWith('"'))
    .map((literal) => JSON.parse(literal) as string)
    .filter((text) => text.isWellFormed());
  for (const list of ['/licenses', '/generators', '/software']) {
    test(`answers 400 rest_invalid_param to a bad value and names it: ${list}`, async () => {
      for (const value of ['0', '-1', '1.5', '1e3', '2026-01-01', '9007199254740992', ...strings]) {
        const query = { query: { before: value } };
        const body = await api.fails(400, 'rest_invalid_param', 'GET', list, query);
        assert.deepEqual(Object.keys(body.data.params), ['before'], value);
      }
      await api.fails(400, 'rest_invalid_param', 'GET', `${list}?before[]=1`);
      const body = await api.fails(400, 'rest_invalid_param', 'GET', `${list}?before=x&page=x`);
      assert.deepEqual(Object.keys(body.data.params), ['page', 'before']);
    });
  }
  test('is no parameter of lists with another order', async () => {
    const { id } = await api.software();
    for (const version of ['1.0', '1.1']) await api.release(id, { version });
    const list = `/software/${id}/releases`;
    const found = await read(api, list, { per_page: 1, before: 'x' });
    assert.equal(found.ids.length, 1);
    assert.deepEqual((await read(api, list + found.links.next?.search)).ids.length, 1);
    assert.equal((await api.call('GET', `/software/${id}/downloads?before=x`)).status, 200);
  });
});

test('a page has the same records whether it is counted from the start or the end', async (t) => {
  const own = await startService(t);
  const made: number[] = [];
  for (let i = 0; i < 11; i++) made.unshift((await own.license()).id);
  for (const per_page of [1, 2, 3, 4, 10, 11, 12]) {
    const seen: number[] = [];
    for (let page = 1; seen.length < made.length; page++) {
      const found = await read(own, '/licenses', { page, per_page });
      assert.deepEqual(found.ids, made.slice(seen.length, seen.length + per_page), `${page} of ${per_page}`);
      seen.push(...found.ids);
      assert.equal(found.links.next !== undefined, seen.length < made.length, `${page} of ${per_page}`);
    }
    const past = await read(own, '/licenses', { page: 100, per_page });
    assert.deepEqual([past.ids, past.total, past.links.next], [[], '11', undefined]);
  }
});
