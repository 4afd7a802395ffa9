import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { signedIn } from '../../support/console/console.ts';
import { newKey, newName, type Record_ } from '../../support/http/api.ts';
import { startService } from '../../support/service.ts';

const api = await startService({ after });
const [manager, support, viewer] = await Promise.all([
  signedIn(api, 'manager'),
  signedIn(api, 'support'),
  signedIn(api, 'viewer'),
]);

suite('a search', () => {
  test('says which fields matched, and how many licenses there are', async () => {
    const { id } = await api.license({ order_id: 717_171, license_key: `${newKey()}-ab12` });
    const found = await viewer.ok('GET', '/licenses?search=717171');
    assert.deepEqual(
      [found.items.length, found.total, found.total_is_more, found.matched],
      [1, 1, false, ['order']],
    );
    for (const query of ['search=AB12', 'order_id=717171&status=active', 'order_id=717171&expiry=never'])
      assert.deepEqual((await viewer.ok('GET', `/licenses?${query}`)).items[0].id, id, query);
    for (const [query, field] of [
      ['status=x', 'status'],
      ['expiry=x', 'expiry'],
      ['limit=0', 'limit'],
      ['order_id=-1', 'order_id'],
    ]) {
      const { status, body } = await viewer.get(`/licenses?${query}`);
      assert.deepEqual([status, Object.keys(body.data.params)], [422, [field]]);
    }
  });

  test('for an ending longer than the indexed one says if it could not search all keys', async () => {
    const { id, license_key: key } = await api.license({ license_key: `${newKey()}-QZ9X` });
    const ending = key.slice(-12);
    const found = () => manager.ok('GET', `/licenses?search=ending:${ending}`);
    const { items, total, total_is_more, is_cut } = await found();
    assert.deepEqual([items[0].id, total, total_is_more, is_cut], [id, 1, false, false]);
    const generator = await api.generator({ suffix: '-QZ9X' });
    const json = { amount: 2_000, save: true };
    await api.ok('POST', `/generators/${generator.id}/generate`, { json });
    const later = await found();
    assert.deepEqual([later.items, later.total_is_more, later.is_cut], [[], true, true]);
    assert.equal((await manager.ok('GET', '/licenses?search=ending:QZ9X')).is_cut, false);
    assert.equal((await manager.ok('GET', `/licenses?search=${key}`)).items[0].id, id);
  });

  test('finds a key in any case, and by its start too, except for roles that see only four characters of it', async () => {
    const license_key = `Start-${newKey()}-Qx7z`;
    const { id } = await api.license({ license_key });
    const found = async (search: string, by = manager) => {
      const { items, matched } = await by.ok('GET', `/licenses?search=${search}`);
      return [items.map((one: Record_) => one.id), matched];
    };
    const start = license_key.slice(0, 14);
    assert.deepEqual(await found(start.toLowerCase()), [[id], ['start']]);
    assert.deepEqual(await found(`start:${start}`), [[id], ['start']]);
    assert.deepEqual(await found(`start:${start}X`), [[], []]);
    assert.deepEqual(await found(start, support), [[], []]);
    for (const by of [manager, viewer])
      assert.deepEqual(await found(license_key.toUpperCase(), by), [[id], ['key']]);
    assert.deepEqual(await found(`${license_key.slice(0, -5)}-qx7z`), [[id], ['key']]);
    // An exact match in case is the only result.
    const other = await api.license({ license_key: license_key.toLowerCase() });
    assert.deepEqual(await found(license_key.toLowerCase()), [[other.id], ['key']]);
  });

  test('finds the licenses of exactly one email address, however long it is', async () => {
    const name = newName();
    const long = `${name}${'a'.repeat(244 - name.length)}@a.example`;
    const made: Record<string, number> = {};
    for (const customer_email of [`${name}@a.example`, `${name}@a.example.org`, long]) {
      const license = { license_key: newKey(), status: 3, customer_email };
      made[customer_email] = (await manager.ok('POST', '/licenses', license)).id;
    }
    for (const [email, id] of Object.entries(made)) {
      const search = encodeURIComponent(`email:<${email.toUpperCase()}>`);
      const { items } = await viewer.ok('GET', `/licenses?search=${search}`);
      assert.deepEqual(
        items.map((one: Record_) => one.id),
        [id],
        email,
      );
    }
    const { total } = await viewer.ok('GET', `/licenses?search=${name}@a.example`);
    assert.equal(total, 2);
  });

  test('sorts by a column, page by page, with licenses without a value last', async () => {
    const product_id = 8181;
    const years = [2040, 2030, null, 2035, 2030, null, 2045];
    const made: [id: number, year: number | null][] = [];
    for (const year of years) {
      const expires_at = year === null ? {} : { expires_at: `${year}-01-01` };
      made.push([(await api.license({ product_id, ...expires_at })).id, year]);
    }
    const walk = async (filter: string, sort: string) => {
      const seen: number[] = [];
      for (let next = ''; ; ) {
        const page = await viewer.ok('GET', `/licenses?${filter}&sort=${sort}&limit=3${next}`);
        seen.push(...page.items.map(({ id }: Record_) => id));
        if (page.next === null) return seen;
        next = `&after=${encodeURIComponent(page.next)}`;
      }
    };
    const at = (...places: number[]) => places.map((place) => made[place]?.[0]);
    const filter = `product_id=${product_id}`;
    assert.deepEqual(await walk(filter, 'expires'), at(1, 4, 3, 0, 6, 5, 2));
    assert.deepEqual(await walk(filter, '-expires'), at(6, 0, 3, 4, 1, 5, 2));
    assert.deepEqual(await walk(filter, 'created'), at(0, 1, 2, 3, 4, 5, 6));
    assert.deepEqual(await walk(`search=product:${product_id}`, '-created'), at(6, 5, 4, 3, 2, 1, 0));
    // A cursor from another sort order is invalid.
    for (const [sort, after] of [
      ['expires', 'x'],
      ['expires', '7.1'],
      ['order', '2030-01-01 00:00:00.1'],
      ['created', '.1'],
    ]) {
      const { status, body } = await viewer.get(`/licenses?sort=${sort}&after=${after}`);
      assert.deepEqual([status, Object.keys(body.data.params)], [422, ['after']]);
    }
    const values = [
      { product_id: 3, order_id: 30, user_id: 1, status: 5 },
      { product_id: 1, order_id: 40, status: 2 },
      { product_id: 2, user_id: 5, status: 2 },
      { order_id: 10, user_id: 3, status: 3 },
    ];
    const tagged: number[] = [];
    for (const one of values) tagged.push((await api.license(one)).id);
    for (const id of tagged) {
      const path = `/licenses/${id}/notes`;
      await manager.ok('PATCH', path, { tags: ['sorted'] });
    }
    const by = (...places: number[]) => places.map((nth) => tagged[nth]);
    for (const [sort, ...places] of [
      ['product', 1, 2, 0, 3],
      ['-product', 0, 2, 1, 3],
      ['order', 3, 0, 1, 2],
      ['customer', 0, 3, 2, 1],
      ['status', 1, 2, 3, 0],
      ['-status', 0, 3, 2, 1],
    ] as const)
      assert.deepEqual(await walk('tag=sorted', sort), by(...places), sort);

    // There are too many licenses to sort, so the server reads the index.
    const generator = await api.generator({ expires_in: 3_000 });
    const json = { amount: 10_001, save: true };
    await api.ok('POST', `/generators/${generator.id}/generate`, { json });
    const { items, next } = await viewer.ok('GET', '/licenses?sort=expires&limit=200');
    const times = items.map((one: Record_) => one.expires_at);
    assert.deepEqual(times, times.toSorted());
    const more = await viewer.ok('GET', `/licenses?sort=expires&limit=200&after=${encodeURIComponent(next)}`);
    assert.ok(more.items[0].expires_at >= times.at(-1));
    assert.equal(new Set([...items, ...more.items].map(({ id }: Record_) => id)).size, 400);
    // The order also holds within a range of days, alone and combined with a second range.
    for (const filter of ['', '&created_from=2020-01-01']) {
      const range = `/licenses?expires_from=2034-01-01&expires_before=2039-01-01${filter}&limit=2`;
      const { items: first } = await viewer.ok('GET', `${range}&sort=expires`);
      assert.deepEqual(
        [first[0].id, first[1].expires_at.slice(0, 4)],
        [made[3]?.[0], times.at(-1).slice(0, 4)],
        filter,
      );
      const { items: last } = await viewer.ok('GET', `${range}&sort=-expires`);
      assert.ok(last[0].expires_at < '2039' && last[0].expires_at > first[0].expires_at, filter);
      const { items: newest } = await viewer.ok('GET', `${range}&sort=-created`);
      assert.ok(newest[0].id > newest[1].id, filter);
    }
    const orders: number[] = [];
    for (let after = ''; orders.length < 4; ) {
      const page = await viewer.ok('GET', `/licenses?sort=-order&limit=2${after}`);
      orders.push(...page.items.map((one: Record_) => one.order_id));
      after = `&after=${encodeURIComponent(page.next)}`;
    }
    assert.deepEqual(
      orders,
      orders.toSorted((one, other) => other - one),
    );
  });

  test('compresses a long answer for clients that accept gzip', async () => {
    const fetched = async (path: string, accepted: string) => {
      const answer = await viewer.fetch(path, { headers: { 'accept-encoding': accepted } });
      const { headers } = answer;
      return [
        headers.get('content-encoding'),
        headers.get('vary'),
        Object.keys(((await answer.json()) as Record_).items[0]),
      ];
    };
    await api.license();
    const fields = Object.keys((await viewer.ok('GET', '/licenses?limit=1')).items[0]);
    const long = '/licenses?limit=50';
    for (const accepted of ['gzip, deflate, br, zstd', 'br;q=1.0, gzip;q=1'])
      assert.deepEqual(await fetched(long, accepted), ['gzip', 'accept-encoding', fields]);
    for (const accepted of ['identity', 'br', 'gzip;q=0'])
      assert.deepEqual(await fetched(long, accepted), [null, 'accept-encoding', fields]);
    assert.deepEqual(await fetched('/licenses?limit=1', 'gzip'), [null, null, fields]);
  });

  test('filters by creation date', async () => {
    const { id, created_at } = await api.license({ product_id: 8282 });
    const total = async (range: string) =>
      (await viewer.ok('GET', `/licenses?product_id=8282&${range}`)).total;
    const at = encodeURIComponent(created_at);
    assert.deepEqual([await total(`created_from=${at}`), await total(`created_before=${at}`)], [1, 0]);
    assert.deepEqual(
      (await viewer.ok('GET', `/licenses?created_from=${at}&search=product:8282`)).items[0].id,
      id,
    );
  });

  test('pages through all licenses while others are created and deleted', async () => {
    const made = [];
    for (let i = 0; i < 7; i++) made.push((await api.license({ product_id: 8080 })).id);
    const seen: number[] = [];
    for (let next: number | null = null; ; ) {
      const page = await viewer.ok(
        'GET',
        `/licenses?product_id=8080&limit=3${next ? `&before=${next}` : ''}`,
      );
      seen.push(...page.items.map(({ id }: Record_) => id));
      if (next === null) {
        await api.license({ product_id: 8080 });
        await manager.ok('DELETE', `/licenses/${page.next}`);
      }
      next = page.next;
      if (next === null) break;
    }
    assert.deepEqual(seen, made.toReversed());
  });
});
