import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { signedIn } from '../../support/console/console.ts';
import { numberOf } from '../../support/engine.ts';
import { eventsAt, newEndpoint } from '../../support/events.ts';
import { newKey, newName, type Record_ } from '../../support/http/api.ts';
import { startService } from '../../support/service.ts';

const api = await startService({ after });
const [manager, support, viewer] = await Promise.all([
  signedIn(api, 'manager'),
  signedIn(api, 'support'),
  signedIn(api, 'viewer'),
]);
const count = () => numberOf(api.dataDir, 'select count(*) from licenses');
const historyOf = async (id: number) => (await viewer.ok('GET', `/licenses/${id}/history`)).items;

suite('keys', () => {
  test('are whole for managers, masked for others, and revealed with a record of it', async () => {
    const key = newKey();
    const { id } = await api.license({ license_key: key });
    for (const path of [`/licenses?search=${key}`, `/licenses/${id}`]) {
      const one = (found: Record_) => found.items?.[0] ?? found;
      const seen = one(await manager.ok('GET', path));
      assert.deepEqual([seen.license_key, seen.is_masked], [key, false]);
      for (const other of [support, viewer]) {
        const masked = one(await other.ok('GET', path));
        assert.deepEqual([masked.id, masked.license_key, masked.is_masked], [id, `…${key.slice(-4)}`, true]);
      }
    }
    assert.deepEqual(await support.ok('POST', `/licenses/${id}/reveal`), { license_key: key });
    const [entry] = await historyOf(id);
    assert.deepEqual(
      [entry.action, entry.user_id, entry.via],
      ['license.reveal', support.user.id, 'console'],
    );
    assert.equal((await viewer.post(`/licenses/${id}/reveal`)).status, 403);
    assert.ok(!JSON.stringify(await historyOf(id)).includes(key));
  });

  test('are not told character by character to who sees four of them', async () => {
    const key = newKey();
    await api.license({ license_key: key });
    const found = async (by: typeof viewer, length: number) =>
      (await by.ok('GET', `/licenses?search=ending:${key.slice(-length)}`)).total;
    for (const reader of [support, viewer])
      assert.deepEqual([await found(reader, 4), await found(reader, 5), await found(reader, 12)], [1, 0, 0]);
    assert.deepEqual([await found(manager, 5), await found(manager, 12)], [1, 1]);
  });
});

suite('what a role may do', () => {
  test('a viewer changes nothing, and support deletes and exports nothing', async () => {
    const { id } = await api.license();
    const before = await count();
    for (const refused of [
      viewer.post('/licenses', { license_key: newKey(), status: 3 }),
      viewer.patch(`/licenses/${id}`, { status: 5 }),
      viewer.post('/licenses/bulk', { ids: [id], status: 5 }),
      viewer.delete(`/licenses/${id}`),
      support.delete(`/licenses/${id}`),
      support.post('/licenses/bulk/delete', { ids: [id] }),
      support.get('/licenses/export'),
    ]) {
      const { status, body } = await refused;
      assert.deepEqual([status, body.code], [403, 'permission_denied']);
    }
    assert.equal(await count(), before);
    assert.equal((await manager.ok('GET', `/licenses/${id}`)).status, 3);
  });
});

