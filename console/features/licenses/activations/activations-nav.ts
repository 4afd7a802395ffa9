import { MonitorSmartphone } from 'lucide-react';
import type { NavEntry } from '../../../app/shell/navigation.ts';

export const activationsNav: NavEntry = {
  to: '/activations',
  label: 'activations',
  icon: MonitorSmartphone,
  permission: 'records.read',
  key: 'a',
};
