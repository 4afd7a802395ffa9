import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, suite, test } from 'node:test';
import { temporaryFolder } from '../../support/folder.ts';
import type { Record_ } from '../../support/http/api.ts';
import { startService } from '../../support/service.ts';

/** Who can download, at the time of the download (contract section 8). */
const NOON = Date.parse('2030-06-01T12:00:00Z');
const HOUR = 3_600_000;
let now = NOON;
const api = await startService({ after }, { clock: () => now });
test.beforeEach(() => {
  now = NOON;
});
const download = (token: string, options = {}) =>
  api.call('GET', `/software/download/${encodeURIComponent(token)}`, options);
const gets = async (token: string, content = 'bytes') => {
  const { status, body } = await download(token);
  assert.deepEqual([status, body], [200, content]);
};
const denied = async (token: string) => {
  const { status, body, headers } = await download(token);
  assert.deepEqual([status, body.code, body.data], [403, 'permission_denied', { status: 403 }]);
  assert.equal(headers.get('content-disposition'), null);
};
const unknown = async (token: string) => {
  const { status, body } = await download(token);
  assert.deepEqual([status, body.code, body.data], [404, 'data_error', { status: 404 }], token);
};
/** Creates software of product 7 with a release, and an activation of a license that it covers. */
async function sold(values: { software?: object; license?: object; release?: Record<string, string> } = {}) {
  const software = await api.software({ product_ids: [7], ...values.software });
  const release = await api.release(software.id, values.release);
  const license = await api.license({ product_id: 7, ...values.license });
  const { token: activationToken } = await api.activation(license.license_key, { software: software.id });
  const { download_url } = await api.ok('GET', `/software/${software.id}`, {
    query: { activation_token: activationToken },
  });
  const downloadToken = /download\/([^?]+)/.exec(download_url)?.[1] ?? '';
  return { software, release, license, activationToken, downloadToken };
}
type Sold = Awaited<ReturnType<typeof sold>>;
const ofRelease = ({ release }: Sold) => `/software/${release.software_id}/releases/${release.id}`;
const ofLicense = ({ license }: Sold) => `/licenses/${license.license_key}`;

/** A change after a token was issued, and how to undo it. */
type Change = [what: string, make: (of: Sold) => Promise<unknown>, undo?: (of: Sold) => Promise<unknown>];
const BY_BOTH: Change[] = [
  [
    'the activation is deactivated',
    ({ activationToken }) => api.ok('GET', `/licenses/deactivate/${activationToken}`),
    ({ activationToken: token, license }) => api.activation(license.license_key, { token }),
  ],
  [
    'the license expires',
    (of) => api.ok('PUT', ofLicense(of), { json: { expires_at: '2030-06-01 11:59:59' } }),
    (of) => api.ok('PUT', ofLicense(of), { json: { expires_at: null } }),
  ],
  [
    'the license is disabled',
    (of) => api.ok('PUT', ofLicense(of), { json: { status: 'disabled' } }),
    (of) => api.ok('PUT', ofLicense(of), { json: { status: 4 } }),
  ],
  [
    'the license moves to another product',
    (of) => api.ok('PUT', ofLicense(of), { json: { product_id: 8 } }),
    (of) => api.ok('PUT', ofLicense(of), { json: { product_id: 7 } }),
  ],
  [
    'the license loses its product',
    (of) => api.ok('PUT', ofLicense(of), { json: { product_id: null } }),
    (of) => api.ok('PUT', ofLicense(of), { json: { product_id: 7 } }),
  ],
  [
    'the software moves to another product',
    ({ software }) => api.ok('PUT', `/software/${software.id}`, { json: { product_ids: [8] } }),
    ({ software }) => api.ok('PUT', `/software/${software.id}`, { json: { product_ids: [8, 7] } }),
  ],
];
const GONE: Change[] = [
  [
    'the release becomes a draft',
    (of) => api.ok('PUT', ofRelease(of), { json: { status: 'draft' } }),
    (of) => api.ok('PUT', ofRelease(of), { json: { status: 'published' } }),
  ],
  [
    'the release is yanked',
    (of) => api.ok('PUT', ofRelease(of), { json: { status: 'yanked' } }),
    (of) => api.ok('PUT', ofRelease(of), { json: { status: 'published' } }),
  ],
  ['the release is deleted', (of) => api.ok('DELETE', ofRelease(of))],
  ['the software is deleted', ({ software }) => api.ok('DELETE', `/software/${software.id}`)],
];
const LICENSE_DELETED: Change = ['the license is deleted', (of) => api.ok('DELETE', ofLicense(of))];