suite('one license', () => {
  test('is made with a key that is given, or drawn by a generator, with what else is sent', async () => {
    const license_key = newKey();
    const made = await support.ok('POST', '/licenses', { license_key, status: 'active', order_id: 12 });
    assert.deepEqual([made.order_id, made.valid_for, made.activations_limit], [12, 0, 0]);
    assert.equal((await manager.post('/licenses', { license_key, status: 3 })).status, 409);

    const terms = {
      seat_ttl: 600,
      match: 'label',
      borrow_max_hours: 24,
      entitlements: ['pro'],
      lease_days: 5,
    };
    const limits = { expires_in: 30, activations_limit: 7 };
    const generator = await api.generator({ prefix: 'TEST-', ...limits, ...terms });
    const drawn = {
      generator_id: generator.id,
      status: 3,
      activations_limit: 4,
      borrow_max_hours: 8,
      lease_days: 6,
    };
    const other = await manager.ok('POST', '/licenses', drawn);
    assert.match(other.license_key, /^TEST-[0-9A-F]{5}-/);
    assert.deepEqual([other.activations_limit, other.valid_for, other.source], [4, 30, 1]);
    assert.ok(Math.abs(Date.parse(`${other.expires_at}Z`) - Date.now() - 30 * 86_400_000) < 60_000);
    assert.deepEqual([other.seat_ttl, other.match, other.borrow_max_hours], [600, 'label', 8]);
    assert.deepEqual([other.entitlements, other.lease_days], [['pro'], 6]);
    const expires_at = '2999-01-01 00:00:00';
    const dated = await manager.ok('POST', '/licenses', {
      generator_id: generator.id,
      status: 3,
      expires_at,
    });
    assert.deepEqual([dated.activations_limit, dated.valid_for, dated.expires_at], [7, 0, expires_at]);
    const endless = { generator_id: generator.id, status: 3, valid_for: 0, activations_limit: 0 };
    const never = await manager.ok('POST', '/licenses', endless);
    assert.deepEqual([never.activations_limit, never.valid_for, never.expires_at], [0, 0, null]);
    const { status, body } = await manager.post('/licenses', { status: 9 });
    assert.equal(status, 422);
    assert.ok('status' in body.data.params);
  });

  test('has the email address of its customer, which no program sees, sends or clears', async () => {
    const { id: endpoint } = await newEndpoint(api, { kind: 'poll' });
    const license_key = newKey();
    const address = `${newName().replaceAll(' ', '.')}@Example.com`;
    const values = { license_key, status: 3, customer_email: `  ${address} ` };
    const made = await support.ok('POST', '/licenses', values);
    assert.equal(made.customer_email, address);
    for (const customer_email of ['nobody', 'a@b@c', 'a b@c', 7]) {
      for (const refused of [
        support.post('/licenses', { ...values, license_key: newKey(), customer_email }),
        support.patch(`/licenses/${made.id}`, { customer_email }),
      ]) {
        const { status, body } = await refused;
        assert.deepEqual([status, Object.keys(body.data.params)], [422, ['customer_email']]);
        assert.equal(body.data.reasons.customer_email.code, 'not_email');
      }
    }
    const json = { customer_email: 'other@example.com', customerEmail: 'other@example.com', order_id: 5 };
    const ofPrograms = [
      await api.ok('PUT', `/licenses/${license_key}`, { json }),
      await api.ok('GET', `/licenses/${license_key}`),
      await api.ok('GET', '/licenses'),
      await api.activation(license_key),
      await api.ok('GET', '/audit', { query: { subject: `license:${made.id}` } }),
    ];
    assert.equal(ofPrograms[4].length, 2);
    assert.equal((await viewer.ok('GET', `/licenses/${made.id}`)).customer_email, address);
    const found = await viewer.ok('GET', `/licenses?search=${encodeURIComponent(address.toLowerCase())}`);
    assert.deepEqual([found.items.map(({ id }: Record_) => id), found.matched], [[made.id], ['email']]);
    assert.equal(
      (await manager.ok('PATCH', `/licenses/${made.id}`, { customer_email: null })).customer_email,
      null,
    );
    const isOfEmail = ({ before }: Record_) => before !== null && 'customer_email' in before;
    const [entry] = (await historyOf(made.id)).filter(isOfEmail);
    assert.deepEqual([entry.before, entry.after], [{ customer_email: address }, { customer_email: null }]);
    const events = await eventsAt(api, endpoint);
    assert.deepEqual(
      events.map(({ type }) => type),
      ['license.created', 'license.updated', 'activation.created', 'license.updated'],
    );
    assert.doesNotMatch(JSON.stringify([ofPrograms, events]), /email|example\.com/i);
  });

  test('is changed and deleted by its id, and its history says who did what', async () => {
    const { id } = await api.license();
    const changed = await support.ok('PATCH', `/licenses/${id}`, { status: 5, expires_at: '2031-01-01' });
    assert.deepEqual([changed.status, changed.expires_at], [5, '2031-01-01 00:00:00']);
    assert.equal((await support.patch(`/licenses/${id}`, { product_id: 'x' })).status, 422);
    const [entry] = await historyOf(id);
    assert.deepEqual(
      [entry.action, entry.user_name, entry.before, entry.after],
      [
        'license.update',
        support.user.name,
        { status: 3, expires_at: null },
        { status: 5, expires_at: '2031-01-01 00:00:00' },
      ],
    );
    await manager.ok('DELETE', `/licenses/${id}`);
    for (const gone of [id, 'x', -1])
      assert.equal((await manager.get(`/licenses/${gone}`)).status, 404, String(gone));
    assert.deepEqual(
      (await historyOf(id)).map(({ action }: Record_) => action),
      ['license.delete', 'license.update', 'license.create'],
    );
  });
});

