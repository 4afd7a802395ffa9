import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { removeLeftovers } from '../../src/app/releases/leftovers.ts';
import type { StoreConfig } from '../../src/installation/service.ts';
import { keepHouse } from '../../src/server/housekeeping.ts';
import { silent } from '../support/log.ts';
import { startService } from '../support/service.ts';
import { settingsOf, startS3 } from '../support/storage/s3.ts';

const BYTES = randomBytes(100_000);

/** Headers that only the file itself has. */
const OF_THE_FILE = ['etag', 'repr-digest', 'accept-ranges', 'content-disposition', 'content-range'];

async function onS3(t: TestContext, downloads: 'redirect' | 'stream') {
  const s3 = await startS3(t);
  const storage: Partial<StoreConfig> = {
    ...settingsOf(s3),
    s3Region: s3.region,
    s3Prefix: 'latchkey/',
    s3Downloads: downloads,
  };
  const api = await startService(t, { storage });
  const { id } = await api.software();
  const release = await api.release(id, {
    file: new File([BYTES], 'Ä "b".zip', { type: 'application/zip' }),
  });
  const { token } = await api.activation((await api.license()).license_key, { software: id });
  const news = await api.ok('GET', `/software/${id}`, { query: { activation_token: token } });
  const counted = async () => (await api.ok('GET', `/software/${id}/downloads`))[0]?.downloads ?? 0;
  return { s3, api, storage, id, release, url: news.download_url as string, counted };
}

test('the bucket stores the bytes of releases once, the local disk stores nothing, and deletion removes the bytes', async (t) => {
  const { s3, api, id, release } = await onS3(t, 'stream');
  const again = await api.release(id, { version: '1.1', file: new File([BYTES], 'same.zip') });
  const objects = await s3.objects();
  assert.equal(objects.length, 1);
  assert.match(objects[0] ?? '', new RegExp(`^latchkey/${release.sha256.slice(0, 2)}/${release.sha256}\\.`));
  const local = readdirSync(join(api.dataDir, 'artifacts', 'incoming'));
  assert.deepEqual(
    local.filter((name) => !name.endsWith('.lock')),
    [],
  );
  await api.ok('DELETE', `/software/${id}/releases/${release.id}`);
  assert.equal((await s3.objects()).length, 1);
  await api.ok('DELETE', `/software/${id}/releases/${again.id}`);
  assert.deepEqual(await s3.objects(), []);
});

test('redirect: a download is redirected to a signed URL that keeps its name and type', async (t) => {
  const { api, s3, url, counted } = await onS3(t, 'redirect');
  const answer = await fetch(url, { redirect: 'manual' });
  assert.equal(answer.status, 302);
  assert.equal(answer.headers.get('cache-control'), 'no-store');
  const address = answer.headers.get('location') ?? '';
  assert.ok(address.startsWith(`${s3.endpoint}/`) || address.startsWith(s3.endpoint));
  assert.ok(!address.includes(api.credentials.consumerSecret));
  const there = await fetch(address);
  assert.equal(there.status, 200);
  assert.equal(there.headers.get('content-type'), 'application/zip');
  assert.match(there.headers.get('content-disposition') ?? '', /filename\*=UTF-8''%C3%84%20%22b%22\.zip/);
  assert.ok(Buffer.from(await there.arrayBuffer()).equals(BYTES));
  const part = await fetch(url, { headers: { range: 'bytes=10-19' } });
  assert.equal(part.status, 206);
  assert.ok(Buffer.from(await part.arrayBuffer()).equals(BYTES.subarray(10, 20)));
  assert.equal(await counted(), 1, 'the range does not start at the beginning');

  const head = await fetch(url, { method: 'HEAD', redirect: 'manual' });
  assert.deepEqual([head.status, head.headers.get('content-length')], [200, '100000']);
  const known = await fetch(url, {
    headers: { 'if-none-match': head.headers.get('etag') ?? '' },
    redirect: 'manual',
  });
  assert.equal(known.status, 304);
});

test('redirect: a download is continued with the entity tag of S3, and counts once', async (t) => {
  const { url, counted } = await onS3(t, 'redirect');
  const whole = await fetch(url);
  await whole.arrayBuffer();
  const etag = whole.headers.get('etag') ?? '';
  const range = 'bytes=10-19';
  const conditions: Record<string, string>[] = [
    { 'if-match': etag, range },
    { 'if-range': etag, range },
    // S3 sends the whole file if the condition fails.
    { 'if-range': '"of a longer file"', range: 'bytes=100000-' },
  ];
  for (const headers of conditions)
    assert.equal((await fetch(url, { headers, redirect: 'manual' })).status, 302);
  assert.equal(await counted(), 2);
});

test('a signed URL outlives a yank by at most five minutes, and ends at once when the release is deleted', async (t) => {
  const { api, id, release, url } = await onS3(t, 'redirect');
  const of = `/software/${id}/releases/${release.id}`;
  const { headers } = await fetch(url, { redirect: 'manual' });
  const address = headers.get('location') ?? '';
  assert.equal(new URL(address).searchParams.get('X-Amz-Expires'), '300');
  await api.ok('PUT', of, { json: { status: 'yanked' } });
  assert.equal((await fetch(url, { redirect: 'manual' })).status, 403);
  assert.equal((await fetch(address)).status, 200);
  await api.ok('DELETE', of);
  assert.equal((await fetch(address)).status, 404);
});

