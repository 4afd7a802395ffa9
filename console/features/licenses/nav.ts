import { Download, KeyRound, Plus, Trash2 } from 'lucide-react';
import type { NavEntry } from '../../app/shell/navigation.ts';
import { exportAll } from './queries.ts';

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
      run: exportAll,
      label: 'exportLicenses',
      icon: Download,
      permission: 'licenses.keys',
    },
    { to: '/licenses/trash', label: 'openTrash', icon: Trash2, permission: 'licenses.delete' },
  ],
};
