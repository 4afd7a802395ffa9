import assert from 'node:assert/strict';
import { offlineDevice } from '../leases/offline-device.ts';
import type { Running } from '../service.ts';
import { actor, type Changes } from './audited.ts';

const NO_DEVICE = { label: null, meta: null, ipAddress: null, userAgent: null, token: null, software: null };

/** Returns changes by the commands that both people and programs run, with the action that each records for people. */
export function changesOfPeople(api: Running): Changes {
  const newLicense = async () => {
    const { id, license_key: named } = await api.license();
    return { id: Number(id), named: String(named) };
  };
  const newToken = async (named: string) => String((await api.activation(named)).token);
  return {
    'activate-license': [
      ['activation.lease'],
      async () => ({ ...NO_DEVICE, named: (await newLicense()).named, isOffline: true, source: 1 }),
    ],
    'deactivate-activation': [
      ['activation.deactivate'],
      async () => ({ token: await newToken((await newLicense()).named) }),
    ],
    'end-offline': [
      ['activation.deactivate'],
      async () => {
        const { id: lic, named } = await newLicense();
        const { x } = offlineDevice();
        const device = { ...NO_DEVICE, deviceKey: x, leases: true, source: 2 } as const;
        const activated = await api.service.execute('activate-license', { ...device, named }, actor);
        assert.ok(activated.ok);
        const sub = activated.value.activation.id;
        return { receipt: { sub, lic, x, iat: Math.ceil(Date.now() / 1_000) } };
      },
    ],
    'record-license-file': [
      ['license.lease'],
      async () => {
        const { id, named } = await newLicense();
        return { named: { id }, token: await newToken(named) };
      },
    ],
    'deactivate-license': [
      ['activation.deactivate'],
      async () => {
        const { named } = await newLicense();
        await newToken(named);
        return { named, all: true };
      },
    ],
  };
}
