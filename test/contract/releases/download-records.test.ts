import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { rowsOf } from '../../support/engine.ts';
import { basicHeader, type Record_ } from '../../support/http/api.ts';
import { exchange } from '../../support/http/wire.ts';
import { startService } from '../../support/service.ts';

/** What the service records of downloads, and how it counts them. */
const NOON = Date.parse('2030-06-01T12:00:00Z');
const DAY = 86_400_000;
let now = NOON;
const api = await startService({ after }, { clock: () => now });
test.beforeEach(() => {
  now = NOON;
});
const authorization = basicHeader(api.credentials);

async function sold(values: Record<string, string> = {}) {
  const { id } = await api.software();
  const release = await api.release(id, values);
  const license = await api.license({ activations_limit: 0 });
  const activation = await api.activation(license.license_key, { software: id });
  return { software: id as number, release, license, activation, token: activation.token as string };
}
const addressOf = async (software: number, token: string): Promise<string> =>
  (await api.ok('GET', `/software/${software}`, { query: { activation_token: token } })).download_url;
const download = (token: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(`${api.root}/software/download/${token}`, { method, headers: { authorization, ...headers } });
const counts = (software: number, query = {}): Promise<Record_[]> =>
  api.ok('GET', `/software/${software}/downloads`, { query });
const total = async (software: number) =>
  (await counts(software)).reduce((sum, { downloads }) => sum + downloads, 0);

/** Reads the database directly, beside the running service. */
const recordsOf = (release: number): Promise<Record_[]> =>
  rowsOf(api.dataDir, `select * from downloads where release_id = ${release} order by id`);

// Before any test begins, because this moves the clock.
const { software, release: one, license: counted } = await sold({ version: '1.0' });
const activated = async ({ license_key: key }: Record_, to: number): Promise<string> =>
  (await api.activation(key, { software: to })).token;
const take = async (times: number) => {
  for (let i = 0; i < times; i++) await (await download(await activated(counted, software))).text();
};
now = NOON - 2 * DAY;
await take(1);
now = NOON - DAY;
await take(2);
const two = await api.release(software, { version: '2.0' });
await take(3);
now = Date.parse('2030-06-01T23:59:59Z');
await take(4);
now = Date.parse('2030-06-02T00:00:00Z');
await take(5);

suite('the record of a download', () => {
  test('has its release, license, activation, time, address and user agent', async () => {
    const { software, release, license, activation, token } = await sold();
    const url = await addressOf(software, token);
    await (await fetch(url, { headers: { 'user-agent': 'WordPress/6.8; https://example.com' } })).text();
    const [{ id, ...record }, ...more] = await recordsOf(release.id);
    assert.deepEqual(more, []);
    assert.ok(id > 0);
    assert.deepEqual(
      { ...record },
      {
        release_id: release.id,
        license_id: license.id,
        activation_id: activation.id,
        ip_address: '127.0.0.1',
        user_agent: 'WordPress/6.8; https://example.com',
        meta: null,
        created_at: '2030-06-01 12:00:00',
        once: null,
      },
    );
  });
  test('is the same by activation token; a missing user agent is null', async () => {
    const { release, license, activation, token } = await sold();
    const target = `/wp-json/dlm/v1/software/download/${token}`;
    const lines = [
      `GET ${target} HTTP/1.1`,
      'Host: a',
      `Authorization: ${authorization}`,
      'Connection: close',
    ];
    assert.equal((await exchange(api.port, `${lines.join('\r\n')}\r\n\r\n`)).status, 200);
    const [record] = await recordsOf(release.id);
    assert.deepEqual([record.license_id, record.activation_id], [license.id, activation.id]);
    assert.equal(record.user_agent, null);
  });
  test('has no license and activation for public software', async () => {
    const { id } = await api.software({ access: 'public' });
    const release = await api.release(id);
    await (await fetch((await api.ok('GET', `/software/${id}`)).download_url)).text();
    const [record] = await recordsOf(release.id);
    assert.deepEqual([record.license_id, record.activation_id], [null, null]);
  });
  test('has the address that a trusted proxy sends', async () => {
    const trusting = await startService({ after }, { server: { trustProxy: true } });
    const { id } = await trusting.software({ access: 'public' });
    await trusting.release(id);
    const { download_url } = await trusting.ok('GET', `/software/${id}`);
    await (await fetch(download_url, { headers: { 'x-forwarded-for': '203.0.113.7' } })).text();
    const [record] = await rowsOf(trusting.dataDir, 'select ip_address from downloads');
    assert.equal(record?.ip_address, '203.0.113.7');
  });
  const META: [query: string, meta: object | null][] = [
    [
      'meta_wp_version=6.8.1&meta_php_version=8.3&meta_web_server=nginx%2F1.27+x',
      { wp_version: '6.8.1', php_version: '8.3', web_server: 'nginx/1.27 x' },
    ],
    ['meta_a=%D0%BA%D0%BB%D1%8E%D1%87&x=1&meta=2&metab=3', { a: 'ключ' }],
    ['meta_list[]=1&meta_list[]=2&meta_of[os]=linux', { list: ['1', '2'], of: { os: 'linux' } }],
    ['meta[wp_version]=6.8&meta[os]=linux&meta_os=bsd', { wp_version: '6.8', os: 'bsd' }],
    ['meta[]=1&meta_b=2', { b: '2' }],
    ['meta_empty=', { empty: '' }],
    ['x=1', null],
    ['meta_pc=M%FCller', null],
    [`meta_large=${'x'.repeat(17_000)}`, null],
  ];
  for (const [query, meta] of META) {
    test(`has the metadata of ${query.slice(0, 60)}`, async () => {
      const { software, release, token } = await sold();
      const answer = await fetch(`${await addressOf(software, token)}&${query}`);
      assert.deepEqual([answer.status, await answer.text()], [200, 'bytes']);
      const [record] = await recordsOf(release.id);
      assert.deepEqual(record.meta === null ? null : JSON.parse(record.meta), meta);
      assert.ok(!JSON.stringify(record).includes(api.credentials.consumerSecret));
    });
  }
  test('stays when its license and release are deleted; the count goes with the release', async () => {
    const { software, release, license, token } = await sold();
    await (await download(token)).text();
    const records = await recordsOf(release.id);
    await api.ok('DELETE', `/licenses/${license.license_key}`);
    assert.deepEqual([await recordsOf(release.id), await total(software)], [records, 1]);
    await api.ok('DELETE', `/software/${software}/releases/${release.id}`);
    assert.deepEqual([await recordsOf(release.id), await counts(software)], [records, []]);
  });
});

suite('counting of downloads', () => {
  const HASH = /sha-256/;
  const COUNTED: [what: string, headers: Record<string, string>][] = [
    ['the whole file', {}],
    ['a range from the first byte', { range: 'bytes=0-1' }],
    ['an open range from the first byte', { range: 'bytes=0-' }],
    ['several ranges, answered with the whole file', { range: 'bytes=0-0,3-4' }],
    ['a range with an outdated If-Range', { range: 'bytes=2-', 'if-range': '"other"' }],
    ['a file with an outdated If-None-Match', { 'if-none-match': '"other"' }],
  ];
  const NOT_COUNTED: [what: string, headers: Record<string, string>, status: number, method?: string][] = [
    ['a resumed download', { range: 'bytes=2-' }, 206],
    ['the last bytes', { range: 'bytes=-2' }, 206],
    ['HEAD', {}, 200, 'HEAD'],
    ['HEAD of a range', { range: 'bytes=0-' }, 200, 'HEAD'],
    ['a range beyond the end', { range: 'bytes=900-' }, 416],
    ['a request without credentials', { authorization: 'Basic x' }, 401],
  ];
  for (const [what, headers] of COUNTED) {
    test(`counts ${what}`, async () => {
      const { software, release, token } = await sold();
      const answer = await download(token, headers);
      assert.ok(answer.ok);
      assert.match(answer.headers.get('repr-digest') ?? '', HASH);
      assert.deepEqual([await total(software), (await recordsOf(release.id)).length], [1, 1]);
    });
  }
  for (const [what, headers, status, method] of NOT_COUNTED) {
    test(`does not count ${what}`, async () => {
      const { software, release, token } = await sold();
      assert.equal((await download(token, headers, method)).status, status);
      assert.deepEqual([await total(software), (await recordsOf(release.id)).length], [0, 0]);
    });
  }
  test('does not count a 304', async () => {
    const { software, release, token } = await sold();
    const headers = { 'if-none-match': `"${release.sha256}"` };
    for (const method of ['GET', 'HEAD']) assert.equal((await download(token, headers, method)).status, 304);
    assert.equal(await total(software), 0);
  });
  test('does not count a refused download', async () => {
    const { software, license, token } = await sold();
    const url = await addressOf(software, token);
    await api.ok('PUT', `/licenses/${license.license_key}`, { json: { status: 5 } });
    assert.deepEqual([(await fetch(url)).status, (await download(token)).status], [403, 403]);
    assert.equal((await download('f'.repeat(40))).status, 404);
    assert.equal(await total(software), 0);
  });
  test('counts twenty concurrent downloads as twenty, and twenty parts as one per activation', async () => {
    const { software, release, license, token } = await sold();
    await Promise.all(Array.from({ length: 20 }, async () => (await download(token)).text()));
    assert.deepEqual([await total(software), (await recordsOf(release.id)).length], [20, 20]);
    const tokens = [token, await activated(license, software)];
    const parts = Array.from({ length: 20 }, (_, i) => ({ range: `bytes=0-${i % 4}` }));
    await Promise.all(parts.map(async (headers, i) => (await download(`${tokens[i % 2]}`, headers)).text()));
    assert.deepEqual([await total(software), (await recordsOf(release.id)).length], [22, 22]);
  });
  test('counts a part of another release, and a part in another hour', async () => {
    const { software, release, token } = await sold();
    const part = async () => (await download(token, { range: 'bytes=0-0' })).text();
    await part();
    now += 3_599_000;
    await part();
    assert.equal(await total(software), 1);
    now += 1_000;
    await part();
    assert.deepEqual([await total(software), (await recordsOf(release.id)).length], [2, 2]);
    const newer = await api.release(software, { version: '2.0' });
    await part();
    assert.equal((await recordsOf(newer.id)).length, 1);
  });
  test('counts parts of public software once per network, however many of its addresses ask', async () => {
    const trusting = await startService({ after }, { server: { trustProxy: true } });
    const { id } = await trusting.software({ access: 'public' });
    await trusting.release(id);
    const { download_url } = await trusting.ok('GET', `/software/${id}`);
    for (const address of ['2001:db8::1', '2001:db8::2', '2001:db8:0:1::1', '203.0.113.7', '203.0.113.7'])
      await (
        await fetch(download_url, { headers: { 'x-forwarded-for': address, range: 'bytes=0-0' } })
      ).text();
    assert.equal((await trusting.ok('GET', `/software/${id}/downloads`))[0].downloads, 3);
  });
});

suite('the download counts', () => {
  const ROWS = [
    { release_id: two.id, version: '2.0', day: '2030-06-02', downloads: 5 },
    { release_id: two.id, version: '2.0', day: '2030-06-01', downloads: 4 },
    { release_id: two.id, version: '2.0', day: '2030-05-31', downloads: 3 },
    { release_id: one.id, version: '1.0', day: '2030-05-31', downloads: 2 },
    { release_id: one.id, version: '1.0', day: '2030-05-30', downloads: 1 },
  ];
  test('are grouped by release and day, newest day first', async () => {
    assert.deepEqual(await counts(software), ROWS);
  });
  const FILTERS: [query: Record<string, string | number>, from: number, to: number][] = [
    [{ release_id: two.id }, 0, 3],
    [{ release_id: String(one.id) }, 3, 5],
    [{ release_id: 999_999 }, 0, 0],
    [{ from: '2030-05-31' }, 0, 4],
    [{ to: '2030-05-31' }, 2, 5],
    [{ from: '2030-05-31', to: '2030-05-31' }, 2, 4],
    [{ from: '2030-05-31 23:00:00', to: '2030-06-01T01:00:00+02:00' }, 2, 4],
    [{ from: '2030-06-01', release_id: one.id }, 0, 0],
    [{ from: '2030-06-02', to: '2030-06-01' }, 0, 0],
    [{ from: '', to: '', release_id: '' }, 0, 5],
  ];
  for (const [query, from, to] of FILTERS) {
    test(`are filtered by ${JSON.stringify(query)}`, async () => {
      const { body, headers } = await api.call('GET', `/software/${software}/downloads`, { query });
      assert.deepEqual(body.data, ROWS.slice(from, to));
      assert.equal(headers.get('x-wp-total'), String(to - from));
    });
  }
  for (const [name, value] of [
    ['release_id', 'abc'],
    ['release_id', '1.5'],
    ['release_id', '-1'],
    ['from', 'yesterday'],
    ['from', '2030-02-30'],
    ['to', '2030'],
    ['to', '+1 day'],
    ['from[]', '2030-01-01'],
  ] as const) {
    test(`answer 422 to ${name}=${value} and name it`, async () => {
      const path = `/software/${software}/downloads`;
      const body = await api.fails(422, 'data_error', 'GET', path, { query: { [name]: value } });
      assert.deepEqual(Object.keys(body.data.params), [name.replace('[]', '')]);
    });
  }
  test('are paged', async () => {
    const seen = [];
    for (const page of [1, 2, 3]) seen.push(...(await counts(software, { page, per_page: 2 })));
    assert.deepEqual(seen, ROWS);
    const { headers } = await api.call('GET', `/software/${software}/downloads`, { query: { per_page: 2 } });
    assert.deepEqual([headers.get('x-wp-total'), headers.get('x-wp-totalpages')], ['5', '3']);
    assert.match(headers.get('link') ?? '', /rel="next"/);
  });
  test('cover one software record, and are [] if there are none', async () => {
    assert.deepEqual(await counts((await api.software()).id), []);
  });
});
