import type { Answer } from '../clients.ts';
import { each, type Requests, UNKNOWN_TOKEN } from './wire.ts';

const REFUSED: readonly object[] = [
  {},
  { name: '' },
  { name: 'Bad', slug: '7' },
  { name: 'Bad', slug: 'a b' },
  { name: 'Bad', slug: '' },
  { name: '!!!' },
  { name: 'Bad', url: 'javascript:1', access: 'all', type: 'x'.repeat(33) },
  { name: 'Bad', product_ids: ['a'], icons: { a: 'b' }, banners: 'c' },
];

const file = (content: string, name = 'editor.zip'): ['file', [string, string, string]] => [
  'file',
  [name, 'application/zip', content],
];

/** Software and releases of the v1 API. */
export const softwareRequests: Requests = async ({ group, api }) => {
  group('software');
  await api('GET /software');
  await api('POST /software', { json: { name: 'Editor', slug: 'editor', product_ids: [7] } });
  await api('POST /software', {
    json: {
      name: 'Öffentlich & frei',
      type: 'plugin',
      url: 'https://example.test/free',
      access: 'public',
      tested: '6.8',
      requires: '5.9',
      requires_php: '8.1',
      product_ids: [],
      icons: { '1x': 'https://example.test/icon.png' },
      banners: { low: 'https://example.test/banner.png' },
    },
  });
  await api('POST /software', {
    form: 'name=Form&product_ids[]=8&product_ids[]=9&icons[1x]=https://example.test/i.png',
  });
  for (const json of REFUSED) await api('POST /software', { json });
  await each(api, [
    'GET /software',
    'HEAD /software',
    'GET /software?per_page=1&page=2',
    'GET /software?per_page=x',
    'GET /software/1',
    'GET /software/2?type=theme&channel=beta',
    'HEAD /software/1',
    'GET /software/77',
    'GET /software/abc',
  ]);
  await api('PUT /software/3', { json: { name: 'Form 2', url: 'http://example.test', product_ids: null } });
  await api('PATCH /software/3', { json: { url: '', icons: null, access: 'public' } });
  await api('POST /software/3', { json: {} });
  await api('PUT /software/3', { json: { slug: 'editor' } });
  await api('PUT /software/3', { json: { name: '', slug: null, access: 'x' } });
  await api('PUT /software/77', { json: { name: 'x' } });

  const releases = '/software/1/releases';
  await api(`GET ${releases}`);
  await api(`POST ${releases}`, {
    multipart: [['version', '1.0.0'], ['changelog', 'First\r\nrelease'], file('one')],
  });
  await api(`POST ${releases}`, {
    multipart: [
      file('one point ten'),
      ['version', '1.10.0'],
      ['upgrade_notice', 'Back up'],
      ['channel', 'stable'],
    ],
  });
  await api(`POST ${releases}`, {
    multipart: [['version', '2.0.0-rc.1'], ['channel', 'rc'], file('two', 'ü "2".zip')],
  });
  await api(`POST ${releases}`, { json: { version: '1.9', status: 'draft' } });
  await api(`POST ${releases}`, { multipart: [['version', '3.0.0'], ['rollout', '0'], file('three')] });
  await api(`POST ${releases}`, { json: { version: '4.0.0' } });
  await api(`POST ${releases}`, {
    multipart: [['version', 'x y'], ['channel', 'weekly'], ['rollout', '101'], file('bad')],
  });
  await api(`POST ${releases}`, { json: {} });
  await api(`POST ${releases}`, { multipart: [['version', '5.0.0'], file('bad', '../..')] });
  await api('POST /software/77/releases', { multipart: [['version', '1.0.0'], file('one')] });
  await api('POST /software/2/releases', { multipart: [['version', '0.1'], file('free', 'free.tar.gz')] });
  await each(api, [
    `GET ${releases}`,
    `HEAD ${releases}`,
    `GET ${releases}?per_page=2&page=2`,
    `GET ${releases}?page=x`,
    'GET /software/77/releases',
    'GET /software/1',
    'GET /software/1?channel=rc',
    'GET /software/2',
    'GET /software/2?activation_token=x',
  ]);
  await api(`PUT ${releases}/4`, { json: { changelog: 'Ninth', status: 'published' } });
  await api(`PUT ${releases}/4`, { multipart: [['status', 'published'], file('nine')] });
  await api(`PATCH ${releases}/4`, { json: { version: '1.9.1', upgrade_notice: null } });
  await api(`POST ${releases}/5`, { json: { rollout: 50 } });
  await api(`PUT ${releases}/5`, { json: { version: '1.0.0' } });
  await api(`PUT ${releases}/5`, { json: { channel: null, status: 'x', rollout: 'y' } });
  await api(`PUT ${releases}/77`, { json: { rollout: 1 } });
  await api('PUT /software/2/releases/1', { json: { rollout: 1 } });
  await api(`PUT ${releases}/2`, { json: { status: 'yanked' } });
  await api('GET /software/1');
  await api(`PUT ${releases}/2`, { json: { status: 'published' } });
  await each(api, [
    `DELETE ${releases}/3`,
    `DELETE ${releases}/3`,
    `DELETE ${releases}/x`,
    `GET ${releases}/1`,
    'DELETE /software/3',
    'DELETE /software/3',
    'DELETE /software/abc',
  ]);
};

