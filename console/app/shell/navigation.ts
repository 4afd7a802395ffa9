import type { LucideIcon } from 'lucide-react';
import type { en } from '../../messages/en/index.ts';
import type { Permission } from '../session.ts';

/** What the navigation says of a page. */
export interface NavEntry {
  to: string;
  /** In messages/…/shell.ts, below `nav`. */
  label: keyof typeof en.shell.nav;
  icon: LucideIcon;
  /** Who does not have it does not see the entry. */
  permission: Permission;
  /** `g` and then this key goes there. */
  key: string;
  /** What the command palette offers besides. */
  actions?: NavAction[];
}

/** Something to be done: on a page, that its address tells to begin it (`/licenses?create=yes`), or at once. */
interface NavAction {
  to?: string;
  search?: Record<string, string>;
  run?: () => Promise<void>;
  /** In messages/…/shell.ts, below `actions`. */
  label: keyof typeof en.shell.actions;
  icon: LucideIcon;
  permission: Permission;
}
