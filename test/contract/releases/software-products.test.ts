import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { newName, type Record_ } from '../../support/http/api.ts';
import { withApiKey } from '../../support/http/api-keys.ts';
import { startService } from '../../support/service.ts';

/** What an API key that is limited to products can see and do with software. */
const api = await startService({ after });
const limited = await withApiKey(api, { products: [7, 8] });

const made = async (product_ids: number[], values = {}) => {
  const software = await api.software({ product_ids, ...values });
  const release = await api.release(software.id);
  return { software, release };
};
const upload = () => ({ multipart: { version: '2.0', file: new File(['x'], 'x.zip') } });
const read = async (id: number): Promise<Record_> =>
  (await api.ok('GET', '/software', { query: { per_page: 1000 } })).find((one: Record_) => one.id === id);
const state = async (id: number) => [await read(id), await api.ok('GET', `/software/${id}/releases`)];

type Call = [method: string, rest: (release: number) => string, options?: () => object];
const READS: Call[] = [
  ['GET', () => ''],
  ['GET', () => '/releases'],
  ['GET', () => '/downloads'],
];
const WRITES: Call[] = [
  ['PUT', () => '', () => ({ json: { name: 'Changed' } })],
  ['PATCH', () => '', () => ({ json: {} })],
  ['POST', () => '', () => ({ json: { product_ids: [7] } })],
  ['POST', () => '/releases', upload],
  ['POST', () => '/releases', () => ({ json: { version: '2.0', status: 'draft' } })],
  ['PUT', (release) => `/releases/${release}`, upload],
  ['PATCH', (release) => `/releases/${release}`, () => ({ json: { status: 'yanked' } })],
  ['POST', (release) => `/releases/${release}`, () => ({ json: { rollout: 5 } })],
  ['DELETE', (release) => `/releases/${release}`],
  ['DELETE', () => ''],
];
const NONE = () => ({});

for (const [what, products] of [
  ['of other products', [9, 10]],
  ['for all licenses', []],
] as const) {
  suite(`software ${what}`, () => {
    for (const [method, rest, options = NONE] of [...READS, ...WRITES]) {
      test(`does not exist: ${method} of /software/…${rest(1)} answers the same 404 as for unknown software`, async () => {
        const { software, release } = await made([...products]);
        const before = await state(software.id);
        const path = `/software/${software.id}${rest(release.id)}`;
        const body = await limited.fails(404, 'data_error', method, path, options());
        const none = `/software/999999${rest(release.id)}`;
        const unknown = await limited.fails(404, 'data_error', method, none, options());
        assert.equal(body.message.replace(String(software.id), '999999'), unknown.message);
        assert.deepEqual(body.data, unknown.data);
        assert.deepEqual(await state(software.id), before);
      });
    }
    test('is absent from the list', async () => {
      const { software: mine } = await made([7]);
      await made([...products]);
      const { body, headers } = await limited.call('GET', '/software', { query: { per_page: 1 } });
      assert.deepEqual(
        body.data.map(({ id }: Record_) => id),
        [mine.id],
      );
      const all = await limited.ok('GET', '/software', { query: { per_page: 1000 } });
      assert.equal(headers.get('x-wp-total'), String(all.length));
      for (const { product_ids } of all) assert.ok(product_ids.includes(7) || product_ids.includes(8));
    });
    test('cannot be downloaded with a download token of another key; the answer is that for a deleted release', async () => {
      const { software } = await made([...products], { access: 'public' });
      const { software: deleted, release } = await made([7], { access: 'public' });
      const tokenOf = async (id: number) =>
        /download\/([^?]+)/.exec((await api.ok('GET', `/software/${id}`)).download_url)?.[1];
      const [token, gone] = [await tokenOf(software.id), await tokenOf(deleted.id)];
      await api.ok('DELETE', `/software/${deleted.id}/releases/${release.id}`);
      const one = await limited.call('GET', `/software/download/${token}`);
      const other = await limited.call('GET', `/software/download/${gone}`);
      assert.deepEqual([one.status, one.body], [other.status, other.body]);
      assert.equal(one.body.code, 'permission_denied');
      assert.equal((await api.call('GET', `/software/download/${token}`)).status, 200);
    });
    test('is ignored in an activation, like an unknown id', async () => {
      const { software } = await made([...products]);
      const { license_key } = await api.license({ product_id: 7 });
      const one = await limited.activation(license_key, { software: software.id });
      const other = await limited.activation(license_key, { software: 999_999 });
      assert.deepEqual([one.software_id, other.software_id], [null, null]);
    });
    test('cannot be downloaded by the token of an activation for it', async () => {
      const product_id = products[0] ?? 7;
      const { software } = await made([...products]);
      const license = await api.license({ product_id });
      const { token } = await api.activation(license.license_key, { software: software.id });
      await limited.fails(404, 'data_error', 'GET', `/software/download/${token}`);
      assert.equal((await api.call('GET', `/software/download/${token}`)).status, 200);
    });
  });
}

