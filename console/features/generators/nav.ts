import { Plus, WandSparkles } from 'lucide-react';
import type { NavEntry } from '../../app/shell/navigation.ts';

export const generatorsNav: NavEntry = {
  to: '/generators',
  label: 'generators',
  icon: WandSparkles,
  permission: 'records.read',
  key: 'g',
  actions: [
    {
      to: '/generators',
      search: { create: 'yes' },
      label: 'createGenerator',
      icon: Plus,
      permission: 'generators.write',
    },
  ],
};