const [good = '', other = ''] = [(await sold()).downloadToken, (await sold()).downloadToken];

suite('a download by download token', () => {
  for (const [what, make, undo] of [...BY_BOTH, ...GONE, LICENSE_DELETED]) {
    test(`answers 403 if ${what}${undo ? ', until that is undone' : ''}`, async () => {
      const of = await sold();
      await gets(of.downloadToken);
      await make(of);
      await denied(of.downloadToken);
      if (!undo) return;
      await undo(of);
      await gets(of.downloadToken);
    });
  }
  test('a deleted release is never mistaken for a newer one, nor deleted software', async () => {
    const of = await sold();
    await api.ok('DELETE', ofRelease(of));
    await api.release(of.software.id);
    await denied(of.downloadToken);
    await api.ok('DELETE', `/software/${of.software.id}`);
    await api.release((await api.software({ product_ids: [9] })).id);
    await denied(of.downloadToken);
  });
  test('the token stays valid after a newer release, a lower rollout and a change of channel', async () => {
    const of = await sold();
    await api.release(of.software.id, { version: '2.0', file: new File(['newer'], 'n.zip') });
    await gets(of.downloadToken);
    await api.ok('PUT', ofRelease(of), { json: { rollout: 0, channel: 'alpha' } });
    await gets(of.downloadToken);
  });
  test('the token serves the new file after a replacement', async () => {
    const of = await sold();
    await api.ok('PUT', ofRelease(of), { multipart: { file: new File(['mended'], 'm.zip') } });
    await gets(of.downloadToken, 'mended');
  });
  for (const [what, make] of [BY_BOTH[0], BY_BOTH[1], BY_BOTH[2], BY_BOTH[3], LICENSE_DELETED] as Change[]) {
    test(`the token of public software stays valid although ${what}`, async () => {
      const of = await sold({ software: { access: 'public' } });
      await make(of);
      await gets(of.downloadToken);
    });
  }
  for (const [what, make] of GONE) {
    test(`the token of public software answers 403 if ${what}`, async () => {
      const of = await sold({ software: { access: 'public' } });
      await make(of);
      await denied(of.downloadToken);
    });
  }
  test('a token issued without an activation answers 403 once its software is no longer public', async () => {
    const { id } = await api.software({ access: 'public', product_ids: [9] });
    await api.release(id);
    const { download_url } = await api.ok('GET', `/software/${id}`);
    assert.equal((await fetch(download_url)).status, 200);
    await api.ok('PUT', `/software/${id}`, { json: { access: 'licensed' } });
    const answer = await fetch(download_url);
    assert.deepEqual([answer.status, ((await answer.json()) as Record_).code], [403, 'permission_denied']);
  });
});

suite('expiry of download tokens', () => {
  test('a token answers 403 permission_denied after 24 hours', async () => {
    const { downloadToken } = await sold();
    now = NOON + 24 * HOUR - 1;
    await gets(downloadToken);
    now = NOON + 24 * HOUR;
    await denied(downloadToken);
    now = NOON + 1000 * HOUR;
    await denied(downloadToken);
  });
  test('a token of public software expires too', async () => {
    const { downloadToken } = await sold({ software: { access: 'public' } });
    now = NOON + 24 * HOUR;
    await denied(downloadToken);
  });
  test('a token expires after the configured hours', async () => {
    const other = await startService({ after }, { clock: () => now, server: { downloadHours: 2 } });
    const { id } = await other.software({ access: 'public' });
    await other.release(id);
    const { download_url } = await other.ok('GET', `/software/${id}`);
    now = NOON + 2 * HOUR - 1;
    assert.equal((await fetch(download_url)).status, 200);
    now = NOON + 2 * HOUR;
    assert.equal((await fetch(download_url)).status, 403);
  });
  test('an activation token does not expire as a download token', async () => {
    const { activationToken } = await sold();
    now = NOON + 10_000 * HOUR;
    await gets(activationToken);
  });
});

