import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { numberOf } from '../support/engine.ts';
import { temporaryFolder } from '../support/folder.ts';
import { type Running, startService } from '../support/service.ts';

const HOUR_MS = 3_600_000;

async function started(t: TestContext, dataDir = temporaryFolder()) {
  const time = { now: Date.parse('2030-06-01T00:00:00Z') };
  const start = () => startService(t, { clock: () => time.now, dataDir, server: { trustProxy: true } });
  return { time, dataDir, start };
}

/** Uses the API key of a service from so many addresses. @param owner whose key it is, for each process makes its own */
async function use(api: Running, count: number, first = 0, owner = api): Promise<void> {
  const ask = (i: number) =>
    api.ok('GET', '/licenses', {
      credentials: owner.credentials,
      headers: { 'x-forwarded-for': `10.0.${i >> 8}.${i & 255}` },
    });
  for (let i = first; i < first + count; i += 20)
    await Promise.all(Array.from({ length: Math.min(20, first + count - i) }, (_, j) => ask(i + j)));
}

test('a key used from far more addresses than in its other hours is warned of, once a day', async (t) => {
  const { time, start, dataDir } = await started(t);
  const api = await start();
  for (let hour = 0; hour < 3; hour++, time.now += HOUR_MS) {
    await use(api, 30);
    assert.deepEqual(await api.flushAddressCounts(), []);
  }
  await use(api, 70);
  assert.deepEqual(await api.flushAddressCounts(), []);
  await use(api, 180, 70);
  const [found, ...more] = await api.flushAddressCounts();
  assert.equal(more.length, 0);
  assert.equal(found?.apiKeyId, 1);
  assert.ok(Math.abs((found?.addresses ?? 0) - 250) < 60, String(found?.addresses));
  assert.ok(Math.abs((found?.usual ?? 0) - 30) < 6, String(found?.usual));
  assert.deepEqual(await api.flushAddressCounts(), [], 'nothing is new');

  await use(api, 50, 250);
  assert.deepEqual(await api.flushAddressCounts(), []);
  time.now += 5 * HOUR_MS;
  await use(api, 300);
  assert.deepEqual(await api.flushAddressCounts(), [], 'the same day');
  time.now += 20 * HOUR_MS;
  await use(api, 300);
  assert.equal((await api.flushAddressCounts()).length, 1);
  time.now += 8 * 24 * HOUR_MS;
  await use(api, 1);
  await api.flushAddressCounts();
  assert.equal(
    await numberOf(dataDir, 'select count(*) from address_counts'),
    1,
    'older hours are forgotten',
  );
});

test('several processes count together, and a restart forgets nothing', async (t) => {
  const { start } = await started(t);
  const [one, other] = [await start(), await start()];
  await use(one, 60);
  await use(other, 60, 60, one);
  const warned = [await one.flushAddressCounts(), await other.flushAddressCounts()];
  assert.deepEqual(
    warned.map(({ length }) => length),
    [0, 1],
  );
  const third = await start();
  await use(third, 40, 120, one);
  assert.deepEqual(await third.flushAddressCounts(), []);
  // At once, as it may happen.
  await use(one, 30, 200);
  await use(other, 30, 230, one);
  await Promise.all([one.flushAddressCounts(), other.flushAddressCounts()]);
  const total = await numberOf(one.dataDir, 'select addresses from address_counts');
  assert.ok(Math.abs(total - 220) < 50, String(total));
});

test('usual numbers, and a key used by few, are nothing to warn of', async (t) => {
  const { start, time } = await started(t);
  const api = await start();
  await use(api, 90);
  assert.deepEqual(await api.flushAddressCounts(), []);
  time.now += HOUR_MS;
  await use(api, 300);
  assert.deepEqual(await api.flushAddressCounts(), []);
});

test('the addresses of one IPv6 customer are one', async (t) => {
  const { start } = await started(t);
  const api = await start();
  for (let i = 0; i < 150; i++)
    await api.ok('GET', '/licenses', { headers: { 'x-forwarded-for': `2001:db8:1:2::${i.toString(16)}` } });
  assert.deepEqual(await api.flushAddressCounts(), []);
  await use(api, 150);
  assert.equal((await api.flushAddressCounts()).length, 1);
});
