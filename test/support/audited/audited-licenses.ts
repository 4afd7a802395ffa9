import type { Running } from '../service.ts';
import { actor, audited } from './audited.ts';

/** Returns changes by the commands for notes and for deleted licenses, with the actions that each must record. */
export const licenseChanges = (
  api: Running,
): Record<string, [actions: string[], prepare: () => Promise<() => Promise<unknown>>]> => {
  const { execute } = api.service;
  const { id, must, newLicense } = audited(api);
  const deleted = async () => {
    const licenseId = Number(await id(newLicense()));
    await must(execute('delete-license', { named: { id: licenseId } }, actor));
    return licenseId;
  };
  return {
    'update-license-notes': [
      ['license.update'],
      async () => {
        const changes = { note: 'Call back', tags: ['VIP'], meta: [{ name: 'n', value: 'v' }] };
        const licenseId = Number(await id(newLicense()));
        return () => execute('update-license-notes', { id: licenseId, changes }, actor);
      },
    ],
    'restore-licenses': [
      ['license.restore', 'license.restore'],
      async () => {
        const ids = [await deleted(), await deleted()];
        return () => execute('restore-licenses', { ids }, actor);
      },
    ],
    'remove-license': [
      ['license.remove'],
      async () => {
        const licenseId = await deleted();
        return () => execute('remove-license', { id: licenseId }, actor);
      },
    ],
  };
};