suite("software of one of the key's products and of another one", () => {
  for (const [method, rest] of READS) {
    test(`can be read: ${method} of /software/…${rest(1)}`, async () => {
      const { software, release } = await made([7, 9]);
      await limited.ok(method, `/software/${software.id}${rest(release.id)}`);
      const [newest] = await limited.ok('GET', '/software');
      assert.deepEqual([newest.id, newest.product_ids], [software.id, [7, 9]]);
    });
  }
  for (const [method, rest, options = NONE] of WRITES) {
    test(`cannot be changed: ${method} of /software/…${rest(1)} answers 403, nothing changed`, async () => {
      const { software, release } = await made([7, 9]);
      const before = await state(software.id);
      const path = `/software/${software.id}${rest(release.id)}`;
      await limited.fails(403, 'permission_denied', method, path, options());
      assert.deepEqual(await state(software.id), before);
    });
  }
  test('offers and serves downloads only for licenses that the key sees', async () => {
    const { software } = await made([7, 9]);
    const activation = async (product_id: number) =>
      (await api.activation((await api.license({ product_id })).license_key, { software: software.id }))
        .token;
    const [mine, other] = [await activation(7), await activation(9)];
    const news = async (token: string) =>
      limited.ok('GET', `/software/${software.id}`, { query: { activation_token: token } });
    const [told, untold] = [await news(mine), await news(other)];
    assert.equal((await fetch(told.download_url)).status, 200);
    assert.deepEqual([untold.license, untold.download_url, untold.version], ['', '', '1.0.0']);
    assert.equal((await limited.call('GET', `/software/download/${mine}`)).status, 200);
    await limited.fails(404, 'data_error', 'GET', `/software/download/${other}`);
    const { download_url } = await api.ok('GET', `/software/${software.id}`, {
      query: { activation_token: other },
    });
    const token = /download\/([^?]+)/.exec(download_url)?.[1];
    await limited.fails(403, 'permission_denied', 'GET', `/software/download/${token}`);
  });
  test('can be activated for licenses that the key sees and that it covers, and for no others', async () => {
    const { software } = await made([7, 9]);
    const { license_key } = await api.license({ product_id: 7 });
    assert.equal((await limited.activation(license_key, { software: software.id })).software_id, software.id);
    const eight = await api.license({ product_id: 8 });
    const path = `/licenses/activate/${eight.license_key}`;
    await limited.fails(404, 'data_error', 'GET', path, { query: { software: software.id } });
    assert.equal((await api.ok('GET', `/licenses/${eight.license_key}`)).times_activated, 0);
  });
});

suite("software of the key's products only", () => {
  for (const [method, rest, options = NONE] of [...READS, ...WRITES]) {
    test(`can be read and changed: ${method} of /software/…${rest(1)}`, async () => {
      const { software, release } = await made([8, 7]);
      await limited.ok(method, `/software/${software.id}${rest(release.id)}`, options());
    });
  }
  test('can be created, with a release', async () => {
    const { id, product_ids } = await limited.software({ product_ids: [8] });
    assert.deepEqual(product_ids, [8]);
    assert.equal((await limited.release(id)).version, '1.0.0');
  });
});

suite('a limited key reaching outside its products', () => {
  const OUTSIDE = [undefined, null, '', [], 9, [9], [7, 9], ['7', '9'], [0]];
  for (const product_ids of OUTSIDE) {
    test(`cannot create software with product_ids ${JSON.stringify(product_ids)}: 422 naming it, nothing created`, async () => {
      const json = { name: 'x', slug: newName().toLowerCase(), product_ids };
      const before = await api.ok('GET', '/software');
      const body = await limited.fails(422, 'data_error', 'POST', '/software', { json });
      assert.deepEqual(Object.keys(body.data.params), ['product_ids']);
      assert.deepEqual(await api.ok('GET', '/software'), before);
    });
    if (product_ids === undefined) continue;
    test(`cannot move software to product_ids ${JSON.stringify(product_ids)}: 422 naming it, nothing changed`, async () => {
      const { software } = await made([7]);
      const before = await state(software.id);
      const options = { json: { name: 'Changed', product_ids } };
      const body = await limited.fails(422, 'data_error', 'PUT', `/software/${software.id}`, options);
      assert.deepEqual(Object.keys(body.data.params), ['product_ids']);
      assert.deepEqual(await state(software.id), before);
    });
  }
  test('gets 409 for a taken slug without learning whose it is', async () => {
    const { software } = await made([9]);
    const json = { name: 'x', slug: software.slug, product_ids: [7] };
    const body = await limited.fails(409, 'data_error', 'POST', '/software', { json });
    assert.ok(!JSON.stringify(body).includes('"9"') && !body.message.includes('product'));
  });
});

test('for an activation without software, software that the key does not see still counts as covering the license', async () => {
  const other = await withApiKey(api, { products: [70] });
  const { software } = await made([70]);
  const { license_key } = await api.license({ product_id: 70 });
  const { token } = await other.activation(license_key);
  for (const one of await api.ok('GET', '/software', { query: { per_page: 1000 } })) {
    if (one.product_ids.length === 0) await api.ok('DELETE', `/software/${one.id}`);
  }
  assert.equal((await other.call('GET', `/software/download/${token}`)).body, 'bytes');
  const { software: forAll } = await made([]);
  await other.fails(404, 'data_error', 'GET', `/software/download/${token}`);
  await api.ok('DELETE', `/software/${forAll.id}`);
  assert.equal((await read(software.id)).id, software.id);
});
