import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { SYSTEM } from '../../src/app/people/set-up.ts';
import { keepHouse } from '../../src/server/housekeeping.ts';
import { rowsOf, runSql } from '../support/engine.ts';
import { silent } from '../support/log.ts';
import { type Running, startService } from '../support/service.ts';

const NOW = Date.parse('2030-06-01T12:00:00Z');
const YEAR_AGO = '2029-06-01 12:00:00';
const keep = ({ service }: Running, downloadDays: number) => keepHouse(service, { downloadDays }, silent);

const datesOf = async ({ dataDir }: Running): Promise<unknown[]> =>
  (await rowsOf(dataDir, 'select created_at from downloads order by id')).map((row) => row.created_at);

/** A service with records of these times, inserted directly into the database. */
async function recorded(t: TestContext, dates: readonly string[]): Promise<Running> {
  const api = await startService(t, { clock: () => NOW });
  const rows = dates.map((date) => `(7, '${date}')`);
  await runSql(api.dataDir, `insert into downloads (release_id, created_at) values ${rows.join()}`);
  return api;
}

test('records older than the setting are deleted, in any order; counts stay', async (t) => {
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

test('0 days keeps them for ever', async (t) => {
  const api = await recorded(t, ['2001-01-01 00:00:00']);
  await keep(api, 0);
  assert.equal((await datesOf(api)).length, 1);
});

test('one command deletes the oldest 5,000; all are deleted in the end', async (t) => {
  const old = Array.from({ length: 10_000 }, (_, i) => `2001-01-01 00:00:0${i < 5_000 ? 0 : 1}`);
  const api = await recorded(t, old);
  const { execute } = api.service;
  assert.equal(await execute('discard-downloads', { before: YEAR_AGO }, SYSTEM), 5_000);
  assert.deepEqual(await datesOf(api), old.slice(5_000));
  await runSql(
    api.dataDir,
    'insert into downloads (release_id, created_at) select release_id, created_at from downloads',
  );
  await keep(api, 365);
  assert.deepEqual(await datesOf(api), []);
});
