import { type Api, newName } from './api.ts';

/** Makes every kind of read and write of the API once. */
export async function everyRoute(node: Api, software: number, generator: number): Promise<void> {
  const { license_key: key } = await node.license({ activations_limit: 3 });
  const { token } = await node.activation(key);
  await node.ok('GET', `/licenses/validate/${token}`);
  await node.ok('GET', `/licenses/${key}`);
  await node.ok('GET', '/licenses', { query: { per_page: 3, status: 'active' } });
  await node.ok('PUT', `/licenses/${key}`, { json: { order_id: 7 } });
  await node.ok('GET', `/licenses/deactivate/${token}`);
  await node.activation(key, { token });
  const { id: releaseId } = await node.release(software, {
    version: `1.0.${Math.floor(Math.random() * 1e9)}`,
  });
  await node.ok('PUT', `/software/${software}/releases/${releaseId}`, { json: { changelog: 'More' } });
  await node.ok('GET', `/software/${software}/releases`);
  await node.ok('GET', `/software/${software}`, { query: { activation_token: token } });
  await node.ok('PUT', `/software/${software}`, { json: { name: newName() } });
  await node.ok('GET', '/software');
  await node.ok('GET', `/software/${software}/downloads`);
  await node.ok('GET', `/generators/${generator}`);
  await node.ok('PUT', `/generators/${generator}`, { json: { name: newName() } });
  await node.ok('GET', '/generators');
  await node.ok('POST', `/generators/${generator}/generate`, { json: { amount: 3, save: true } });
  await node.ok('DELETE', `/software/${software}/releases/${releaseId}`);
  await node.ok('DELETE', `/licenses/${key}`);
}
