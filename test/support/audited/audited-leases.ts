import assert from 'node:assert/strict';
import type { Actor } from '../../../src/domain/actor.ts';
import { runSql } from '../engine.ts';
import { offlineDevice } from '../offline-device.ts';
import type { Running } from '../service.ts';
import { actor } from './audited.ts';

/** The commands of signing keys and license files. */
export const leaseChanges = ({
  service: { execute, store },
  dataDir,
  license,
}: Running): Record<string, [actions: string[], prepare: () => Promise<() => Promise<unknown>>]> => ({
  'record-license-file': [
    ['license.lease'],
    async () => {
      const named = { id: Number((await license()).id) };
      return () => execute('record-license-file', { named, token: null }, actor);
    },
  ],
  'make-signing-keys': [
    ['signing_key.create'],
    async () => {
      await runSql(dataDir, 'delete from signing_keys');
      return () => execute('make-signing-keys', null, actor);
    },
  ],
  'rotate-signing-key': [
    ['signing_key.rotate'],
    async () => () =>
      execute('rotate-signing-key', { rootKey: null, revoke: false, onlyIfDue: false }, actor),
  ],
  'use-spare-root': [
    ['signing_key.use_spare'],
    async () => () => execute('use-spare-root', { rootKey: null, keepOld: false }, actor),
  ],
  'export-root-key': [
    ['signing_key.export_root'],
    async () => {
      const keys = await store.read.signingKeys.list();
      const spare = keys.find(({ state }) => state === 'spare');
      return () => execute('export-root-key', { kid: String(spare?.kid) }, actor);
    },
  ],
});

/** Prepares the end of an activation by a receipt. */
export async function offlineEnd(api: Running): Promise<(by: Actor) => Promise<unknown>> {
  const { execute } = api.service;
  const { id: lic, license_key: named } = await api.license();
  const { x } = offlineDevice();
  const device = { deviceKey: x, leases: true, label: null, meta: null, ipAddress: null, userAgent: null };
  const input = { ...device, named, token: null, software: null, source: 2 } as const;
  const activated = await execute('activate-license', input, actor);
  assert.ok(activated.ok);
  const receipt = {
    sub: activated.value.activation.id,
    lic: Number(lic),
    x,
    iat: Math.ceil(Date.now() / 1_000),
  };
  return (by) => execute('end-offline', { receipt }, by);
}
