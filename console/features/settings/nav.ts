import { Settings } from 'lucide-react';
import type { NavEntry } from '../../app/shell/navigation.ts';

export const settingsNav: NavEntry = {
  to: '/settings',
  label: 'settings',
  icon: Settings,
  permission: 'settings.read',
  key: 'e',
};
