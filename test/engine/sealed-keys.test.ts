import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { SYSTEM } from '../../src/domain/actor.ts';
import { createCli, faults } from '../cli/cli.ts';
import { earlierRows, literal } from '../support/earlier-rows.ts';
import { databaseUrl, ENGINE, LOCK_WAITS, numberOf, rowsOf, runSql } from '../support/engine.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const versionsOf = async (dataDir: string, table: string): Promise<number[]> =>
  (await rowsOf(dataDir, `select sealed_key from ${table}`)).map(
    ({ sealed_key }) => (sealed_key as Uint8Array)[0] as number,
  );

for (const version of [1, 2] as const) {
  test(`sealed keys of version ${version} swapped between two licenses are refused as damaged`, async (t) => {
    const { dataDir, logs, ...api } = await startService(t);
    const licenses = [await api.license(), await api.license()];
    const other = await api.license();
    if (version === 1)
      for (const { id, license_key } of licenses)
        await earlierRows(dataDir).license(license_key, `id = ${id}`, version);
    for (const { id, license_key } of licenses)
      assert.equal((await api.ok('GET', `/licenses/${license_key}`)).id, id);
    const rows = await rowsOf(dataDir, 'select id, sealed_key from licenses where id < 3 order by id desc');
    for (const [i, { sealed_key }] of rows.entries()) {
      const sealed = literal(Buffer.from(sealed_key as Uint8Array));
      await runSql(dataDir, `update licenses set sealed_key = ${sealed} where id = ${i + 1}`);
    }
    for (const { license_key } of licenses) {
      await api.fails(500, 'server_error', 'GET', `/licenses/${license_key}`);
      await api.fails(500, 'server_error', 'GET', `/licenses/activate/${license_key}`);
    }
    await api.fails(500, 'server_error', 'GET', '/licenses');
    assert.equal((await api.ok('GET', `/licenses/${other.license_key}`)).id, other.id);
    assert.match(logs.join(''), /the database is damaged/);
    const { code, stderr } = await createCli(dataDir).run(['license', 'show', licenses[0].license_key]);
    assert.equal(code, 3);
    assert.match(stderr, /^error: The database is damaged: .* was changed, or moved from another row/);
  });
}

test('keys sealed by an earlier version are read, and a rotation binds them to their rows', async (t) => {
  const { dataDir, service, ...api } = await startService(t);
  const keys = [(await api.license()).license_key, 'ÄLTER-☂-1'];
  await api.license({ license_key: keys[1] });
  const values = { orderId: null, productId: null, userId: null, expiresAt: null, validFor: 0 };
  const staged = { ...values, status: 3, activationsLimit: 1, key: 'STAGED-1', row: 0 } as const;
  await service.execute('stage-licenses', { batch: 'batch', licenses: [staged] }, SYSTEM);
  const earlier = earlierRows(dataDir);
  for (const [id, key] of keys.entries()) await earlier.license(key, `id = ${id + 1}`, 1);
  await earlier.license('STAGED-1', "batch = 'batch'", 1, 'staged_licenses');
  const activated = () => api.ok('GET', `/licenses/activate/${keys[0]}`);
  const tokens = [(await activated()).token, (await activated()).token];
  await earlier.activation(1, tokens[0]);
  for (const key of keys) assert.equal((await api.ok('GET', `/licenses/${key}`)).license_key, key);
  assert.deepEqual(
    (await api.ok('GET', '/licenses')).map((license: { license_key: string }) => license.license_key),
    keys.toReversed(),
  );
  // An upgrade alone requires no action.
  assert.match(
    await createCli(dataDir).ok(['doctor']),
    /all license keys and tokens are encrypted under this master key/,
  );
  // Long enough for this service to notice each step.
  await createCli(dataDir).ok(['master-key', 'rotate', '--settle', '1500']);
  assert.deepEqual(await versionsOf(dataDir, 'licenses'), [2, 2]);
  assert.deepEqual(await versionsOf(dataDir, 'staged_licenses'), [2]);
  // Housekeeping converts the other activation.
  assert.equal(await numberOf(dataDir, 'select count(*) from activations where sealed_token is null'), 1);
  for (const token of tokens) assert.equal((await api.ok('GET', `/licenses/validate/${token}`)).token, token);
  assert.match(
    await createCli(dataDir).ok(['doctor']),
    /all license keys and tokens are encrypted under this master key/,
  );
  const commit = { batch: 'batch', rows: 1, source: 3, generatorId: null, skipConflicts: false } as const;
  const committed = await service.execute('commit-staged-licenses', commit, SYSTEM);
  assert.ok(committed.ok);
  const { created, conflicts } = committed.value;
  assert.deepEqual([created, conflicts], [1, []]);
  for (const key of [...keys, 'STAGED-1'])
    assert.equal((await api.ok('GET', `/licenses/${key}`)).license_key, key);
});

