import {
  Download,
  FileUp,
  KeyRound,
  LayoutDashboard,
  type LucideIcon,
  MonitorSmartphone,
  Package,
  Plug,
  Plus,
  ScrollText,
  Settings,
  Trash2,
  Upload,
  UserPlus,
  Users,
  WandSparkles,
  Webhook,
  WifiOff,
} from 'lucide-react';
import type { ComponentType } from 'react';
import { exportAll } from '../../features/licenses/queries.ts';
import type { en } from '../../messages/en/index.ts';
import { FailingBadge } from '../../ui/events/FailingBadge.tsx';
import type { Permission } from '../session.ts';

/** The navigation entry of a page. */
export interface NavEntry {
  to: string;
  /** A key below `nav` in messages/…/shell.ts. */
  label: keyof typeof en.shell.nav;
  icon: LucideIcon;
  /** The permission that shows the entry. */
  permission: Permission;
  /** `g` and this key go to the page. */
  key: string;
  /** Shown beside the label if something on the page needs attention. */
  Badge?: ComponentType;
}

/** An action of the command palette: opens a page, which may start something (`?create=yes`), or runs a function. */
interface NavAction {
  to?: string;
  start?: 'create' | 'publish';
  run?: () => void;
  /** A key below `actions` in messages/…/shell.ts. */
  label: keyof typeof en.shell.actions;
  icon: LucideIcon;
  permission: Permission;
}

/** The navigation entries, in order. */
export const navEntries: readonly NavEntry[] = [
  { to: '/', label: 'dashboard', icon: LayoutDashboard, permission: 'records.read', key: 'd' },
  { to: '/licenses', label: 'licenses', icon: KeyRound, permission: 'records.read', key: 'l' },
  { to: '/activations', label: 'activations', icon: MonitorSmartphone, permission: 'records.read', key: 'a' },
  { to: '/offline', label: 'offline', icon: WifiOff, permission: 'licenses.write', key: 'o' },
  { to: '/generators', label: 'generators', icon: WandSparkles, permission: 'records.read', key: 'g' },
  { to: '/software', label: 'software', icon: Package, permission: 'records.read', key: 's' },
  { to: '/import', label: 'import', icon: FileUp, permission: 'licenses.import', key: 'i' },
  { to: '/api-keys', label: 'apiKeys', icon: Plug, permission: 'api_keys.manage', key: 'k' },
  {
    to: '/events',
    label: 'events',
    icon: Webhook,
    permission: 'events.manage',
    key: 'v',
    Badge: FailingBadge,
  },
  { to: '/audit', label: 'audit', icon: ScrollText, permission: 'audit.read', key: 't' },
  { to: '/settings', label: 'settings', icon: Settings, permission: 'settings.read', key: 'e' },
  { to: '/users', label: 'users', icon: Users, permission: 'users.manage', key: 'u' },
];

/** The actions of the command palette, in order. */
export const navActions: readonly NavAction[] = [
  { to: '/licenses', start: 'create', label: 'createLicense', icon: Plus, permission: 'licenses.write' },
  { run: exportAll, label: 'exportLicenses', icon: Download, permission: 'licenses.keys' },
  { to: '/licenses/trash', label: 'openTrash', icon: Trash2, permission: 'licenses.delete' },
  {
    to: '/generators',
    start: 'create',
    label: 'createGenerator',
    icon: Plus,
    permission: 'generators.write',
  },
  { to: '/software', start: 'publish', label: 'publishRelease', icon: Upload, permission: 'software.write' },
  { to: '/import', label: 'importLicenses', icon: FileUp, permission: 'licenses.import' },
  { to: '/api-keys', start: 'create', label: 'createApiKey', icon: Plus, permission: 'api_keys.manage' },
  { to: '/events', start: 'create', label: 'createEventEndpoint', icon: Plus, permission: 'events.manage' },
  { to: '/users', start: 'create', label: 'inviteUser', icon: UserPlus, permission: 'users.manage' },
];