test('stream: a download passes through the service, whole and in ranges', async (t) => {
  const { url, counted } = await onS3(t, 'stream');
  const answer = await fetch(url, { redirect: 'manual' });
  assert.equal(answer.status, 200);
  assert.ok(Buffer.from(await answer.arrayBuffer()).equals(BYTES));
  const part = await fetch(url, { headers: { range: 'bytes=-10' } });
  assert.equal(part.status, 206);
  assert.equal(part.headers.get('content-range'), 'bytes 99990-99999/100000');
  assert.ok(Buffer.from(await part.arrayBuffer()).equals(BYTES.subarray(-10)));
  assert.equal(await counted(), 1);
});

test('without its storage, uploads and downloads are 503 and reveal nothing, and everything else works', async (t) => {
  const { s3, api, id, url, counted } = await onS3(t, 'stream');
  await s3.stop();
  for (const answer of [
    await api.call('POST', `/software/${id}/releases`, {
      multipart: { version: '2.0', file: new File(['x'], 'x.zip') },
    }),
    await fetch(url).then(async (one) => ({
      status: one.status,
      body: await one.json(),
      headers: one.headers,
    })),
  ]) {
    assert.equal(answer.status, 503);
    assert.equal(answer.body.code, 'server_error');
    assert.match(answer.headers.get('retry-after') ?? '', /^\d+$/);
    assert.match(answer.body.message, /its database or storage is away/);
    assert.doesNotMatch(answer.body.message, /s3|bucket|127\.0\.0\.1/i);
    for (const name of OF_THE_FILE) assert.equal(answer.headers.get(name), null, name);
    assert.equal(answer.headers.get('cache-control'), 'no-store');
  }
  assert.equal(await counted(), 0);
  assert.equal((await api.ok('GET', `/software/${id}`)).version, '1.0.0');
  const local = readdirSync(join(api.dataDir, 'artifacts', 'incoming'));
  assert.deepEqual(
    local.filter((name) => !name.endsWith('.lock')),
    [],
  );
});

/** Runs a function with the clock of this process two hours ahead. */
async function hoursOn<T>(t: TestContext, happens: () => Promise<T>): Promise<T> {
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 2 * 3_600_000 });
  try {
    return await happens();
  } finally {
    t.mock.timers.reset();
  }
}
const ANYBODY = { byAge: true };
const THE_DEAD = { byAge: false };

test('doctor removes old objects that have no release and no known owner, and a start never does', async (t) => {
  const { s3, api } = await onS3(t, 'stream');
  const key = `ab/${'ab'.repeat(32)}.0123456789ab-1`;
  await s3.plant(`latchkey/${key}`, 'left by another machine just now');
  await s3.plant('somebody/elses.zip', 'x');
  assert.deepEqual((await removeLeftovers(api.service, ANYBODY)).orphans, []);
  const atStart = await hoursOn(t, () => removeLeftovers(api.service, THE_DEAD));
  assert.deepEqual(atStart.orphans, []);
  const byDoctor = await hoursOn(t, () => removeLeftovers(api.service, ANYBODY));
  assert.deepEqual(byDoctor.orphans, [key]);
  assert.equal((await s3.objects()).length, 2, 'the release and the foreign object');
});

test('a start removes the objects and the local leftovers of a process that is known to be dead', async (t) => {
  const { s3, api } = await onS3(t, 'stream');
  const incoming = join(api.dataDir, 'artifacts', 'incoming');
  const before = readdirSync(incoming);
  const [dead, gone] = ['0123456789ab', 'ba9876543210'];
  const key = (owner: string) => `ab/${'ab'.repeat(32)}.${owner}-1`;
  for (const owner of [dead, gone]) await s3.plant(`latchkey/${key(owner)}`, 'x');
  for (const name of [`${dead}.lock`, `${dead}-2`, `${gone}-2`, 'abc.lock.new'])
    writeFileSync(join(incoming, name), '');
  assert.deepEqual(await removeLeftovers(api.service, THE_DEAD), { orphans: [key(dead)], partialUploads: 1 });
  assert.deepEqual(readdirSync(incoming).sort(), [...before, `${gone}-2`].sort());
  assert.ok((await s3.objects()).includes(`latchkey/${key(gone)}`));
});

test('a second, empty database on the same bucket removes nothing at its start, even hours later', async (t) => {
  const { s3, url, storage } = await onS3(t, 'stream');
  const objects = await s3.objects();
  const other = await startService(t, { storage });
  await hoursOn(t, () =>
    keepHouse(other.service, { downloadDays: 365, eventDays: 30, trashDays: 30 }, silent),
  );
  assert.deepEqual(await s3.objects(), objects);
  assert.equal((await fetch(url)).status, 200);
});
