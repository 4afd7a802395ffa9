import { WandSparkles } from 'lucide-react';
import type { NavEntry } from '../../app/navigation.ts';

export const generatorsNav: NavEntry = {
  to: '/generators',
  label: 'generators',
  icon: WandSparkles,
  permission: 'records.read',
  key: 'g',
};