suite('a token that was never issued answers 404 data_error', () => {
  test('a token with any character changed, removed or added', async () => {
    const { downloadToken } = await sold();
    for (let i = 0; i < downloadToken.length; i++) {
      const [before, after_] = [downloadToken.slice(0, i), downloadToken.slice(i + 1)];
      const other = downloadToken[i] === 'A' ? 'B' : 'A';
      await unknown(before + other + after_);
      await unknown(before + after_);
      await unknown(`${before}A${downloadToken.slice(i)}`);
    }
    await gets(downloadToken);
  });
  test('a token of another service with another master key', async () => {
    const { downloadToken } = await sold();
    const other = await startService({ after }, { clock: () => now, dataDir: temporaryFolder() });
    const { id } = await other.software({ access: 'public' });
    await other.release(id);
    await other.fails(404, 'data_error', 'GET', `/software/download/${downloadToken}`);
  });
  test('a token signed with nothing or with guessable keys', async () => {
    const { downloadToken } = await sold();
    const [claim = ''] = downloadToken.split('.');
    for (const key of ['', '0', 'secret', Buffer.alloc(32), api.credentials.consumerSecret]) {
      await unknown(`${claim}.${createHmac('sha256', key).update(claim).digest('base64url')}`);
    }
  });
  const [claim, signature] = good.split('.');
  for (const token of [
    'forged',
    '0'.repeat(40),
    `${claim}.${other.split('.')[1]}`,
    `${claim}`,
    `${claim}.`,
    `.${signature}`,
    `${claim}.${signature}.${signature}`,
    `${good} `,
    `${good}\0`,
    `${good}\n`,
    `${good}=`,
    good.replace('.', '/'),
    '../../etc/passwd',
    'null',
    '1',
    'x'.repeat(10_000),
  ]) {
    test(JSON.stringify(token.slice(0, 100)), () => unknown(token));
  }
});

suite('a download by activation token', () => {
  for (const [what, make, undo] of BY_BOTH) {
    test(`answers 403 if ${what}, until that is undone`, async () => {
      const of = await sold();
      await gets(of.activationToken);
      await make(of);
      await denied(of.activationToken);
      await undo?.(of);
      await gets(of.activationToken);
    });
  }
  for (const [what, make, undo] of [...GONE, LICENSE_DELETED]) {
    test(`answers 404 if ${what} and there is no other release`, async () => {
      const of = await sold();
      await make(of);
      await unknown(of.activationToken);
      if (!undo) return;
      await undo(of);
      await gets(of.activationToken);
    });
  }
  test('serves the newest stable release that is rolled out to the activation', async () => {
    const of = await sold({ release: { version: '1.9' } });
    const add = (version: string, values = {}) =>
      api.release(of.software.id, { version, ...values, file: new File([`file of ${version}`], 'x.zip') });
    await add('1.10');
    await add('1.2');
    await add('2.0-rc.1', { channel: 'rc' });
    await add('3.0', { status: 'draft' });
    await add('4.0', { status: 'yanked' });
    await add('5.0', { rollout: '0' });
    await gets(of.activationToken, 'file of 1.10');
    const { body } = await download(of.activationToken, { query: { channel: 'rc', type: 'wp' } });
    assert.equal(body, 'file of 1.10');
  });
  test('works with Basic credentials and with credentials in the query string', async () => {
    const { activationToken } = await sold();
    const { consumerKey, consumerSecret } = api.credentials;
    const query = { consumer_key: consumerKey, consumer_secret: consumerSecret };
    assert.equal((await download(activationToken, { query, credentials: null })).body, 'bytes');
    assert.equal((await download(activationToken, { credentials: null })).status, 401);
  });
});
