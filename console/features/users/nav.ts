import { Users } from 'lucide-react';
import type { NavEntry } from '../../app/navigation.ts';

export const usersNav: NavEntry = {
  to: '/users',
  label: 'users',
  icon: Users,
  permission: 'users.manage',
  key: 'u',
};
