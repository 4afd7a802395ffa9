import { ScrollText } from 'lucide-react';
import type { NavEntry } from '../../app/shell/navigation.ts';

export const auditNav: NavEntry = {
  to: '/audit',
  label: 'audit',
  icon: ScrollText,
  permission: 'audit.read',
  key: 't',
};
