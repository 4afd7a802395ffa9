import type { People } from './console-people.ts';
import { each, type Wire } from './wire.ts';

const CSV = [
  'license_key,status,valid_for,activations_limit,expires_at,order_id,product_id,user_id,comment',
  'CSV-0001,active,365,2,,1001,7,,hello',
  'CSV-0002,sold,,,2099-01-01,,,,',
  '=CSV-0003,5,0,0,,,,,',
].join('\r\n');
const BAD_CSV = 'key;state\nCSV-0004;active\nCSV-0001;active\n;active\nCSV-0005;gone\n';

const file = (content: string): ['file', [string, string, string]] => [
  'file',
  ['some.csv', 'text/csv', content],
];

/** Imports and exports of licenses. */
export async function transferRequests({ group }: Wire, { owner: { call } }: People): Promise<void> {
  group('console-transfers');
  const mapping = JSON.stringify({ key: 'license_key', state: 'status' });
  for (const what of ['/imports/columns', '/imports/preview', '/imports']) {
    await call(`POST ${what}`, { multipart: [file(BAD_CSV)] });
    await call(`POST ${what}`, { multipart: [['mapping', mapping], ['delimiter', ';'], file(BAD_CSV)] });
    await call(`POST ${what}`, { multipart: [file(CSV)] });
  }
  await call('POST /imports', { multipart: [['mapping', mapping], ['skip_bad', '1'], file(BAD_CSV)] });
  await call('POST /imports', {
    multipart: [['defaults', '{"status":"inactive","product_id":9}'], file('license_key\nCSV-0009\n')],
  });
  await call('POST /imports', { multipart: [['mapping', 'x'], file(CSV)] });
  await call('POST /imports', { multipart: [['delimiter', '""'], file(CSV)] });
  await call('POST /imports', { multipart: [['defaults', '{"status":"x"}'], file(CSV)] });
  await call('POST /imports', { multipart: [['skip_bad', 'maybe'], file('license_key\nX\n')] });
  await call('POST /imports', { multipart: [file('')] });
  await call('POST /imports', { multipart: [file('license_key\n"open\n')] });
  await call('POST /imports', { multipart: [['no', 'file']] });
  await call('POST /imports', { json: {} });
  await each(call, [
    'GET /licenses?limit=4',
    'GET /licenses/export?ids[]=1&ids[]=2&ids[]=3',
    'GET /licenses/export?search=CSV-0001',
    'GET /licenses/export?source=2&columns[]=license_key&columns[]=status',
    'GET /licenses/export?columns=nothing',
    'GET /licenses/export?status=x',
    'HEAD /licenses/export',
  ]);
  for (const json of [
    { ids: [3, 1, 999] },
    { ids: [], columns: ['license_key'] },
    { ids: [2], columns: [] },
    {},
  ])
    await call('POST /licenses/export', { json });
}

