import type { Running } from '../service.ts';
import { actor, audited, type Changes } from './audited.ts';

/** Returns changes by the commands for notes and for deleted licenses. */
export const licenseChanges = (api: Running): Changes => {
  const { id, must, newLicense } = audited(api);
  const deleted = async () => {
    const named = { id: await id(newLicense()) };
    await must(api.service.execute('delete-license', { named }, actor));
    return named.id;
  };
  const changes = { note: 'Call back', tags: ['VIP'], meta: [{ name: 'n', value: 'v' }] };
  return {
    'update-license-notes': [['license.update'], async () => ({ id: await id(newLicense()), changes })],
    'restore-licenses': [
      ['license.restore', 'license.restore'],
      async () => ({ ids: [await deleted(), await deleted()] }),
    ],
    'remove-license': [['license.remove'], async () => ({ id: await deleted() })],
  };
};
