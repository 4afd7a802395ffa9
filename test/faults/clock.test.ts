import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { FastifyBaseLogger } from 'fastify';
import { SYSTEM } from '../../src/domain/actor.ts';
import { createHousekeeper } from '../../src/server/housekeeping.ts';
import { signedIn } from '../support/console/console.ts';
import { numberOf } from '../support/engine.ts';
import { exactOf } from '../support/http/shared-limit.ts';
import { type Running, startService } from '../support/service.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const YEAR_MS = 365 * DAY_MS;
const START = Date.parse('2030-06-01T12:00:00Z');
/** Requests per minute and address. */
const LIMIT = 10;

/** Starts a service whose clock the test sets. */
async function started(t: TestContext, rateLimit = 0): Promise<Running & { set(ms: number): void }> {
  let now = START;
  const api = await startService(t, {
    clock: () => now,
    // One of several processes: the database counts their common limit.
    ...(rateLimit > 0 && { storage: { workers: 2 }, server: { rateLimit, trustProxy: true } }),
  });
  return Object.assign(api, {
    set: (ms: number) => {
      now = ms;
    },
  });
}

test('a clock set back or forward neither blocks clients for long nor lifts the request limit', async (t) => {
  const api = await started(t, LIMIT);
  const jumps = [-5 * HOUR_MS, -3 * YEAR_MS, 10 * YEAR_MS, 2 * HOUR_MS, -2 * HOUR_MS];
  const expected = [LIMIT, ...jumps.flatMap(() => [LIMIT, 0]), LIMIT];
  await exactOf(async (from) => {
    const allowed = async () => {
      const statuses: number[] = [];
      const headers = { 'x-forwarded-for': from };
      for (let i = 0; i < 15; i++) statuses.push((await api.call('GET', '/licenses', { headers })).status);
      assert.ok(statuses.every((status) => status === 200 || status === 429));
      return statuses.filter((status) => status === 200).length;
    };
    let now = START;
    api.set(now);
    const found = [await allowed()];
    for (const jump of jumps) {
      now += jump;
      api.set(now);
      found.push(await allowed(), await allowed());
    }
    // A step back within the minute adds at most another minute of waiting.
    now -= 30_000;
    api.set(now);
    await allowed();
    now += 90_001;
    api.set(now);
    found.push(await allowed());
    if (found.some((count, i) => count > Number(expected[i]))) return null;
    assert.deepEqual(found, expected);
    return found;
  });
});

test('licenses and downloads expire by the clock, and are valid again once a wrong clock is corrected', async (t) => {
  const api = await started(t);
  const { license_key: key } = await api.license({ expires_at: '2031-01-01 00:00:00' });
  const { token } = await api.activation(key);
  const { id } = await api.software({ access: 'public' });
  await api.release(id);
  const { download_url: url } = await api.ok('GET', `/software/${id}`);
  const download = async () => (await fetch(url)).status;
  const isExpired = async () => (await api.ok('GET', `/licenses/validate/${token}`)).license.is_expired;
  for (const [jump, found] of [
    [0, [false, 200]],
    [5 * YEAR_MS, [true, 403]],
    [-5 * YEAR_MS, [false, 200]],
    [2 * DAY_MS, [false, 403]],
    [-HOUR_MS, [false, 200]],
  ] as const) {
    api.set(START + jump);
    assert.deepEqual([await isExpired(), await download()], found, `${jump} ms`);
    // Changes work at any time.
    const made = await api.activation(key, { label: String(jump) }).catch(() => null);
    if (made) await api.ok('GET', `/licenses/deactivate/${made.token}`);
    const { license_key: other } = await api.license();
    assert.equal(
      (await api.ok('PUT', `/licenses/${other}`, { json: { activations_limit: 9 } })).activations_limit,
      9,
    );
    await api.ok('DELETE', `/licenses/${other}`);
    assert.deepEqual((await fetch(`${new URL(api.root).origin}/readyz`)).status, 200);
  }
});

test('the last use of an API key does not go back with the clock', async (t) => {
  const api = await started(t);
  const last = async () => (await api.service.store.read.apiKeys.list())[0]?.lastAccessAt;
  for (const [ms, expected] of [
    [START, '2030-06-01 12:00:00'],
    [START - YEAR_MS, '2030-06-01 12:00:00'],
    [START + HOUR_MS, '2030-06-01 13:00:00'],
  ] as const) {
    api.set(ms);
    await api.ok('GET', '/licenses');
    await api.service.lastAccess.flush();
    assert.equal(await last(), expected);
  }
});

/** Runs housekeeping with a steady clock that the test advances. */
function housekeeper(api: Running, warnings: string[]) {
  let passed = 0;
  const log = {
    info() {},
    warn: (_: object, text: string) => void warnings.push(text),
  } as unknown as FastifyBaseLogger;
  const tidy = createHousekeeper(api.service, { downloadDays: 30, eventDays: 30, trashDays: 30 }, log, {
    steady: () => passed,
  });
  return (ms: number) => {
    passed += ms;
    return tidy();
  };
}

test('after a jump forward of the clock, housekeeping spares sessions and staged keys for a day', async (t) => {
  const api = await started(t);
  const { execute } = api.service;
  const warnings: string[] = [];
  const keepHouse = housekeeper(api, warnings);
  const license = {
    orderId: null,
    productId: null,
    userId: null,
    expiresAt: null,
    validFor: 0,
    status: 3,
    activationsLimit: 1,
  };
  const stage = (batch: string) =>
    execute('stage-licenses', { batch, licenses: [{ ...license, key: batch, row: 0 }] } as never, SYSTEM);
  const commit = (batch: string) =>
    execute('commit-staged-licenses', { batch, rows: 1, source: 1, skipConflicts: false } as never, SYSTEM);
  const staged = () => numberOf(api.dataDir, 'select count(*) from staged_licenses');
  const { ok } = await signedIn(api, 'viewer');
  await stage('one');
  await stage('two');
  await keepHouse(0);
  api.set(START + 3 * YEAR_MS);
  await keepHouse(HOUR_MS);
  assert.equal(warnings.length, 1);
  assert.match(String(warnings), /the clock has jumped forward.*if the clock is wrong, set it/);
  // A process that starts within the day, or after a jump.
  await housekeeper(api, warnings)(0);
  assert.equal(warnings.length, 1);
  api.set(START + 6 * YEAR_MS);
  await housekeeper(api, warnings)(0);
  assert.equal(warnings.length, 2);
  await commit('one');
  await api.ok('GET', '/licenses/one');
  api.set(START);
  assert.equal((await ok('GET', '/session')).signed_in, true);
  await keepHouse(HOUR_MS);
  assert.equal(await staged(), 2);
  // Once a day has really passed, the rows are old.
  api.set(START + DAY_MS + HOUR_MS);
  await keepHouse(DAY_MS + HOUR_MS);
  await keepHouse(0);
  assert.equal(await staged(), 0);
  assert.equal(warnings.length, 2);
});
