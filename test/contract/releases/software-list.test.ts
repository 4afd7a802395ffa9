import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import type { Record_ } from '../../support/http/api.ts';
import { startService } from '../../support/service.ts';

const api = await startService({ after });
const ids = (data: Record_[]): number[] => data.map(({ id }) => id);

const empty = await startService({ after });
const { id } = await api.software();
const release = await api.release(id);

suite('the list of software', () => {
  test('is [] with totals of 0 if there is no software', async () => {
    const { body, headers } = await empty.call('GET', '/software');
    assert.deepEqual(body, { success: true, data: [] });
    assert.deepEqual([headers.get('x-wp-total'), headers.get('x-wp-totalpages')], ['0', '0']);
    assert.equal(headers.get('link'), null);
  });
  test('is newest first, 30 by default, and has every record once', async () => {
    const made = [];
    for (let i = 0; i < 31; i++) made.push((await empty.software({ product_ids: [i, i + 1] })).id);
    const newestFirst = made.toReversed();
    const { body, headers } = await empty.call('GET', '/software');
    assert.deepEqual(ids(body.data), newestFirst.slice(0, 30));
    assert.deepEqual([headers.get('x-wp-total'), headers.get('x-wp-totalpages')], ['31', '2']);
    const seen = [];
    for (const page of [1, 2, 3, 4]) {
      seen.push(...ids(await empty.ok('GET', '/software', { query: { page, per_page: 10 } })));
    }
    assert.deepEqual(seen, newestFirst);
  });
  test('links to the adjacent pages, without credentials', async () => {
    const { consumerKey, consumerSecret } = empty.credentials;
    const query = { page: 2, per_page: 10, consumer_key: consumerKey, consumer_secret: consumerSecret };
    const { headers } = await empty.call('GET', '/software', { query, credentials: null });
    const link = headers.get('link') ?? '';
    assert.match(link, /[?&]page=3&per_page=10&before=\d+>; rel="next"/);
    assert.match(link, /[?&]page=1&per_page=10>; rel="prev"/);
    assert.doesNotMatch(link, /consumer|ck_|cs_/);
  });
});

for (const path of ['/software', '/software/1/releases', '/software/1/downloads']) {
  for (const query of ['page=0', 'page=abc', 'page=1.5', 'per_page=0', 'per_page=1001', 'per_page=-1']) {
    test(`${path}?${query} answers 400 rest_invalid_param naming it`, async () => {
      const body = await api.fails(400, 'rest_invalid_param', 'GET', `${path}?${query}`);
      assert.deepEqual(Object.keys(body.data.params), [query.split('=')[0]]);
    });
  }
}

suite('ids in a path', () => {
  const upload = () => ({ multipart: { version: '9.9.9', file: new File(['x'], 'x.zip') } });
  const ROUTES: [method: string, rest: string, options?: () => object][] = [
    ['GET', ''],
    ['HEAD', ''],
    ['PUT', '', () => ({ json: { name: 'x' } })],
    ['PATCH', '', () => ({ json: { name: 'x' } })],
    ['POST', '', () => ({ form: { name: 'x' } })],
    ['DELETE', ''],
    ['GET', '/releases'],
    ['POST', '/releases', upload],
    ['POST', '/releases', () => ({ json: { version: '1', status: 'draft' } })],
    ['PUT', `/releases/${release.id}`, () => ({ json: { rollout: 5 } })],
    ['PATCH', `/releases/${release.id}`, upload],
    ['POST', `/releases/${release.id}`, upload],
    ['DELETE', `/releases/${release.id}`],
    ['GET', '/downloads'],
  ];
  const NOTHING = ['0', '999999999', '9007199254740992', '12345678901234567890', '-1', 'abc', '1.5', '1e3'];
  const ODD = ['%2B1', '%20', `${id}%20`, '%D9%A1', '%00', 'null', `hashed-${id}`];
  for (const [method, rest, options = () => ({})] of ROUTES) {
    test(`${method} of /software/…${rest} with an unknown id answers 404 data_error`, async () => {
      for (const named of [...NOTHING, ...ODD]) {
        const { status, body } = await api.call(method, `/software/${named}${rest}`, options());
        assert.equal(status, 404, named);
        if (method !== 'HEAD')
          assert.deepEqual([body.code, body.data], ['data_error', { status: 404 }], named);
      }
    });
  }
  for (const method of ['PUT', 'PATCH', 'POST', 'DELETE']) {
    test(`${method} of an unknown release of the software answers 404 data_error`, async () => {
      const other = await api.release((await api.software()).id);
      for (const named of [...NOTHING, ...ODD, String(other.id)]) {
        const options = method === 'DELETE' ? {} : { json: { rollout: 5 } };
        const path = `/software/${id}/releases/${named}`;
        const body = await api.fails(404, 'data_error', method, path, options);
        assert.deepEqual(body.data, { status: 404 }, named);
      }
      assert.equal((await api.ok('GET', `/software/${other.software_id}/releases`))[0].rollout, 100);
    });
  }
  test('none of these requests created, changed or deleted anything', async () => {
    assert.deepEqual(await api.ok('GET', `/software/${id}/releases`), [release]);
    assert.equal((await api.ok('GET', `/software/${id}`)).name, 'Test');
  });
});

suite('delete', () => {
  test('answers [] and deletes the software; other software keeps its id', async () => {
    const [one, other] = [await api.software(), await api.software()];
    assert.deepEqual(await api.ok('DELETE', `/software/${other.id}`), []);
    for (const method of ['GET', 'PUT', 'DELETE']) {
      await api.fails(404, 'data_error', method, `/software/${other.id}`);
    }
    assert.equal((await api.ok('GET', `/software/${one.id}`)).details.slug, one.slug);
    assert.ok((await api.software()).id > other.id, 'an id is never reused');
  });
  test('frees the slug', async () => {
    const { id, slug } = await api.software();
    await api.ok('DELETE', `/software/${id}`);
    assert.equal((await api.software({ slug })).slug, slug);
  });
  test('keeps the activations of the software', async () => {
    const { id } = await api.software();
    const { token } = await api.activation((await api.license()).license_key, { software: id });
    await api.ok('DELETE', `/software/${id}`);
    assert.equal((await api.ok('GET', `/licenses/validate/${token}`)).software_id, id);
  });
});
