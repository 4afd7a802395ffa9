import { Plus, Webhook } from 'lucide-react';
import type { NavEntry } from '../../app/shell/navigation.ts';
import { FailingBadge } from '../../ui/events/FailingBadge.tsx';

export const eventsNav: NavEntry = {
  to: '/events',
  label: 'events',
  icon: Webhook,
  permission: 'events.manage',
  key: 'v',
  Badge: FailingBadge,
  actions: [
    {
      to: '/events',
      search: { create: 'yes' },
      label: 'createEventEndpoint',
      icon: Plus,
      permission: 'events.manage',
    },
  ],
};
