import type { LucideIcon } from 'lucide-react';
import type { ComponentType } from 'react';
import type { en } from '../../messages/en/index.ts';
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
  /** More entries of the command palette. */
  actions?: NavAction[];
}

/** An action: a page address that starts it (`/licenses?create=yes`), or a function. */
interface NavAction {
  to?: string;
  search?: Record<string, string>;
  run?: () => void;
  /** A key below `actions` in messages/…/shell.ts. */
  label: keyof typeof en.shell.actions;
  icon: LucideIcon;
  permission: Permission;
}
