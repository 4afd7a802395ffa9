import { UserPlus, Users } from 'lucide-react';
import type { NavEntry } from '../../app/shell/navigation.ts';

export const usersNav: NavEntry = {
  to: '/users',
  label: 'users',
  icon: Users,
  permission: 'users.manage',
  key: 'u',
  actions: [
    {
      to: '/users',
      search: { create: 'yes' },
      label: 'inviteUser',
      icon: UserPlus,
      permission: 'users.manage',
    },
  ],
};
