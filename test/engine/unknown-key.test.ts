import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { SYSTEM } from '../../src/domain/actor.ts';
import { openRotation } from '../../src/installation/rotating.ts';
import { openService } from '../../src/installation/service.ts';
import { dropDatabase } from '../support/engine.ts';
import { temporaryFolder } from '../support/folder.ts';
import { engineConfig, PATIENT } from '../support/service.ts';

test('reads and commands that meet an unknown key load it and continue', async (t) => {
  // Nothing polls for a new key, except SQLite's writer thread.
  t.mock.timers.enable({ apis: ['setInterval'] });
  const dataDir = temporaryFolder();
  const [old, next] = [randomBytes(32), randomBytes(32)];
  const config = { ...(await engineConfig(dataDir)), masterKey: old, nextMasterKey: next };
  const reader = await openService(config, PATIENT);
  const changer = await openService(config, PATIENT);
  t.after(() => Promise.all([reader.close(), changer.close()]));
  const row = { orderId: null, productId: null, userId: null, expiresAt: null, validFor: 0 };
  const values = { ...row, status: 3, activationsLimit: 2, source: 3 } as const;
  for (const licenseKey of ['A', 'B'])
    await changer.execute('create-license', { ...values, licenseKey }, SYSTEM);
  const client = { source: 1, ipAddress: null, userAgent: null } as const;
  const made = await changer.execute(
    'activate-license',
    { ...client, named: 'A', token: null, label: null, meta: null, software: null },
    SYSTEM,
  );
  assert.ok(made.ok, JSON.stringify(made));

  const { service, begin } = await openRotation(config);
  t.after(async () => {
    await service.close();
    await dropDatabase(dataDir);
  });
  assert.ok(begin);
  const { to, keyId } = begin;
  assert.equal(await service.execute('begin-master-key-rotation', begin, SYSTEM), true);
  assert.equal(await service.execute('begin-master-key-rotation', begin, SYSTEM), false);
  assert.equal(await service.execute('finish-master-key-rotation', { to }, SYSTEM), false);
  assert.equal(await service.execute('switch-master-key', { to }, SYSTEM), true);
  // A process that has not checked since then seals with the old key, and learns of the new key here.
  const resealed = await service.execute('reseal-records', { table: 'licenses', keyId, after: 0 }, SYSTEM);
  assert.deepEqual(resealed, { seen: 2, resealed: 2, next: null });

  const { licenses, activations } = reader.store.read;
  assert.equal((await licenses.find({ key: 'A' }))?.key, 'A');
  assert.equal((await activations.find(1))?.license.key, 'A');
  assert.equal((await reader.store.read.masterKey.state()).keyId, keyId);
  const renamed = await changer.execute(
    'update-license',
    { named: 'B', changes: { licenseKey: 'C' } },
    SYSTEM,
  );
  assert.ok(renamed.ok, JSON.stringify(renamed));
  assert.equal((await licenses.find({ key: 'C' }))?.key, 'C');
});
