import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { SYSTEM } from '../../src/domain/actor.ts';
import { keepHouse } from '../../src/server/housekeeping.ts';
import { rowsOf, runSql } from '../support/engine.ts';
import type { Record_ } from '../support/http/api.ts';
import { silent } from '../support/log.ts';
import { type Running, startService } from '../support/service.ts';

const NOW = Date.parse('2030-06-01T12:00:00Z');
const YEAR_AGO = '2029-06-01 12:00:00';
const keep = ({ service }: Running, downloadDays: number) =>
  keepHouse(service, { downloadDays, eventDays: 30, trashDays: 30 }, silent);

const datesOf = async ({ dataDir }: Running): Promise<unknown[]> =>
  (await rowsOf(dataDir, 'select created_at from downloads order by id')).map((row) => row.created_at);

/** Starts a service with records of these times, inserted directly into the database. */
async function recorded(t: TestContext, dates: readonly string[]): Promise<Running> {
  const api = await startService(t, { clock: () => NOW });
  const rows = dates.map((date) => `(7, '${date}')`);
  await runSql(api.dataDir, `insert into downloads (release_id, created_at) values ${rows.join()}`);
  return api;
}

test('records older than the setting are deleted, whatever their order; counts stay', async (t) => {
  const young = [YEAR_AGO, '2030-05-31 00:00:00'];
  const api = await recorded(t, ['2028-01-01 00:00:00', ...young, '2029-06-01 11:59:59']);
  const { id } = await api.software({ access: 'public' });
  await api.release(id);
  await (await fetch((await api.ok('GET', `/software/${id}`)).download_url)).text();
  const now = '2030-06-01 12:00:00';
  await keep(api, 365);
  assert.deepEqual(await datesOf(api), [...young, now]);
  await keep(api, 1);
  assert.deepEqual(await datesOf(api), [now]);
  await runSql(api.dataDir, "update downloads set created_at = '2001-01-01 00:00:00'");
  await keep(api, 1);
  assert.deepEqual(await datesOf(api), []);
  assert.equal((await api.ok('GET', `/software/${id}/downloads`))[0].downloads, 1);
});

test('a setting of 0 days keeps records for ever', async (t) => {
  const api = await recorded(t, ['2001-01-01 00:00:00']);
  await keep(api, 0);
  assert.equal((await datesOf(api)).length, 1);
});

test('one command deletes the oldest 5,000 records; housekeeping deletes all of them', async (t) => {
  const old = Array.from({ length: 10_000 }, (_, i) => `2001-01-01 00:00:0${i < 5_000 ? 0 : 1}`);
  const api = await recorded(t, old);
  const { execute } = api.service;
  assert.equal(await execute('discard-old', { what: 'downloads', before: YEAR_AGO }, SYSTEM), 5_000);
  assert.deepEqual(await datesOf(api), old.slice(5_000));
  await runSql(
    api.dataDir,
    'insert into downloads (release_id, created_at) select release_id, created_at from downloads',
  );
  await keep(api, 365);
  assert.deepEqual(await datesOf(api), []);
});

test('records from when the clock was ahead stay, and do not keep the others from being deleted', async (t) => {
  const ahead = Array.from({ length: 5_000 }, () => '2031-01-01 00:00:00');
  const api = await recorded(t, [...ahead, '2001-01-01 00:00:00']);
  await keep(api, 365);
  assert.deepEqual(await datesOf(api), ahead);
});

test('records beyond the newest of a license, or of public software, are deleted; counts stay', async (t) => {
  let now = NOW;
  const api = await startService(t, { clock: () => now, server: { historyKeep: 2 } });
  const { id } = await api.software();
  const release = await api.release(id);
  const { id: free } = await api.software({ access: 'public' });
  await api.release(free);
  const { download_url } = await api.ok('GET', `/software/${free}`);
  const tokens: string[] = [];
  for (const { license_key } of [await api.license(), await api.license()])
    tokens.push((await api.activation(license_key, { software: id })).token);
  const [one, other] = tokens.map((token) => () => api.call('GET', `/software/download/${token}`));
  const times: string[] = [];
  const take = async (download: () => Promise<unknown>) => {
    now += 1_000;
    times.push(new Date(now).toISOString().slice(0, 19).replace('T', ' '));
    await download();
  };
  const kept = async (which: string) =>
    (await rowsOf(api.dataDir, `select created_at from downloads where ${which} order by id`)).map(
      (row) => row.created_at,
    );
  await take(other as () => Promise<unknown>);
  const ofOne = `license_id = 1 and release_id = ${release.id}`;
  for (const [download, which, software, before] of [
    [one, ofOne, id, 1],
    [async () => (await fetch(download_url)).text(), 'license_id is null', free, 0],
  ] as [() => Promise<unknown>, string, number, number][]) {
    // One record in sixteen triggers a deletion: the probability of none in 500 is 10^-14.
    let count = 0;
    for (; count < 3 || (count < 500 && (await kept(which)).length > 2); count++) await take(download);
    assert.deepEqual(await kept(which), times.slice(-2));
    const counted: Record_[] = await api.ok('GET', `/software/${software}/downloads`);
    assert.equal(counted[0]?.downloads, count + before);
  }
  assert.deepEqual(await kept('license_id = 2'), times.slice(0, 1));
});
