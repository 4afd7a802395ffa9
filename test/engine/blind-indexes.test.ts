import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { convertAllRows } from '../../src/app/licenses/convert-rows.ts';
import { SYSTEM } from '../../src/domain/actor.ts';
import { backUp, newFolder, restore, verified } from '../cli/backups/backups.ts';
import { createCli } from '../cli/cli.ts';
import { earlierRows, literal } from '../support/earlier-rows.ts';
import { ENGINE, numberOf, rowsOf, runSql } from '../support/engine.ts';
import { createApi } from '../support/http/api.ts';
import { startService } from '../support/service.ts';

const hex = (bytes: unknown): string => Buffer.from(bytes as Uint8Array).toString('hex');

test('no value in the database works as a license key, a hash or a token', async (t) => {
  const { dataDir, ...api } = await startService(t);
  const { license_key: key } = await api.license();
  const { token } = await api.ok('GET', `/licenses/activate/${key}`);
  const [license] = await rowsOf(dataDir, 'select * from licenses');
  const [activation] = await rowsOf(dataDir, 'select * from activations');
  const texts = Object.values({ ...license, ...activation }).flatMap((value) =>
    typeof value === 'object' && value !== null ? [hex(value)] : [String(value)],
  );
  assert.ok(!texts.includes(token) && !texts.includes(hex(earlierRows(dataDir).hash(key))));
  for (const text of texts.map(encodeURIComponent)) {
    await api.fails(404, 'data_error', 'GET', `/licenses/hashed-${text}`);
    await api.fails(404, 'data_error', 'GET', `/licenses/hashed-${text.padEnd(64, '0')}`);
    await api.fails(404, 'data_error', 'GET', `/licenses/activate/hashed-${text}`);
    await api.fails(404, 'data_error', 'GET', `/licenses/validate/${text}`);
    await api.fails(404, 'data_error', 'GET', `/licenses/deactivate/${text}`);
  }
});

/** Starts a service with rows of an earlier version: two licenses, the first with two activations. */
async function startEarlier(t: Parameters<typeof startService>[0]) {
  const api = await startService(t);
  const earlier = earlierRows(api.dataDir);
  const keys = [(await api.license()).license_key, (await api.license()).license_key] as const;
  const tokens: string[] = [];
  for (const id of [1, 2]) {
    const { token } = await api.ok('GET', `/licenses/activate/${keys[0]}`);
    tokens.push(token);
    await earlier.activation(id, token);
  }
  for (const [i, key] of keys.entries()) await earlier.license(key, `id = ${i + 1}`);
  return { api, earlier, keys, tokens };
}

test('rows of an earlier version are found, changed and kept unique, before and after their conversion', async (t) => {
  const { api, earlier, keys, tokens } = await startEarlier(t);
  const { execute } = api.service;
  const hashed = `hashed-${hex(earlier.hash(keys[0]))}`;
  const isAnswered = async () => {
    for (const named of [keys[0], hashed]) {
      const { license_key, activations } = await api.ok('GET', `/licenses/${named}`);
      assert.equal(license_key, keys[0]);
      assert.deepEqual(activations.map(({ token }: { token: string }) => token).sort(), [...tokens].sort());
    }
    for (const token of tokens)
      assert.equal((await api.ok('GET', `/licenses/validate/${token}`)).token, token);
    assert.equal((await api.ok('GET', '/licenses', { query: { license_key: keys[1] } })).length, 1);
    const fields = { valid_for: 0, status: 'active', activations_limit: 0 };
    const again = { json: { license_key: keys[0], ...fields } };
    await api.fails(409, 'data_error', 'POST', '/licenses', again);
    const renamed = { json: { license_key: keys[0] } };
    await api.fails(409, 'data_error', 'PUT', `/licenses/${keys[1]}`, renamed);
    assert.equal((await api.ok('PUT', `/licenses/${keys[1]}`, { json: { order_id: 7 } })).order_id, 7);
    const values = { orderId: null, productId: null, userId: null, expiresAt: null, validFor: 0 };
    const row = { ...values, status: 3, activationsLimit: 0, key: keys[1], row: 0 };
    assert.deepEqual(await execute('stage-licenses', { batch: 'b', licenses: [row] }, SYSTEM), [0]);
    assert.equal(await numberOf(api.dataDir, 'select count(*) from licenses'), 2);
  };
  await isAnswered();
  await api.fails(404, 'data_error', 'GET', '/licenses/validate/.');

  // Convert under traffic.
  let converting = true;
  const validations = (async () => {
    while (converting) for (const token of tokens) await api.ok('GET', `/licenses/validate/${token}`);
  })();
  await convertAllRows(execute);
  converting = false;
  await validations;
  const left = 'select count(*) from licenses where length(key_hash) <> 24';
  assert.equal(await numberOf(api.dataDir, left), 0);
  assert.equal(await numberOf(api.dataDir, 'select count(*) from activations where sealed_token is null'), 0);
  await isAnswered();
  await api.ok('GET', `/licenses/deactivate/${tokens[0]}`);
  await api.ok('DELETE', `/licenses/${keys[0]}`);

  if (ENGINE === 'postgres') return;
  const credentials = [...tokens, earlier.hash(keys[0]), earlier.hash(keys[1])];
  for (const name of readdirSync(api.dataDir)) {
    const bytes = readFileSync(join(api.dataDir, name));
    for (const credential of credentials)
      assert.ok(!bytes.includes(credential), `${name} still holds a credential`);
  }
});