test('a rotation seals the private halves of signing keys, those of earlier versions too', async (t) => {
  const { dataDir, service } = await startService(t);
  const { signingKeys } = service.store.read;
  const kids = (await signingKeys.list()).filter((one) => one.hasPrivateHalf).map(({ kid }) => kid);
  const halves = () => Promise.all(kids.map((kid) => signingKeys.privateHalf(kid)));
  const before = await halves();
  const earlier = earlierRows(dataDir);
  const sealed = earlier.secret(String(before[0]), `signing key ${kids[0]}`);
  await runSql(dataDir, `update signing_keys set private_half = ${literal(sealed)} where kid = '${kids[0]}'`);
  assert.deepEqual(await halves(), before);
  await createCli(dataDir).ok(['master-key', 'rotate', '--settle', '1500']);
  const rows = await rowsOf(dataDir, 'select private_half from signing_keys where private_half is not null');
  assert.equal(rows.length, kids.length);
  for (const { private_half } of rows)
    assert.deepEqual(Buffer.from(private_half as Uint8Array).subarray(0, 5), earlier.header());
  assert.deepEqual(await halves(), before);
});

test('a damaged key or token does not block a rotation of the master key', async (t) => {
  const { dataDir, ...api } = await startService(t);
  const [first, second] = [await api.license(), await api.license()];
  await api.activation(first.license_key);
  await api.activation(second.license_key);
  for (const [table, column] of Object.entries({ licenses: 'sealed_key', activations: 'sealed_token' })) {
    const other = `(select ${column} from ${table} where id = 2)`;
    await runSql(dataDir, `update ${table} set ${column} = ${other} where id = 1`);
  }
  // The bytes that name the sealing key.
  await api.license();
  const [row] = await rowsOf(dataDir, 'select sealed_key from licenses where id = 3');
  const damaged = Buffer.from(row?.sealed_key as Uint8Array).fill(0, 1, 5);
  await runSql(dataDir, `update licenses set sealed_key = ${literal(damaged)} where id = 3`);
  const cli = createCli(dataDir);
  assert.match(
    await cli.ok(['master-key', 'rotate', '--settle', '1500']),
    /2 license keys were re-encrypted/,
  );
  assert.equal((await cli.json(['license', 'show', second.license_key])).id, 2);
  const { Encryption: found } = await faults(cli, 1);
  assert.match(
    found,
    /^fail: 3 license keys and tokens are damaged \(id 1 of licenses, id 3 of licenses, id 1 of activations\)/,
  );
});

test('staged keys are not resealed while a batch is committed, and vice versa', {
  skip: ENGINE === 'sqlite' && 'SQLite has one writer',
}, async (t) => {
  const { dataDir, service } = await startService(t);
  const { keyId } = await service.store.read.masterKey.state();
  const client = new pg.Client((await databaseUrl(dataDir)) as string);
  client.on('error', () => {});
  await client.connect();
  t.after(() => client.end());
  const reseal = () => service.execute('reseal-staged-licenses', { keyId, after: null }, SYSTEM);
  const commit = () =>
    service.execute(
      'commit-staged-licenses',
      { batch: 'none', rows: 0, source: 3, generatorId: null, skipConflicts: false },
      SYSTEM,
    );
  const waits = async (run: () => Promise<unknown>, lock: string) => {
    await client.query(`begin; select ${lock}(7203318408)`);
    const running = run();
    await until(async () => (await numberOf(dataDir, LOCK_WAITS)) === 1);
    await client.query('rollback');
    await running;
  };
  await waits(reseal, 'pg_advisory_xact_lock_shared');
  await waits(commit, 'pg_advisory_xact_lock');
  await client.query('begin; select pg_advisory_xact_lock_shared(7203318408)');
  await commit();
  await client.query('rollback');
});
