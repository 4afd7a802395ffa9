import { Package, Upload } from 'lucide-react';
import type { NavEntry } from '../../app/shell/navigation.ts';

export const softwareNav: NavEntry = {
  to: '/software',
  label: 'software',
  icon: Package,
  permission: 'records.read',
  key: 's',
  actions: [
    {
      to: '/software',
      search: { publish: 'yes' },
      label: 'publishRelease',
      icon: Upload,
      permission: 'software.write',
    },
  ],
};
