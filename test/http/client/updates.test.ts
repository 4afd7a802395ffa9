import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, suite, test } from 'node:test';
import { createDashboard } from '../../../src/app/reports/dashboard.ts';
import { rowsOf } from '../../support/engine.ts';
import type { Record_ } from '../../support/http/api.ts';
import { hexHash } from '../../support/http/artifacts.ts';
import { startService } from '../../support/service.ts';

const START = Date.parse('2030-06-01T12:00:00Z');
const DAY = 86_400_000;
let now = START;
const api = await startService({ after }, { clock: () => now });
test.beforeEach(() => {
  now = START;
});
const root = new URL('/client/v1', api.root).href;

async function ask(body: object, token?: string): Promise<{ status: number; body: Record_ }> {
  const authorization = token && { authorization: `Bearer ${token}` };
  const response = await fetch(`${root}/update-check`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...authorization },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}
async function updateFor(body: object, token?: string): Promise<Record_> {
  const answer = await ask(body, token);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body.update;
}
async function refused(code: string, status: number, body: object, token?: string): Promise<Record_> {
  const answer = await ask(body, token);
  assert.deepEqual([answer.status, answer.body.code], [status, code]);
  return answer.body;
}

const BYTES = randomBytes(1_000);
const file = new File([BYTES], 'acme.zip', { type: 'application/zip' });
const acme = await api.software({ product_ids: [7], slug: 'acme' });
await api.release(acme.id, { version: '1.3.0', changelog: 'Third', file });
const newest = await api.release(acme.id, {
  version: '1.4.0',
  changelog: '**Fourth**<script>alert(1)</script>',
  file,
});
await api.release(acme.id, { version: '2.0.0-beta.1', channel: 'beta', file });

async function activated(values: object = {}): Promise<{ key: string; token: string; license: Record_ }> {
  const license = await api.license({ product_id: 7, ...values });
  const { token } = await api.activation(license.license_key);
  return { key: license.license_key, token, license };
}
const change = (key: string, json: object) => api.ok('PUT', `/licenses/${key}`, { json });
const SOFTWARE = { software: 'acme' };

test('the versions that programs report are counted if the program is entitled and the release is known', async () => {
  const dashboard = createDashboard(api.service);
  const { key, token } = await activated();
  const other = await api.license({ product_id: 8 });
  for (const [version, body] of [
    ['1.3.0', {}],
    ['1.3.0', { license_key: key }],
    ['1.4.0', {}],
    ['9.9.9', {}],
    ['1.4.0', { license_key: other.license_key }],
  ] as const)
    await ask({ ...SOFTWARE, version, ...body }, 'license_key' in body ? undefined : token);
  await ask(SOFTWARE, token);
  await api.service.versions.flush();
  await ask({ ...SOFTWARE, version: '1.3.0' }, token);
  await api.service.versions.flush();
  const of = { softwareId: acme.id, software: acme.name };
  const versions = [
    { ...of, version: '1.3.0', checks: 3 },
    { ...of, version: '1.4.0', checks: 1 },
  ];
  assert.deepEqual(await dashboard.inUse(1, 5, null), { checks: 4, versions });
  assert.deepEqual(await dashboard.inUse(1, 1, 7), { checks: 4, versions: versions.slice(0, 1) });
  assert.deepEqual(await dashboard.inUse(1, 5, 8), { checks: 0, versions: [] });
  now += DAY;
  assert.deepEqual(await dashboard.inUse(1, 5, null), { checks: 0, versions: [] });
  assert.deepEqual(await dashboard.inUse(2, 5, null), { checks: 4, versions });
});

test('an update for a token or a license key has everything that an updater needs', async () => {
  const { key, token } = await activated();
  const sent = { ...SOFTWARE, version: '1.3', platform: 'windows', arch: 'arm64', other: 1 };
  const { download_url, ...update } = await updateFor(sent, token);
  assert.deepEqual(update, {
    version: '1.4.0',
    published_at: '2030-06-01T12:00:00Z',
    notes_markdown: '**Fourth**<script>alert(1)</script>',
    notes_html: '<h4>1.4.0 – 2030-06-01</h4>\n<p><strong>Fourth</strong></p>',
    size: BYTES.length,
    sha256: hexHash('sha256', BYTES),
    signature: null,
    critical: false,
  });
  for (const secret of [token, key]) assert.ok(!download_url.includes(secret));
  const byKey = await updateFor({ ...SOFTWARE, license_key: key, version: '1.3' });
  assert.deepEqual({ ...byKey, download_url: '' }, { ...update, download_url: '' });
  // If both are sent, the token is the proof.
  await updateFor({ ...SOFTWARE, license_key: 'TEST-UNKNOWN' }, token);
});