test('the database file holds no token of a converted row once a start has rewritten it', {
  skip: ENGINE === 'postgres' && 'the operator rewrites tables of PostgreSQL',
}, async (t) => {
  const { dataDir, service, ...api } = await startService(t);
  await api.license();
  await runSql(
    dataDir,
    `insert into activations (license_id, token, source, created_at)
       with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 6000)
       select 1, lower(hex(randomblob(20))), 2, '2026-01-01 00:00:00' from numbers`,
  );
  const tokens = new Set((await rowsOf(dataDir, 'select token from activations')).map(({ token }) => token));
  assert.equal(await convertAllRows(service.execute), tokens.size);
  await service.store.rewriteIfDue();
  assert.equal(await numberOf(dataDir, "select count(*) from meta where name = 'rewrite_due'"), 0);
  for (const name of readdirSync(dataDir)) {
    const words = readFileSync(join(dataDir, name), 'latin1').match(/[0-9a-f]{40}/g) ?? [];
    assert.deepEqual(
      words.filter((word) => tokens.has(word)),
      [],
    );
  }
});

test('a key shared with a row of an earlier version does not stop the conversion', async (t) => {
  const { api, earlier, keys } = await startEarlier(t);
  const { id, license_key } = await api.license();
  await earlier.license(license_key, 'id = 2');
  await convertAllRows(api.service.execute);
  assert.equal(await numberOf(api.dataDir, 'select id from licenses where length(key_hash) <> 24'), 2);
  assert.equal((await api.ok('GET', `/licenses/${keys[0]}`)).id, 1);
  assert.notEqual(id, 2);
});

test('a backup with rows of an earlier version is verified, restored, and converted then', {
  skip: ENGINE === 'postgres' && 'a backup is the same on both engines',
}, async (t) => {
  const { api, keys, tokens } = await startEarlier(t);
  const { file } = await backUp(createCli(api.dataDir));
  const to = createCli(newFolder());
  const key = ['--master-key-file', join(api.dataDir, 'master.key')];
  assert.equal((await verified(to, file, true, key)).license_keys.opened, 2);
  await restore(createCli(api.dataDir), file, to);
  const restored = await startService(t, { dataDir: to.dataDir });
  await convertAllRows(restored.service.execute);
  assert.equal(await numberOf(to.dataDir, 'select count(*) from activations where sealed_token is null'), 0);
  const { credentials } = api;
  const there = createApi(restored.root, credentials);
  assert.equal((await there.ok('GET', `/licenses/${keys[0]}`)).activations.length, 2);
  for (const token of tokens)
    assert.equal((await there.ok('GET', `/licenses/validate/${token}`)).token, token);

  // Swapped tokens do not open.
  const [one, other] = await rowsOf(to.dataDir, 'select sealed_token from activations order by id');
  for (const [id, row] of [other, one].entries()) {
    const sealed = literal(Buffer.from(row?.sealed_token as Uint8Array));
    await runSql(to.dataDir, `update activations set sealed_token = ${sealed} where id = ${id + 1}`);
  }
  const { problems } = await verified(to, (await backUp(to)).file, false, key);
  assert.deepEqual(
    problems,
    [1, 2].map((id) => `tables/activations: the token of the activation with id ${id} cannot be opened`),
  );
  await there.fails(500, 'server_error', 'GET', `/licenses/${keys[0]}`);
});
