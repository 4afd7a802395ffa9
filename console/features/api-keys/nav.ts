import { Plug, Plus } from 'lucide-react';
import type { NavEntry } from '../../app/shell/navigation.ts';

export const apiKeysNav: NavEntry = {
  to: '/api-keys',
  label: 'apiKeys',
  icon: Plug,
  permission: 'api_keys.manage',
  key: 'k',
  actions: [
    {
      to: '/api-keys',
      search: { create: 'yes' },
      label: 'createApiKey',
      icon: Plus,
      permission: 'api_keys.manage',
    },
  ],
};
