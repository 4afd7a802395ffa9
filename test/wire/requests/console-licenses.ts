import type { Call } from '../clients.ts';
import type { People } from './console-people.ts';
import { each, FAR, LONG_AGO, nextSecond, type Wire } from './wire.ts';

/** Licenses, activations and their history in the console. */
export async function consoleLicenseRequests(
  { group, api }: Wire,
  { owner: { call } }: People,
): Promise<void> {
  group('console-licenses');
  await each(call, [
    'GET /licenses?limit=3',
    'GET /licenses?limit=2&before=5',
    'GET /licenses?limit=0',
    'GET /licenses?limit=x&before=y',
    'GET /licenses?search=WIRE-0001',
    'GET /licenses?search=0001',
    'GET /licenses?search=%231001',
    'GET /licenses?search=order:1001',
    'GET /licenses?search=product:7&limit=1',
    'GET /licenses?search=customer:42',
    'GET /licenses?search=label:lap',
    'GET /licenses?search=127.0.0.1&limit=1',
    'GET /licenses?search=ip:10.9.8.7',
    'GET /licenses?search=nothing%20at%20all',
    'GET /licenses?search=%20&limit=1',
    'GET /licenses?status=5',
    'GET /licenses?status[]=1&status[]=active&limit=2',
    'GET /licenses?status=x',
    'GET /licenses?ids[]=1&ids[]=2&ids[]=999',
    'GET /licenses?ids=x',
    'GET /licenses?order_id=1001&product_id=7&user_id=42&source=3',
    'GET /licenses?source=9',
    'GET /licenses?expiry=expired',
    'GET /licenses?expiry=never&limit=2',
    'GET /licenses?expiry=soon&soon=40&limit=2',
    'GET /licenses?expiry=later&soon=0',
    'GET /licenses?expires_from=2098-01-01&expires_before=2100-01-01',
    'GET /licenses?expires_from=x',
    'GET /licenses/1',
    'HEAD /licenses/1',
    'GET /licenses/999',
    'GET /licenses/x',
    'POST /licenses/1/reveal',
    'POST /licenses/999/reveal',
    'PUT /licenses/1',
  ]);
  const create = (json: object) => call('POST /licenses', { json });
  const id = (await create({ license_key: 'CONSOLE-0001', status: 'active', expires_at: FAR })).body?.id;
  await create({ generator_id: 2, status: 3, order_id: 3001 });
  for (const json of [
    {},
    { generator_id: 77, status: 1 },
    { license_key: '', status: 'x', valid_for: 'y', expires_at: 'z' },
    { license_key: 'CONSOLE-2', generator_id: 2, status: 1 },
  ])
    await create(json);
  for (const json of [
    { order_id: 7, product_id: 7 },
    { order_id: null, activations_limit: 1 },
    {},
    { license_key: 'WIRE-0001' },
    { status: null, expires_at: 'x' },
  ])
    await call(`PATCH /licenses/${id}`, { json });
  await call('PATCH /licenses/999', { json: { status: 1 } });

  const bulk = (json: object) => call('POST /licenses/bulk', { json });
  const changed = await bulk({ ids: [id, 1], status: 'inactive' });
  await bulk({ restore: changed.body?.previous ?? [] });
  await bulk({ restore: changed.body?.previous ?? [] });
  for (const json of [
    { ids: [id], extend_days: 10 },
    { ids: [id], expires_at: 'never' },
    { ids: [id], expires_at: LONG_AGO },
    { ids: [id], expires_at: FAR },
    { ids: [id, 999], status: 3 },
    { ids: [id, 999], status: 3, skip_gone: true },
    {},
    { ids: [id] },
    { ids: [id], status: 1, extend_days: 1 },
    { ids: 'x', status: 9 },
    { restore: [{ id: 1 }] },
    { ids: [id], extend_days: 0 },
  ])
    await bulk(json);
  for (const json of [{}, { ids: [] }, { ids: [999] }, { ids: [id, 999], skip_gone: 1 }])
    await call('POST /licenses/bulk/delete', { json });
  const last = (await create({ license_key: 'CONSOLE-0003', status: 1 })).body?.id;
  await each(call, [`DELETE /licenses/${last}`, `GET /licenses/${id}/history`, 'GET /licenses/999/history']);
  await activations(call, api);
}

async function activations(call: Call, api: Call): Promise<void> {
  await each(call, [
    'GET /activations?limit=3',
    'GET /activations?limit=2&before=3',
    'GET /activations?state=valid&limit=2',
    'GET /activations?state=deactivated',
    'GET /activations?state=x&limit=x',
    'GET /activations?software_id=1&label=si',
    'GET /activations?address=127.0.0.1&limit=1',
    'GET /licenses/1/activations',
    'GET /licenses/999/activations',
  ]);
  const license = (await call('POST /licenses', { json: { license_key: 'HISTORY-1', status: 3 } })).body?.id;
  // Events of one second are in another order than events of two seconds.
  await nextSecond();
  await api('GET /licenses/activate/HISTORY-1?label=History');
  const id = (await call('GET /activations?label=history')).body?.items?.[0]?.id;
  await call(`POST /activations/${id}/reactivate`);
  await nextSecond();
  await each(call, [`POST /activations/${id}/deactivate`, `POST /activations/${id}/deactivate`]);
  await nextSecond();
  await call(`POST /activations/${id}/reactivate`);
  await call(`GET /licenses/${license}/history`);
  await nextSecond();
  await call(`DELETE /activations/${id}`);
  await each(call, [
    `DELETE /activations/${id}`,
    'POST /activations/999/deactivate',
    'POST /activations/x/reactivate',
    `GET /licenses/${license}/activations?state=all`,
  ]);
  const page = await call(`GET /licenses/${license}/history?limit=2`);
  await call(`GET /licenses/${license}/history?limit=2&before=${page.body?.next}`);
  await call(`GET /licenses/${license}/history?before=x`);
}