test("an update is newer than the program's version, and from its channel or a more stable one", async () => {
  const { token } = await activated();
  const versionFor = async (values: object) =>
    (await updateFor({ software: acme.id, ...values }, token))?.version ?? null;
  for (const version of ['1.4', '1.4.0', 'v1.4.1', '2.0']) assert.equal(await versionFor({ version }), null);
  for (const version of ['1.3.9', '1.4.0-rc.1', undefined])
    assert.equal(await versionFor({ version }), '1.4.0');
  assert.equal(await versionFor({ version: '1.4.0', channel: 'beta' }), '2.0.0-beta.1');
  assert.equal(await versionFor({ version: '2.0.0-beta.2', channel: 'alpha' }), null);
  const { notes_markdown, notes_html } = await updateFor({ ...SOFTWARE, version: '1.2' }, token);
  assert.equal(notes_markdown, '**Fourth**<script>alert(1)</script>\n\nThird');
  assert.match(notes_html, /1\.4\.0.*\n.*Fourth.*\n<h4>1\.3\.0 – 2030-06-01<\/h4>\n<p>Third<\/p>$/);
});

suite('refusals', () => {
  test('for a missing or wrong proof', async () => {
    const { key } = await activated();
    await refused('unauthenticated', 401, SOFTWARE);
    await refused('unauthenticated', 401, SOFTWARE, '0'.repeat(40));
    // The server does not ignore a wrong token.
    await refused('unauthenticated', 401, { ...SOFTWARE, license_key: key }, '0'.repeat(40));
    await refused('license_not_found', 404, { ...SOFTWARE, license_key: 'TEST-UNKNOWN' });
    const hash = api.service.store.read.licenses.hashOf(key);
    await refused('license_not_found', 404, { ...SOFTWARE, license_key: `hashed-${hash}` });
    await api.ok('DELETE', `/licenses/${key}`);
    await refused('license_not_found', 404, { ...SOFTWARE, license_key: key });
  });
  test('for invalid parameters and unknown software', async () => {
    const { token } = await activated();
    const wrong = { version: 'newest', channel: 'nightly', platform: 'x'.repeat(65), arch: 5 };
    const { params } = await refused('invalid_request', 422, wrong, token);
    assert.deepEqual(Object.keys(params).sort(), ['arch', 'channel', 'platform', 'software', 'version']);
    for (const software of ['no-such-software', 999_999, '9'.repeat(100)])
      await refused('not_covered', 403, { software }, token);
  });
});

suite('an update is shown but the download is denied', () => {
  const denial = async (body: object, token?: string) => {
    const { version, size, download_url, denied } = await updateFor({ ...SOFTWARE, ...body }, token);
    assert.deepEqual([version, size, download_url], ['1.4.0', BYTES.length, null]);
    return denied;
  };
  const CASES: [code: string, values: object][] = [
    ['license_expired', { expires_at: '2030-06-01 11:59:59' }],
    ['license_disabled', { status: 'disabled' }],
    ['license_disabled', { status: 'disabled', expires_at: '2030-06-01 11:59:59' }],
    ['not_covered', { product_id: 8 }],
  ];
  for (const [code, values] of CASES)
    test(`${code}: ${Object.keys(values)}`, async () => {
      const { key, token } = await activated();
      const { download_url } = await updateFor(SOFTWARE, token);
      await change(key, values);
      assert.equal(await denial({}, token), code);
      assert.equal(await denial({ license_key: key }), code);
      const answer = await fetch(download_url);
      const { code: refusedAs } = (await answer.json()) as Record_;
      assert.deepEqual([answer.status, refusedAs], [403, 'download_denied']);
      assert.equal(answer.headers.get('content-type'), 'application/problem+json');
    });
  test('activation_ended: a deactivated activation, but not its license key', async () => {
    const { key, token } = await activated();
    await api.ok('GET', `/licenses/deactivate/${token}`);
    assert.equal(await denial({}, token), 'activation_ended');
    assert.ok((await updateFor({ ...SOFTWARE, license_key: key })).download_url);
  });
  test('activation_ended: a lapsed floating seat, which an update check does not extend', async () => {
    const { token } = await activated({ seat_ttl: 600 });
    now += 599_000;
    const { download_url } = await updateFor(SOFTWARE, token);
    now += 1_000;
    assert.equal(await denial({}, token), 'activation_ended');
    assert.equal((await fetch(download_url)).status, 403);
    // The seat is free, so validate takes it again.
    await fetch(`${root}/validate`, { method: 'POST', headers: { authorization: `Bearer ${token}` } });
    assert.equal((await fetch(download_url)).status, 200);
  });
  test('but anybody may download public software', async () => {
    const { id } = await api.software({ access: 'public', product_ids: [7] });
    await api.release(id);
    const { key, token } = await activated();
    await change(key, { status: 'disabled' });
    for (const one of [
      await updateFor({ software: id }, token),
      await updateFor({ software: id, license_key: key }),
    ])
      assert.equal((await fetch(one.download_url)).status, 200);
  });
});

