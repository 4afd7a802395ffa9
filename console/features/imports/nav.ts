import { FileUp } from 'lucide-react';
import type { NavEntry } from '../../app/shell/navigation.ts';

export const importsNav: NavEntry = {
  to: '/import',
  label: 'import',
  icon: FileUp,
  permission: 'licenses.import',
  key: 'i',
  actions: [{ to: '/import', label: 'importLicenses', icon: FileUp, permission: 'licenses.import' }],
};