/** Update checks and downloads. */
export const downloadRequests: Requests = async ({ group, api, call, v1, keys }) => {
  group('downloads');
  const activate = async (what: string) => String((await api(what)).body?.data?.token);
  await api('POST /licenses', {
    json: { license_key: 'DOWN-0001', valid_for: 365, status: 3, activations_limit: 0, product_id: 7 },
  });
  await api('POST /licenses', {
    json: { license_key: 'DOWN-0002', valid_for: 365, status: 3, activations_limit: 0, product_id: 8 },
  });
  const token = await activate('GET /licenses/activate/DOWN-0001?software=1&label=Site');
  const unnamed = await activate('GET /licenses/activate/DOWN-0001');
  const other = await activate('GET /licenses/activate/DOWN-0002?label=Other');
  await api('GET /licenses/activate/DOWN-0002?software=1');
  const update = await api(`GET /software/1?activation_token=${token}`);
  const licensed = new URL(String(update.body?.data?.download_url));
  const open = new URL(String((await api('GET /software/2?channel=alpha')).body?.data?.download_url));
  await v1(null)(
    `GET /software/1?activation_token=${token}&consumer_key=${keys.full.consumerKey}&consumer_secret=${keys.full.consumerSecret}`,
  );
  await each(api, [
    `GET /software/1?activation_token=${token}&channel=rc`,
    `GET /software/1?activation_token=${token}&channel=unknown`,
    `GET /software/1?activation_token=${unnamed}`,
    `GET /software/1?activation_token=${other}`,
    `GET /software/1?activation_token=${UNKNOWN_TOKEN}`,
    'GET /software/1?activation_token[]=1',
    `GET /software/2?activation_token=${other}`,
  ]);
  const path = licensed.pathname + licensed.search;
  const answer: Answer = await call(`GET ${path}`);
  const etag = String(answer.headers.etag);
  await call(`GET ${path}&meta_wp_version=6.8&other=1`);
  await call(`HEAD ${path}`);
  await call(`GET ${licensed.pathname}`);
  await call(`GET ${open.pathname}${open.search}`);
  for (const headers of [
    { range: 'bytes=0-3' },
    { range: 'bytes=-4' },
    { range: 'bytes=4-' },
    { range: 'bytes=100-200' },
    { range: 'bytes=0-1,3-4' },
    { range: 'lines=1-2' },
    { 'if-none-match': etag },
    { 'if-match': '"other"' },
    { 'if-match': etag },
    { range: 'bytes=0-3', 'if-range': etag },
    { range: 'bytes=0-3', 'if-range': '"other"' },
  ] as Record<string, string>[])
    await call(`GET ${path}`, { headers });
  await each(api, [
    `GET /software/download/${token}`,
    `HEAD /software/download/${token}`,
    `GET /software/download/${unnamed}`,
    `GET /software/download/${other}`,
    `GET /software/download/${UNKNOWN_TOKEN}`,
    'GET /software/download/AQAAAAAAAAABAAAAAAAAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
    'GET /software/download/a%00b',
    `POST /software/download/${token}`,
    'GET /software/1/downloads',
    'GET /software/1/downloads?per_page=1',
    'GET /software/1/downloads?from=2001-01-01&to=2001-12-31',
    'GET /software/1/downloads?from=yesterday&to=1',
    'GET /software/1/downloads?page=0',
    'GET /software/77/downloads',
    'HEAD /software/2/downloads',
  ]);
  await api('PUT /software/1/releases/2', { json: { status: 'yanked' } });
  await call(`GET ${path}`);
  await api('PUT /software/1/releases/2', { json: { status: 'published' } });
  await api('PUT /licenses/DOWN-0001', { json: { product_id: 8 } });
  await call(`GET ${path}`);
  await api('PUT /licenses/DOWN-0001', { json: { product_id: 7, status: 'disabled' } });
  await call(`GET ${path}`);
  await api(`GET /software/1?activation_token=${token}`);
  await api('PUT /licenses/DOWN-0001', { json: { status: 3, expires_at: '2001-01-01' } });
  await call(`GET ${path}`);
  await api('PUT /licenses/DOWN-0001', { json: { expires_at: null } });
  await api(`GET /licenses/deactivate/${token}`);
  await call(`GET ${path}`);
  await api(`GET /software/download/${token}`);
};
