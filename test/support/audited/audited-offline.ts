import assert from 'node:assert/strict';
import type { Actor } from '../../../src/domain/actor.ts';
import { offlineDevice } from '../offline-device.ts';
import type { Running } from '../service.ts';
import { actor } from './audited.ts';

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
