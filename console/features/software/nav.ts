import { Package } from 'lucide-react';
import type { NavEntry } from '../../app/navigation.ts';

export const softwareNav: NavEntry = {
  to: '/software',
  label: 'software',
  icon: Package,
  permission: 'records.read',
  key: 's',
};
