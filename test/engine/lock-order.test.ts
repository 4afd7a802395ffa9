import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import pg from 'pg';
import { importLicenses } from '../../src/app/batches/import-licenses.ts';
import { etagOf } from '../../src/app/etags.ts';
import { placeAllEvents } from '../../src/app/events/place-events.ts';
import { ACTIVATION_SOURCE } from '../../src/domain/activation.ts';
import { SYSTEM } from '../../src/domain/actor.ts';
import type { License } from '../../src/domain/licenses/license.ts';
import { openConnection } from '../../src/store/postgres/connection.ts';
import { type Gone, MOVING_KINDS, type MovingRecord } from '../../src/store/store.ts';
import {
  databaseUrl,
  dropDatabase,
  ENGINE,
  LOCK_WAITS,
  numberOf,
  rowsOf,
  runSql,
} from '../support/engine.ts';
import { newEndpoint } from '../support/events.ts';
import { temporaryFolder } from '../support/folder.ts';
import { activation, license } from '../support/moving.ts';
import { type Options, startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const LINES = 20;
const KEYS = Array.from({ length: LINES }, (_, i) => `IMPORTED-${i}`);

const ACTIVATION = {
  ...{ label: null, meta: null, token: null, software: null, ipAddress: null, userAgent: null },
  source: ACTIVATION_SOURCE.api,
};

/** Starts the service without retries, so that a deadlock fails, and opens another transaction. */
async function start(t: TestContext, options: Options = {}) {
  const { dataDir, service, ...api } = await startService(t, { patience: 0, ...options });
  const beside = new pg.Client((await databaseUrl(dataDir)) as string);
  beside.on('error', () => {});
  await beside.connect();
  t.after(() => beside.end());
  await beside.query('begin');
  const waiting = (count: number) => until(async () => (await numberOf(dataDir, LOCK_WAITS)) === count);
  const importOf = (keys: readonly string[]) =>
    importLicenses(service, linesOf(keys), { skipBad: true, defaults: {} }, SYSTEM);
  return { dataDir, service, api, beside, waiting, importOf };
}

async function* linesOf(keys: readonly string[]) {
  const values = { status: '3', valid_for: '0', activations_limit: '1' };
  for (const [i, license_key] of keys.entries()) yield { line: i + 1, values: { ...values, license_key } };
}

suite('locks', { skip: ENGINE === 'sqlite' && 'SQLite has one writer' }, () => {
  test('two imports of one file with its lines in opposite order do not deadlock', async (t) => {
    const { dataDir, service, beside, waiting, importOf } = await start(t);
    // Both imports wait for the key of this row, with all keys that they insert before it.
    await importOf([KEYS[LINES / 2] as string]);
    await runSql(dataDir, 'create table taken as select * from licenses; delete from licenses');
    await beside.query('insert into licenses select * from taken');
    const orders = [KEYS, KEYS.toReversed()];
    const imports = Promise.all(orders.map(importOf));
    await waiting(2);
    await beside.query('rollback');
    const imported = (await imports).map((report) => report.imported);
    assert.deepEqual(
      imported.toSorted((a, b) => a - b),
      [0, LINES],
    );
    const licenses = await service.store.read.licenses.after(0, 100, {});
    assert.deepEqual(
      licenses.map(({ key }) => key),
      orders[imported.indexOf(LINES)],
      'licenses must have the order of the lines',
    );
  });

  test('ending the seat of another device locks the seat before the license, as a deactivation does', async (t) => {
    let now = Date.parse('2030-06-01T12:00:00Z');
    const { dataDir, service, beside, waiting, importOf } = await start(t, { clock: () => now });
    const { execute } = service;
    const policies = {
      lapsed: { seatTtl: 60 },
      reclaimed: { reclaimAfterDays: 1 },
      taken_over: { takeoversPerMonth: 1 },
    };
    for (const [named, changes] of Object.entries(policies)) {
      await importOf([named]);
      assert.ok((await execute('update-license', { named, changes }, SYSTEM)).ok);
      const activate = () => execute('activate-license', { ...ACTIVATION, named, takeover: true }, SYSTEM);
      const held = await activate();
      assert.ok(held.ok);
      now += 2 * 86_400_000;
      const { id, licenseId } = held.value.activation;
      await beside.query(`update activations set label = label where id = ${id}`);
      const activated = activate();
      await waiting(1);
      await beside.query(`update licenses set valid_for = valid_for where id = ${licenseId}`);
      await beside.query('commit; begin');
      assert.ok((await activated).ok);
      const [ended] = await rowsOf(dataDir, `select ended_as from activations where id = ${id}`);
      assert.equal(ended?.ended_as, named);
    }
  });

  test('two requests of one device for the last seat get the same seat', async (t) => {
    const { service, beside, waiting, importOf } = await start(t);
    await importOf(['LAST']);
    await beside.query('update licenses set valid_for = valid_for');
    const activate = () =>
      service.execute('activate-license', { ...ACTIVATION, named: 'LAST', fingerprint: 'one' }, SYSTEM);
    const both = Promise.all([activate(), activate()]);
    await waiting(2);
    await beside.query('commit');
    const tokens = (await both).map((one) => one.ok && one.value.activation.token);
    assert.ok(tokens[0]);
    assert.equal(tokens[0], tokens[1]);
  });

  test('of two concurrent takeovers, if one is allowed, the second is refused and takes nothing', async (t) => {
    const { dataDir, service, beside, waiting, importOf } = await start(t);
    const { execute } = service;
    await importOf(['TAKEN']);
    const changes = { activationsLimit: 2, takeoversPerMonth: 1 };
    assert.ok((await execute('update-license', { named: 'TAKEN', changes }, SYSTEM)).ok);
    const activate = () =>
      execute('activate-license', { ...ACTIVATION, named: 'TAKEN', takeover: true }, SYSTEM);
    for (const _ of [1, 2]) assert.ok((await activate()).ok);
    await beside.query('update activations set label = label');
    const both = Promise.all([activate(), activate()]);
    await waiting(2);
    await beside.query('commit');
    assert.deepEqual((await both).map(({ ok }) => ok).sort(), [false, true]);
    const ended = await numberOf(dataDir, "select count(*) from activations where ended_as = 'taken_over'");
    assert.equal(ended, 1);
  });

  test('a license that is activated meanwhile can be edited by its version, and deleted with the new activation', async (t) => {
    const { dataDir, service, beside, waiting, importOf } = await start(t);
    const { execute, store } = service;
    const named = 'BUSY';
    await importOf([named]);
    const busy = (await store.read.licenses.find({ key: named })) as License;
    const etag = etagOf('license', busy, store.read.licenses);
    const expects = { kind: 'license', id: busy.id, etag } as const;
    const edit = { named, changes: { activationsLimit: 2 } };
    for (const change of [
      () => execute('update-license', edit, SYSTEM, { expects }),
      () => execute('delete-license', { named }, SYSTEM),
    ]) {
      // A lock without a change: after a change, PostgreSQL lets those who wait overtake each other.
      await beside.query('select id from licenses for update');
      const activated = execute('activate-license', { ...ACTIVATION, named }, SYSTEM);
      await waiting(1);
      const changed = change();
      await waiting(2);
      await beside.query('commit; begin');
      assert.deepEqual([(await activated).ok, (await changed).ok], [true, true]);
    }
    assert.ok((await execute('restore-licenses', { ids: [busy.id] }, SYSTEM)).ok);
    assert.deepEqual(await rowsOf(dataDir, 'select times_activated from licenses'), [{ times_activated: 2 }]);
    assert.equal(await numberOf(dataDir, 'select count(*) from activations'), 2);
  });

  test('a move delays no new license, commits all records that it has counted, and their deletion then finds none', async (t) => {
    const { dataDir, service, api, beside, waiting } = await start(t);
    const { execute } = service;
    const shop = 'shop';
    const records = [license(1), license(2), activation(1, 1)].map(
      ({ kind, id, digest, record }) => ({ kind, sourceId: id, digest, values: record }) as MovingRecord,
    );
    await execute('stage-records', { shop, records }, SYSTEM);
    // The move waits for the second license after it has inserted the first.
    await beside.query(`insert into licenses
      (id, key_hash, sealed_key, valid_for, source, status, activations_limit, created_at, created_by)
      values (2, '', '', 0, 3, 3, 1, now(), 0)`);
    const gone = Object.fromEntries(MOVING_KINDS.map((kind) => [kind, []])) as unknown as Gone;
    const move = { shop, plugin: 'dlm', staged: records.length, gone, dryRun: false };
    const committed = execute('commit-move', move, SYSTEM);
    await waiting(1);
    const hasOrdered = await api.license().then(Boolean, () => false);
    // Housekeeping does not wait: all later commits would wait behind it.
    assert.equal(await execute('discard-staged-records', { before: '9999-01-01 00:00:00' }, SYSTEM), 0);
    const discarded = execute('discard-staged-records', { shop }, SYSTEM);
    const unstaged = execute('unstage-records', { shop, kind: 'activation', ids: [1] }, SYSTEM);
    await waiting(3);
    await beside.query('rollback');
    assert.deepEqual([(await committed).ok, hasOrdered], [true, true]);
    assert.deepEqual(await Promise.all([discarded, unstaged]), [0, 0]);
    assert.equal(await numberOf(dataDir, 'select count(*) from activations'), 1);
  });

  test('a lease that is given out while its license is deleted is revoked', async (t) => {
    const { dataDir, service, beside, waiting, importOf } = await start(t, { patience: 10_000 });
    const { execute } = service;
    await importOf(['LEASED']);
    const activate = async () => {
      const made = await execute('activate-license', { ...ACTIVATION, named: 'LEASED' }, SYSTEM);
      return made.ok ? made.value.activation : assert.fail(made.refusal.code);
    };
    const { token } = await activate();
    assert.ok((await execute('deactivate-activation', { token }, SYSTEM)).ok);
    // The deletion waits for the activation that has ended.
    await beside.query('select id from activations for update');
    const deleted = execute('delete-license', { named: 'LEASED' }, SYSTEM);
    await waiting(1);
    const { id, licenseId, ...activation } = await activate();
    const lease = { licenseId, until: '2099-01-01 00:00:00', activation: { id, ...activation }, fp: null };
    assert.ok(await execute('note-lease', lease, SYSTEM));
    await beside.query('commit');
    assert.ok((await deleted).ok);
    assert.deepEqual(await rowsOf(dataDir, 'select kind, object_id, until from revocations'), [
      { kind: 'activation', object_id: id, until: lease.until },
    ]);
  });

  test('a locked license or activation delays no other device', async (t) => {
    const { service, beside, waiting, importOf } = await start(t);
    const { execute } = service;
    const keys = KEYS.slice(0, 3);
    await importOf(keys);
    const activate = (named: string) => execute('activate-license', { ...ACTIVATION, named }, SYSTEM);
    const deactivate = (token: string) => execute('deactivate-activation', { token }, SYSTEM);
    /** Begins all three in one turn, to share a statement, while a row that the second one needs is locked. */
    async function whileLocked<T>(table: string, id: number, begin: () => Promise<T>[]): Promise<T[]> {
      await beside.query(`update ${table} set updated_at = updated_at where id = ${id}`);
      const [first, second, third] = begin() as [Promise<T>, Promise<T>, Promise<T>];
      await Promise.all([first, third]);
      await waiting(1);
      await beside.query('commit; begin');
      return Promise.all([first, second, third]);
    }
    for (const table of ['licenses', 'activations']) {
      const made = await whileLocked('licenses', 2, () => keys.map(activate));
      const seats = made.map((one) => (one.ok ? one.value.activation : assert.fail(one.refusal.code)));
      const id = table === 'licenses' ? 2 : (seats[1]?.id as number);
      const ended = await whileLocked(table, id, () => seats.map(({ token }) => deactivate(token)));
      assert.deepEqual(
        ended.map(({ ok }) => ok),
        [true, true, true],
      );
    }
  });

  test('a conversion locks licenses in the order of ids', async (t) => {
    const { dataDir, service, beside, waiting, importOf } = await start(t);
    await importOf(KEYS);
    const rows = await rowsOf(dataDir, 'select id from licenses order by id');
    const [first, second] = rows.map(({ id }) => id);
    await runSql(dataDir, 'update licenses set ending_hash = null');
    // Move the row of the first license behind all others.
    await runSql(dataDir, `update licenses set valid_for = 1 where id = ${first}`);
    await beside.query(`update licenses set valid_for = 2 where id = ${first}`);
    const filling = service.execute('convert-rows', { conversion: 'key_suffixes', after: 0 }, SYSTEM);
    await waiting(1);
    await beside.query(`update licenses set valid_for = 2 where id = ${second}`);
    await beside.query('commit');
    await filling;
    assert.equal(await numberOf(dataDir, 'select count(*) from licenses where ending_hash is null'), 0);
  });

  test('numbering events locks the endpoints in the order of ids', async (t) => {
    const { service, beside, waiting, importOf } = await start(t);
    const types = ['license.created'] as const;
    const [first, second] = [
      await newEndpoint({ service }, { kind: 'poll', types }),
      await newEndpoint({ service }, { kind: 'poll', types }),
    ];
    await importOf(['TOLD']);
    const lock = (id: number) =>
      beside.query('update event_endpoints set description = description where id = $1', [id]);
    await lock(first.id);
    const placing = placeAllEvents(service.execute);
    await waiting(1);
    await lock(second.id);
    await beside.query('commit');
    await placing;
    for (const { id } of [first, second])
      assert.equal((await service.store.read.endpoints.find(id))?.lastSeq, 1);
  });

  test('a transaction whose client falls silent keeps its locks no longer than a statement may take', async (t) => {
    const dataDir = temporaryFolder();
    const url = (await databaseUrl(dataDir)) as string;
    const [silent, other] = await Promise.all([
      openConnection({ url, pooler: false, timeout: 3_000 }),
      openConnection({ url, pooler: false, timeout: 20_000 }),
    ]);
    t.after(async () => {
      await Promise.all([silent.close(), other.close()]);
      await dropDatabase(dataDir);
    });
    for (const { connection } of [silent, other]) {
      await connection.execute('begin');
      await connection.execute('select pg_advisory_xact_lock(1)');
    }
    await assert.rejects(silent.connection.execute('commit'), { name: 'StoreUnavailable' });
  });
});