suite('the download', () => {
  test('is a plain GET, with ranges, and recorded', async () => {
    const { key, token, license } = await activated();
    const urls = [
      (await updateFor(SOFTWARE, token)).download_url,
      (await updateFor({ ...SOFTWARE, license_key: key })).download_url,
    ];
    for (const url of urls) {
      const answer = await fetch(url, { headers: { 'user-agent': 'Acme/1.3' } });
      assert.equal(answer.status, 200);
      assert.deepEqual(Buffer.from(await answer.arrayBuffer()), BYTES);
      const part = await fetch(url, { headers: { range: 'bytes=900-' } });
      assert.equal(part.status, 206);
      assert.deepEqual(Buffer.from(await part.arrayBuffer()), BYTES.subarray(900));
      const beyond = await fetch(url, { headers: { range: 'bytes=1000-' } });
      assert.deepEqual([beyond.status, beyond.headers.get('content-range')], [416, 'bytes */1000']);
      assert.equal(((await beyond.json()) as Record_).code, 'range_not_satisfiable');
      assert.equal((await fetch(url, { method: 'HEAD' })).headers.get('content-length'), '1000');
    }
    const records = await rowsOf(
      api.dataDir,
      `select release_id, activation_id, ip_address, user_agent from downloads where license_id = ${license.id} order by id`,
    );
    const record = { release_id: newest.id, ip_address: '127.0.0.1', user_agent: 'Acme/1.3' };
    const [{ id }] = (await rowsOf(
      api.dataDir,
      `select id from activations where license_id = ${license.id}`,
    )) as [Record_];
    assert.deepEqual(
      records.map((one) => ({ ...one })),
      [
        { ...record, activation_id: id },
        { ...record, activation_id: null },
      ],
    );
  });
  test('ends with its URL, its license and its release', async () => {
    const { id } = await api.software();
    const release = await api.release(id);
    const { key, token } = await activated();
    const { download_url: url } = await updateFor({ software: id, license_key: key });
    now += DAY;
    assert.equal((await fetch(url)).status, 403);
    now = START;
    await api.ok('PUT', `/software/${id}/releases/${release.id}`, { json: { status: 'yanked' } });
    assert.equal((await fetch(url)).status, 403);
    assert.equal(await updateFor({ software: id }, token), null);
    await api.ok('PUT', `/software/${id}/releases/${release.id}`, { json: { status: 'published' } });
    assert.equal((await fetch(url)).status, 200);
    await api.ok('DELETE', `/licenses/${key}`);
    assert.equal((await fetch(url)).status, 403);
  });
  test('needs a download token, and refuses activation tokens and tokens that belong to nobody', async () => {
    const { token } = await activated();
    const open = await api.software({ access: 'public' });
    await api.release(open.id);
    const { download_url } = await api.ok('GET', `/software/${open.id}`);
    const ofNobody = new URL(download_url).pathname.split('/').at(-1);
    for (const one of [token, ofNobody, `${'A'.repeat(34)}.${'A'.repeat(43)}`, 'x']) {
      const answer = await fetch(`${root}/downloads/${one}`);
      assert.deepEqual([answer.status, ((await answer.json()) as Record_).code], [404, 'download_not_found']);
    }
  });
});

test('a staged rollout reaches the same activations as in v1, and no license key', async () => {
  const software = await api.software();
  await api.release(software.id, { version: '1.0' });
  await api.release(software.id, { version: '2.0', rollout: '50' });
  const { license_key } = await api.license({ activations_limit: 0 });
  const told = new Set<string>();
  for (let i = 0; i < 16; i++) {
    const { token } = await api.activation(license_key);
    const { version } = await updateFor({ software: software.id }, token);
    const v1 = await api.ok('GET', `/software/${software.id}`, { query: { activation_token: token } });
    assert.equal(version, v1.version);
    told.add(version);
  }
  assert.deepEqual([...told].sort(), ['1.0', '2.0']);
  assert.equal((await updateFor({ software: software.id, license_key })).version, '1.0');
});

test('a device that deactivates whenever it quits stays in or out of a staged rollout', async () => {
  const { id: software } = await api.software();
  for (const [version, rollout] of Object.entries({ '1.0.0': '100', '2.0.0': '50' }))
    await api.release(software, { version, rollout, file: new File([version], 'acme.txt') });
  const { license_key } = await api.license({ seat_ttl: 300 });
  for (let device = 1; device <= 10; device++) {
    const offered = new Set<string>();
    for (let start = 1; start <= 4; start++) {
      const { token } = await api.activation(license_key, { fingerprint: `device-${device}`, software });
      offered.add((await updateFor({ software }, token)).version);
      const query = { activation_token: token };
      offered.add((await api.ok('GET', `/software/${software}`, { query })).version);
      offered.add((await api.call('GET', `/software/download/${token}`)).body);
      await api.ok('GET', `/licenses/deactivate/${token}`);
    }
    assert.equal(offered.size, 1, `device ${device}: ${[...offered]}`);
  }
});
