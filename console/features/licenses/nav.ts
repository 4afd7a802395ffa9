import { Download, KeyRound, Plus } from 'lucide-react';
import type { NavEntry } from '../../app/shell/navigation.ts';

export const licensesNav: NavEntry = {
  to: '/licenses',
  label: 'licenses',
  icon: KeyRound,
  permission: 'records.read',
  key: 'l',
  actions: [
    {
      to: '/licenses',
      search: { create: 'yes' },
      label: 'createLicense',
      icon: Plus,
      permission: 'licenses.write',
    },
    {
      run: async () => (await import('./queries.ts')).exportAll(),
      label: 'exportLicenses',
      icon: Download,
      permission: 'licenses.keys',
    },
  ],
};
