import assert from 'node:assert/strict';
import { runSql } from '../support/engine.ts';
import type { Running } from '../support/service.ts';

/**
 * A small set of records for requests. Requests name a record by its role, for example `<<token:valid>>`, so
 * that they can be generated and shrunk before the records exist.
 */
export type World = ReadonlyMap<string, string>;

export const LICENSE_NAMES = ['key:free', 'key:full', 'key:expired', 'key:disabled', 'key:odd', 'key:of'];
export const TOKEN_NAMES = ['token:valid', 'token:ended', 'token:expired'];
export const NUMBER_NAMES = ['id:generator', 'id:software', 'id:public', 'id:release'];
export const ALL_NAMES = [
  ...LICENSE_NAMES,
  ...TOKEN_NAMES,
  ...NUMBER_NAMES,
  'hash:free',
  // Without the API key: as the text of a field it would be stored, and the search for secrets at rest would
  // find it.
  'download',
];

export const PRODUCT = 7;
const KEYS: Record<string, [key: string, values: object]> = {
  free: ['FUZZ-FREE-0001', {}],
  full: ['FUZZ-FULL-0002', { activations_limit: 1 }],
  expired: ['FUZZ-GONE-0003', { expires_at: '2001-02-03 04:05:06' }],
  disabled: ['FUZZ-DEAD-0004', {}],
  odd: ['Ключ 100% / проба?a=b&%2F', {}],
  of: ['FUZZ-SOLD-0005', { product_id: PRODUCT, activations_limit: 0 }],
};
const TABLES = [
  'downloads',
  'download_counts',
  'activations',
  'licenses',
  'staged_licenses',
  'generators',
  'releases',
  'software_products',
  'software',
  'artifacts',
  'event_deliveries',
  'event_delivery_counts',
  'events',
  'event_endpoints',
];

/** Deletes every record. */
export const clearWorld = ({ dataDir }: Running): Promise<void> =>
  runSql(dataDir, TABLES.map((table) => `delete from ${table};`).join(' '));

/** Deletes every record and creates the world again. */
export async function makeWorld(api: Running): Promise<World> {
  await clearWorld(api);
  const world = new Map<string, string>([
    ['consumer_key', api.credentials.consumerKey],
    ['consumer_secret', api.credentials.consumerSecret],
  ]);
  for (const [name, [key, values]] of Object.entries(KEYS)) {
    await api.license({ license_key: key, ...values });
    world.set(`key:${name}`, key);
  }
  world.set('hash:free', api.service.store.read.licenses.hashOf(KEYS.free?.[0] as string));
  const activate = async (name: string) => (await api.activation(world.get(`key:${name}`) as string)).token;
  world.set('token:valid', await activate('full'));
  world.set('token:ended', await activate('free'));
  await api.ok('GET', `/licenses/deactivate/${world.get('token:ended')}`);
  await api.ok('PUT', `/licenses/${KEYS.expired?.[0]}`, { json: { expires_at: null } });
  world.set('token:expired', await activate('expired'));
  await api.ok('PUT', `/licenses/${KEYS.expired?.[0]}`, { json: { expires_at: '2001-02-03' } });
  await api.ok('PUT', `/licenses/${KEYS.disabled?.[0]}`, { json: { status: 5 } });
  world.set('id:generator', String((await api.generator({ charset: 'AB', chunks: 1, chunk_length: 3 })).id));
  const { id } = await api.software({ slug: 'fuzz', product_ids: [PRODUCT] });
  world.set('id:software', String(id));
  const open = await api.software({ slug: 'open', access: 'public' });
  world.set('id:public', String(open.id));
  world.set('id:release', String((await api.release(id)).id));
  await api.release(open.id);
  const { download_url } = await api.ok('GET', `/software/${open.id}`);
  world.set('download', new URL(download_url).pathname.split('/').at(-1) as string);
  return world;
}

/** Asserts that the service logged no fault and no secret of the world. */
export function assertQuiet(log: string, world: World): void {
  const faults = log.split('\n').filter((line) => /"level":"(?:error|fatal)"/.test(line));
  assert.deepEqual(faults, []);
  for (const [name, value] of world) {
    assert.ok(name.startsWith('id:') || !log.includes(value), `the log contains ${name}, ${value}`);
  }
}

/** Returns a text with names replaced by their values in the world. */
export const inWorld = (text: string, world: World): string =>
  text.replace(/<<([a-z_:]+)>>/g, (whole, name) => world.get(name) ?? whole);
