import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createSigner, REREAD_MS } from '../../src/app/keys/create-signer.ts';
import { certificateOf, keySetOf } from '../../src/app/keys/key-set.ts';
import { renewSigningKey } from '../../src/app/keys/renew-signing-key.ts';
import { SYSTEM } from '../../src/domain/actor.ts';
import { DAY_MS } from '../../src/domain/datetime.ts';
import { openService, type Service } from '../../src/installation/service.ts';
import { createHousekeeper } from '../../src/server/housekeeping.ts';
import { StoreUnavailable } from '../../src/store/store.ts';
import { backUp, newFolder, restore } from '../cli/backups/backups.ts';
import { createCli, migratedCli } from '../cli/cli.ts';
import { dropDatabase, migratedFolder } from '../support/engine.ts';
import { leaseBy, programPinning } from '../support/leases/leases.ts';
import { engineConfig, PATIENT } from '../support/service.ts';

const ROTATE = { rootKey: null, revoke: false, onlyIfDue: false };
const YEAR_MS = 365 * DAY_MS;

/** Opens several services on one database, like nodes or workers. */
async function nodes(
  t: { after(stop: () => Promise<void>): void },
  count: number,
  clock: () => number = Date.now,
): Promise<Service[]> {
  const dataDir = await migratedFolder();
  const config = { ...(await engineConfig(dataDir)), workers: count };
  const services: Service[] = [];
  t.after(async () => {
    for (const service of services) await service.close();
    await dropDatabase(dataDir);
  });
  for (let i = 0; i < count; i++) services.push(await openService(config, { clock, connectTimeout: 60_000 }));
  return services;
}

const keysOf = async ({ store }: Service) => {
  const all = await store.read.signingKeys.list();
  const keys = keySetOf(all);
  assert.ok(keys);
  return { ...keys, all, certificate: certificateOf(keys) };
};

const services = await nodes({ after }, 3);
const [one, other] = services as [Service, Service];

test('nodes that start and rotate concurrently share one set of keys', async () => {
  const signing = await Promise.all(services.map(({ signer }) => signer.current()));
  assert.equal(new Set(signing.map(({ kid }) => kid)).size, 1);
  assert.equal((await keysOf(one)).all.length, 3);
  const rotated = await Promise.all(
    services.map(({ execute }) => execute('rotate-signing-key', ROTATE, SYSTEM)),
  );
  assert.ok(rotated.every(({ ok }) => ok));
  const { all, signing: last, root, spare } = await keysOf(one);
  const states = all.map(({ role, state, hasPrivateHalf }) => `${role} ${state} ${hasPrivateHalf}`);
  assert.deepEqual(states.sort(), [
    ...['root active true', 'root spare true', 'signing active true'],
    ...Array(3).fill('signing retired false'),
  ]);
  const program = programPinning([root.x, spare.x]);
  const lease = leaseBy(await createSigner(one.store, one.execute).current());
  assert.deepEqual(await program.check(lease), ['good']);
  assert.equal((await createSigner(one.store, one.execute).current()).kid, last.kid);
  const spares = await Promise.all(
    services
      .slice(1)
      .map(({ execute }) => execute('use-spare-root', { rootKey: null, keepOld: true, again: true }, SYSTEM)),
  );
  assert.ok(spares.every(({ ok }) => ok));
  assert.deepEqual(await programPinning([root.x, spare.x]).check(leaseBy(signing[0] as never)), ['good']);
  assert.equal((await keysOf(one)).all.length, 10);
});

test('a signer rereads its key after some seconds, once for all callers, and keeps it while the database is away', async () => {
  let now = 0;
  let reads = 0;
  let isAway = false;
  const { list } = one.store.read.signingKeys;
  const signingKeys = {
    ...one.store.read.signingKeys,
    list: () => {
      reads++;
      return isAway ? Promise.reject(new StoreUnavailable('away')) : list();
    },
  };
  const store = { ...one.store, read: { ...one.store.read, signingKeys } };
  const signer = createSigner(store, one.execute, () => now);
  const first = await signer.current();
  reads = 0;
  await other.execute('rotate-signing-key', ROTATE, SYSTEM);
  now = REREAD_MS - 1;
  assert.deepEqual([await signer.current(), reads], [first, 0]);
  now = REREAD_MS;
  const seen = await Promise.all(Array.from({ length: 50 }, () => signer.current()));
  assert.deepEqual([new Set(seen).size, reads], [1, 1]);
  assert.notEqual(seen[0]?.kid, first.kid);
  assert.equal(seen[0]?.until, (await keysOf(other)).certificate.exp);

  isAway = true;
  now += REREAD_MS;
  assert.equal(await signer.current(), seen[0]);
  await assert.rejects(createSigner(store, one.execute, () => now).current(), StoreUnavailable);
});

