import { WifiOff } from 'lucide-react';
import type { NavEntry } from '../../app/shell/navigation.ts';

export const offlineNav: NavEntry = {
  to: '/offline',
  label: 'offline',
  icon: WifiOff,
  permission: 'licenses.write',
  key: 'o',
};