suite('many licenses', () => {
  const three = async (values: Record_ = {}) =>
    (await Promise.all([api.license(values), api.license(values), api.license(values)])).map(({ id }) => id);
  const statuses = async (ids: number[]) =>
    (await viewer.ok('GET', `/licenses?${ids.map((id) => `ids[]=${id}`).join('&')}`)).items.map(
      ({ status, expires_at }: Record_) => [status, expires_at],
    );

  test('are changed all or none, and what is answered undoes it', async () => {
    const ids = await three({ expires_at: '2999-12-31 00:00:00' });
    await manager.ok('PATCH', `/licenses/${ids[0]}`, { status: 1 });
    const before = await statuses(ids);
    const { previous, unchanged } = await support.ok('POST', '/licenses/bulk', { ids, status: 'disabled' });
    assert.deepEqual([previous.length, unchanged], [3, []]);
    assert.deepEqual(
      (await statuses(ids)).map(([status]: number[]) => status),
      [5, 5, 5],
    );
    await support.ok('POST', '/licenses/bulk', { restore: previous });
    assert.deepEqual(await statuses(ids), before);

    const gone = await support.post('/licenses/bulk', { ids: [...ids, 999_999_999], status: 5 });
    assert.deepEqual([gone.status, gone.body.data.status], [404, 404]);
    const past = await support.post('/licenses/bulk', { ids, extend_days: 36_500 * 100 });
    assert.equal(past.status, 422);
    assert.deepEqual(await statuses(ids), before);
    for (const body of [
      { status: 5 },
      { ids },
      { ids, status: 5, extend_days: 1 },
      { ids: ['x'], status: 5 },
      { restore: [{}] },
    ])
      assert.equal((await support.post('/licenses/bulk', body)).status, 422, JSON.stringify(body));
    assert.deepEqual(await statuses(ids), before);
  });

  test('are not restored where somebody has changed them since, and keep what somebody else has changed beside it', async () => {
    const ids = await three({ expires_at: '2999-12-31 00:00:00' });
    const [mine, theirs, undone] = ids.toSorted((one, other) => one - other);
    const { previous } = await support.ok('POST', '/licenses/bulk', { ids, status: 'sold' });
    await manager.ok('PATCH', `/licenses/${theirs}`, { status: 'disabled' });
    await manager.ok('PATCH', `/licenses/${mine}`, { expires_at: '2998-01-01 00:00:00' });
    await manager.ok('PATCH', `/licenses/${undone}`, { status: 'active' });
    const told = await support.ok('POST', '/licenses/bulk', { restore: previous });
    assert.deepEqual([told.previous.length, told.kept, told.unchanged], [1, [theirs], [undone]]);
    assert.deepEqual(await statuses([mine]), [[3, '2998-01-01 00:00:00']]);
    assert.deepEqual(await statuses([theirs]), [[5, '2999-12-31 00:00:00']]);

    const extension = await support.ok('POST', '/licenses/bulk', { ids, extend_days: 1 });
    await manager.ok('PATCH', `/licenses/${theirs}`, { expires_at: null });
    assert.deepEqual((await support.ok('POST', '/licenses/bulk', { restore: extension.previous })).kept, [
      theirs,
    ]);
    assert.deepEqual(await statuses([theirs]), [[5, null]]);
  });

  test('are extended from when they end, or from now where they have, and one that never ends stays', async () => {
    // One by one, so that their ids are in this order.
    const ends = await api.license({ expires_at: '2999-01-01 00:00:00' });
    const ended = await api.license({ expires_at: '2001-01-01 00:00:00' });
    const never = await api.license();
    const ids = [ends.id, ended.id, never.id];
    const { unchanged } = await manager.ok('POST', '/licenses/bulk', { ids, extend_days: 10 });
    assert.deepEqual(unchanged, [never.id]);
    const [, after, first] = await statuses(ids);
    assert.equal(first[1], '2999-01-11 00:00:00');
    assert.ok(Math.abs(Date.parse(`${after[1]}Z`) - Date.now() - 10 * 86_400_000) < 60_000);
    await manager.ok('POST', '/licenses/bulk', { ids: [ends.id], expires_at: 'never' });
    assert.deepEqual(await statuses([ends.id]), [[3, null]]);
  });

  test('are changed and deleted though some are gone, where these are to be skipped, and told', async () => {
    const ids = await three();
    const skip_gone = true;
    await manager.ok('DELETE', `/licenses/${ids[1]}`);
    const { previous, gone } = await support.ok('POST', '/licenses/bulk', { ids, status: 5, skip_gone });
    assert.deepEqual([previous.length, gone], [2, [ids[1]]]);
    await manager.ok('DELETE', `/licenses/${ids[0]}`);
    const undone = await support.ok('POST', '/licenses/bulk', { restore: previous, skip_gone });
    assert.deepEqual([undone.previous.length, undone.gone], [1, [ids[0]]]);
    assert.deepEqual(await statuses(ids), [[3, null]]);
    const deleted = await manager.ok('POST', '/licenses/bulk/delete', { ids, skip_gone });
    assert.deepEqual(deleted, { gone: ids.slice(0, 2).toSorted((one, other) => one - other) });
    assert.deepEqual(await statuses(ids), []);
  });

  test('are deleted all or none', async () => {
    const ids = await three();
    assert.equal((await manager.post('/licenses/bulk/delete', { ids: [...ids, 999_999_999] })).status, 404);
    assert.equal((await statuses(ids)).length, 3);
    await manager.ok('POST', '/licenses/bulk/delete', { ids });
    assert.equal((await statuses(ids)).length, 0);
  });
});