/** Generators, software, releases and products in the console. */
export async function catalogueRequests({ group }: Wire, { owner: { call } }: People): Promise<void> {
  group('console-catalogue');
  const template = {
    charset: 'ABC0O',
    chunks: 2,
    chunk_length: 5,
    separator: '-',
    prefix: 'GK-',
    suffix: '-END',
  };
  await each(call, [
    'GET /generators',
    'GET /generators?limit=1',
    'GET /generators?limit=1&before=2',
    'GET /generators?before=x',
    'GET /generators/1',
    'GET /generators/77',
    'GET /generators/x',
  ]);
  for (const json of [
    template,
    { ...template, charset: 'A', chunk_length: 1 },
    { ...template, chunks: 0 },
    {},
  ])
    await call('POST /generators/preview', { json });
  const made = await call('POST /generators', { json: { name: 'Console', ...template } });
  const id = made.body?.id;
  await call('POST /generators', { json: { name: '', charset: '' } });
  for (const json of [
    { name: 'Console 2', expires_in: 5 },
    { suffix: null, chunks: 100, chunk_length: 100 },
    { name: null },
    {},
  ])
    await call(`PATCH /generators/${id}`, { json });
  await call('PATCH /generators/77', { json: { name: 'x' } });
  for (const json of [{ amount: 2 }, { amount: 2, save: true, status: 2, order_id: 4001 }, { amount: 0 }, {}])
    await call(`POST /generators/${id}/generate`, { json });
  await call('POST /generators/77/generate', { json: { amount: 1 } });
  await each(call, ['GET /licenses?order_id=4001', `DELETE /generators/${id}`, `DELETE /generators/${id}`]);

  await each(call, [
    'GET /software',
    'GET /software?limit=1&before=2',
    'GET /software/1',
    'GET /software/77',
  ]);
  const software = (await call('POST /software', { json: { name: 'Console app', product_ids: [70] } })).body
    ?.id;
  await call('POST /software', { json: { name: '', url: 'x' } });
  for (const json of [{ name: 'App', tested: '1' }, { slug: 'editor' }, { name: '' }, {}])
    await call(`PATCH /software/${software}`, { json });
  await call('PATCH /software/77', { json: { name: 'x' } });

  const releases = `/software/${software}/releases`;
  const upload = (version: string): ['file', [string, string, string]] => [
    'file',
    [`app-${version}.bin`, 'application/octet-stream', `bytes of ${version}`],
  ];
  for (const json of [{ version: '1.0.0' }, { version: 'x y', rollout: 101 }, {}])
    await call(`POST ${releases}/check`, { json });
  await call('POST /software/77/releases/check', { json: { version: '1' } });
  const release = (await call(`POST ${releases}`, { multipart: [['version', '1.0.0'], upload('1.0.0')] }))
    .body?.id;
  await call(`POST ${releases}`, {
    multipart: [['version', '1.1.0'], ['channel', 'beta'], ['changelog', 'New'], upload('1.1.0')],
  });
  await call(`POST ${releases}`, { json: { version: '1.2.0', status: 'draft' } });
  await call(`POST ${releases}`, { json: { version: '1.3.0' } });
  await call(`POST ${releases}`, { multipart: [['version', '1.0'], upload('1.0.0')] });
  await call(`POST ${releases}/check`, { json: { version: '1.0.0' } });
  await call('POST /software/77/releases', { multipart: [['version', '1.0'], upload('1.0.0')] });
  await each(call, [
    `GET ${releases}`,
    `GET ${releases}?limit=1`,
    `GET ${releases}?limit=1&before=1.1.0`,
    `GET ${releases}?channel=beta`,
    `GET ${releases}?channel=x&before=y`,
    'GET /software/77/releases',
    `GET ${releases}/${release}/file`,
    `HEAD ${releases}/${release}/file`,
    `GET ${releases}/77/file`,
    `GET ${releases}/${release + 2}/file`,
  ]);
  await call(`GET ${releases}/${release}/file`, { headers: { range: 'bytes=2-4' } });
  for (const json of [
    { status: 'yanked', yank_reason: 'Broken' },
    { status: 'published' },
    { rollout: 20 },
    { version: '1.1' },
    { channel: 'x' },
    {},
  ])
    await call(`PATCH ${releases}/${release}`, { json });
  await call(`PATCH ${releases}/${release}`, { multipart: [['changelog', 'Once more'], upload('1.0.1')] });
  await call(`PATCH ${releases}/77`, { json: {} });
  await each(call, [
    `DELETE ${releases}/${release}`,
    `DELETE ${releases}/${release}`,
    'GET /software/1/downloads?from=2001-01-01&to=2001-01-03',
    'GET /software/1/downloads',
    'GET /software/1/downloads?from=2001-01-01&to=2011-01-01',
    'GET /software/1/downloads?from=x',
    'GET /software/77/downloads',
    `DELETE /software/${software}`,
    `DELETE /software/${software}`,
    'GET /products',
  ]);
}

/** API keys, the audit trail and the settings in the console. */
export async function administrationRequests({ group }: Wire, { owner, manager }: People): Promise<void> {
  group('console-administration');
  const { call } = owner;
  await call('GET /api-keys');
  for (const json of [
    { expires_at: '2001-01-01' },
    { permission: 'all', endpoints: ['x'], products: ['y'], expires_at: 'z' },
    { endpoints: [], products: [] },
    { description: 'x'.repeat(256) },
  ])
    await call('POST /api-keys', { json });
  const id = (
    await manager.call('POST /api-keys', {
      json: { description: 'Of the manager', expires_at: '2099-01-01' },
    })
  ).body?.api_key?.id;
  for (const json of [
    { description: 'Changed', permission: 'read', endpoints: ['licenses.list'], products: [7] },
    { endpoints: null, products: '', expires_at: null, permission: null },
    { permission: 'x' },
    {},
  ])
    await call(`PATCH /api-keys/${id}`, { json });
  await call('PATCH /api-keys/1', { json: { description: 'x' } });
  await call('PATCH /api-keys/77', { json: {} });
  await call(`POST /api-keys/${id}/rotate`, { json: { grace: 'x' } });
  await call(`POST /api-keys/${id}/rotate`, { json: { grace: '12h' } });
  await call(`POST /api-keys/${id}/rotate`, { json: {} });
  await call(`POST /api-keys/${id + 1}/rotate`);
  await call(`POST /api-keys/${id + 2}/rotate`, { json: { grace: '0' } });
  await call('POST /api-keys/77/rotate', { json: {} });
  await each(call, [
    `DELETE /api-keys/${id}`,
    `DELETE /api-keys/${id}`,
    'DELETE /api-keys/77',
    'DELETE /api-keys/x',
    'GET /api-keys',
  ]);
  await each(call, [
    'GET /audit',
    'GET /audit?limit=200',
    'GET /audit?limit=2&before=10',
    'GET /audit?via=console&limit=2',
    'GET /audit?via=cli',
    'GET /audit?action=user.create&user_id=1',
    'GET /audit?subject=software:1',
    'GET /audit?via=x&limit=x&action=y',
    'GET /audit/users',
  ]);
}

/** The settings name the database, and so differ between the engines. */
export async function settingRequests({ group }: Wire, people: People, engine: string): Promise<void> {
  group(`settings-${engine}`);
  for (const { call } of Object.values(people)) await call('GET /settings', { omitted: { length: true } });
}
