import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { startService } from '../../support/service.ts';

const api = await startService({ after });
const download = (token: string) => api.call('GET', `/software/download/${token}`);
const gets = async (token: string, content = 'bytes') => {
  const { status, body } = await download(token);
  assert.deepEqual([status, body], [200, content]);
};
const denied = async (token: string) => {
  const { status, body } = await download(token);
  assert.deepEqual([status, body.code, body.data], [403, 'permission_denied', { status: 403 }]);
};
const unknown = async (token: string) => {
  const { status, body } = await download(token);
  assert.deepEqual([status, body.code, body.data], [404, 'data_error', { status: 404 }]);
};

suite('download by the token of an activation without software', () => {
  const activation = async (product_id: number | null) =>
    (await api.activation((await api.license({ product_id })).license_key)).token;
  test('serves the only software that covers the license', async () => {
    await api.release((await api.software({ product_ids: [71, 72] })).id);
    await gets(await activation(71));
  });
  test('answers 404 if no software covers the license', async () => {
    for (const product_id of [73, null]) await unknown(await activation(product_id));
  });
  test('answers 404 while two software records cover the license', async () => {
    await api.release((await api.software({ product_ids: [74] })).id);
    const other = await api.software({ product_ids: [74, 75] });
    const token = await activation(74);
    await unknown(token);
    await api.ok('DELETE', `/software/${other.id}`);
    await gets(token);
  });
  test('counts software for all licenses as covering', async () => {
    await api.release((await api.software({ product_ids: [76] })).id);
    const forAll = await api.software();
    await unknown(await activation(76));
    await api.release(forAll.id, { file: new File(['for all'], 'x.zip') });
    await gets(await activation(77), 'for all');
    await gets(await activation(null), 'for all');
    await api.ok('DELETE', `/software/${forAll.id}`);
  });
  test('answers 403 for a deactivated activation', async () => {
    await api.release((await api.software({ product_ids: [78] })).id);
    const token = await activation(78);
    await api.ok('GET', `/licenses/deactivate/${token}`);
    await denied(token);
  });
});
