import { LayoutDashboard } from 'lucide-react';
import type { NavEntry } from '../../app/shell/navigation.ts';

export const dashboardNav: NavEntry = {
  to: '/',
  label: 'dashboard',
  icon: LayoutDashboard,
  permission: 'records.read',
  key: 'd',
};