test('a server renews the certificate a year before its end; if it cannot, it warns once a day', async (t) => {
  let now = Date.UTC(2026, 10, 23);
  const [service] = (await nodes(t, 1, () => now)) as [Service];
  await service.execute('make-signing-keys', null, SYSTEM);
  const { certificate, root } = await keysOf(service);
  assert.equal(certificate.nbf, now / 1_000 - 3_600);
  assert.equal(certificate.exp, (now + 3 * YEAR_MS) / 1_000);
  const renew = () => renewSigningKey(service);
  const nothing = { renewed: null, endsIn: null };

  now += 2 * YEAR_MS;
  assert.deepEqual(await renew(), nothing);
  now += 1_000;
  const { renewed } = await renew();
  const { signing, certificate: second } = await keysOf(service);
  assert.deepEqual([renewed, second.exp], [signing.kid, (now + 3 * YEAR_MS) / 1_000]);
  assert.deepEqual(await renew(), nothing);

  // The certificate was made while the clock was ahead: programs would refuse leases signed now.
  now -= YEAR_MS;
  assert.notEqual((await renew()).renewed, null);
  assert.deepEqual(await renew(), nothing);

  await service.execute('export-root-key', { kid: root.kid }, SYSTEM);
  now += 3 * YEAR_MS - 180 * DAY_MS;
  assert.deepEqual(await renew(), nothing);
  now += 1_000;
  assert.deepEqual(await renew(), { renewed: null, endsIn: 179 });
  now += YEAR_MS;
  assert.deepEqual(await renew(), { renewed: null, endsIn: -186 });

  const warnings: unknown[] = [];
  const log = { info() {}, error() {}, warn: (about: object) => warnings.push(about) } as never;
  const keepHouse = createHousekeeper(service, { downloadDays: 0, eventDays: 30, trashDays: 30 }, log);
  for (let hour = 0; hour < 25; hour++) await keepHouse();
  assert.deepEqual(warnings, [{ days: -186 }, { days: -186 }]);
});

test('the number of revoked keys is limited to keep leases short; use of the spare root makes room', async () => {
  const { execute } = one;
  const revoke = () => execute('rotate-signing-key', { ...ROTATE, revoke: true }, SYSTEM);
  for (let i = 0; i < 40; i++) assert.ok((await revoke()).ok);
  const lease = leaseBy(await createSigner(one.store, execute).current());
  assert.ok(lease.length < 4_096, String(lease.length));
  const { root, spare, all } = await keysOf(one);
  assert.deepEqual(await programPinning([root.x]).check(lease), ['good']);
  const refused = await revoke();
  assert.deepEqual(refused, { ok: false, refusal: { code: 'too_many_revoked_keys', args: { limit: 40 } } });
  assert.deepEqual((await keysOf(one)).all, all);
  assert.ok((await execute('use-spare-root', { rootKey: null, keepOld: false, again: true }, SYSTEM)).ok);
  assert.deepEqual((await keysOf(one)).certificate.rvk, [root.kid]);
  assert.equal((await keysOf(one)).certificate.root, spare.kid);
});

test('after a rotation of the master key, a restored backup signs with the same keys and can rotate them', async (t) => {
  const cli = await migratedCli();
  const { pins, signing_key } = await cli.json(['signing-key', 'show']);
  await cli.ok(['master-key', 'rotate', '--settle', '0']);
  const { file } = await backUp(cli);
  const restored = createCli(newFolder());
  await restore(cli, file, restored);
  const service = await openService(await engineConfig(restored.dataDir), PATIENT);
  t.after(service.close);
  const key = await service.signer.current();
  assert.equal(key.kid, signing_key.id);
  assert.deepEqual(await programPinning(pins).check(leaseBy(key)), ['good']);
  const rotated = await service.execute('rotate-signing-key', ROTATE, SYSTEM);
  assert.ok(rotated.ok && rotated.value?.from === key.kid);
});