suite('a request that is repeated with its Idempotency-Key', () => {
  const send = async (path: string, body: object, key: string, client = manager) => {
    const headers = { 'content-type': 'application/json', 'idempotency-key': key };
    const answer = await client.fetch(path, { method: 'POST', body: JSON.stringify(body), headers });
    return { status: answer.status, body: (await answer.json()) as Record_ };
  };

  test('extends once, also at the same time, and gets the answer that undoes it', async () => {
    const { id } = await api.license({ expires_at: '2999-01-01 00:00:00' });
    const change = { ids: [id], extend_days: 365 };
    const key = newKey();
    const answers = await Promise.all([1, 2, 3].map(() => send('/licenses/bulk', change, key)));
    const [first] = answers;
    for (const answer of answers) assert.deepEqual(answer, first);
    const ends = async () => (await manager.ok('GET', `/licenses/${id}`)).expires_at;
    assert.equal(await ends(), '3000-01-01 00:00:00');
    assert.equal((await historyOf(id)).length, 2);
    await manager.ok('POST', '/licenses/bulk', { restore: first?.body.previous });
    assert.equal(await ends(), '2999-01-01 00:00:00');
    // Another user has keys of their own.
    assert.equal((await send('/licenses/bulk', change, key, support)).status, 200);
    assert.equal(await ends(), '3000-01-01 00:00:00');
    const other = await send('/licenses/bulk', { ...change, extend_days: 30 }, key);
    assert.deepEqual([other.status, other.body.data.reason.code], [422, 'idempotency_key_reused']);
  });

  test('creates one license, and another where that was deleted or refused', async () => {
    const generator = await api.generator();
    const body = { generator_id: generator.id, status: 3 };
    const key = newKey();
    const first = await send('/licenses', body, key);
    assert.deepEqual(await send('/licenses', body, key), first);
    await manager.ok('DELETE', `/licenses/${first.body.id}`);
    assert.notEqual((await send('/licenses', body, key)).body.id, first.body.id);
    const taken = { license_key: newKey(), status: 3 };
    const { id } = await api.license({ license_key: taken.license_key });
    assert.equal((await send('/licenses', taken, `${key}-2`)).status, 409);
    await manager.ok('DELETE', `/licenses/${id}`);
    assert.equal((await send('/licenses', taken, `${key}-2`)).status, 200);
  });
});

suite('a search', () => {
  test('says by what licenses were found, and how many there are', async () => {
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

  test('by more characters than the index has tells where not all keys could be looked through', async () => {
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

  test('finds a key by its start and in any case, except for who sees four characters of it', async () => {
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
    // A key that is written like that is found alone.
    const other = await api.license({ license_key: license_key.toLowerCase() });
    assert.deepEqual(await found(license_key.toLowerCase()), [[other.id], ['key']]);
  });

  test('is sorted by a column, page by page, with licenses without a value last', async () => {
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
    // A place of another order is none.
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

    // Too many to sort: the index is read.
    const generator = await api.generator({ expires_in: 3_000 });
    const json = { amount: 10_001, save: true };
    await api.ok('POST', `/generators/${generator.id}/generate`, { json });
    const { items, next } = await viewer.ok('GET', '/licenses?sort=expires&limit=200');
    const times = items.map((one: Record_) => one.expires_at);
    assert.deepEqual(times, times.toSorted());
    const more = await viewer.ok('GET', `/licenses?sort=expires&limit=200&after=${encodeURIComponent(next)}`);
    assert.ok(more.items[0].expires_at >= times.at(-1));
    assert.equal(new Set([...items, ...more.items].map(({ id }: Record_) => id)).size, 400);
    // Of a range of days, too, alone and with another one.
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

  test('is compressed if it is long, for clients that accept gzip', async () => {
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

  test('is limited to when licenses were made', async () => {
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

  test('is walked page by page, while others come and go', async () => {
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
