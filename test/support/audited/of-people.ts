import assert from 'node:assert/strict';
import type { Actor } from '../../../src/domain/actor.ts';
import { offlineDevice } from '../leases/offline-device.ts';
import type { Running } from '../service.ts';
import { actor } from './audited.ts';

/** Prepares the release of an activation by a receipt. */
async function offlineEnd(api: Running): Promise<(by: Actor) => Promise<unknown>> {
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

type ChangeOfPerson = [action: string, prepare: () => Promise<(by: Actor) => Promise<unknown>>];

/** Returns the commands that both people and programs run, with the action that each records for people. */
export function changesOfPeople(api: Running): Record<string, ChangeOfPerson> {
  const { execute } = api.service;
  return {
    'activate-license': [
      'activation.lease',
      async () => {
        const { license_key: named } = await api.license();
        const device = { label: null, meta: null, ipAddress: null, userAgent: null, isOffline: true };
        const input = { ...device, named, token: null, software: null, source: 1 } as const;
        return (by) => execute('activate-license', input, by);
      },
    ],
    'deactivate-activation': [
      'activation.deactivate',
      async () => {
        const { license_key: key } = await api.license();
        const { token } = await api.activation(key);
        return (by) => execute('deactivate-activation', { token }, by);
      },
    ],
    'end-offline': ['activation.deactivate', () => offlineEnd(api)],
    'record-license-file': [
      'license.lease',
      async () => {
        const { id, license_key: key } = await api.license();
        const { token } = await api.activation(key);
        return (by) => execute('record-license-file', { named: { id }, token }, by);
      },
    ],
    'deactivate-license': [
      'activation.deactivate',
      async () => {
        const { license_key: named } = await api.license();
        await api.activation(named);
        return (by) => execute('deactivate-license', { named, all: true }, by);
      },
    ],
  };
}
