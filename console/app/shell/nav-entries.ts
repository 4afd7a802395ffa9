import { apiKeysNav } from '../../features/api-keys/nav.ts';
import { auditNav } from '../../features/audit/nav.ts';
import { dashboardNav } from '../../features/dashboard/nav.ts';
import { eventsNav } from '../../features/events/nav.ts';
import { generatorsNav } from '../../features/generators/nav.ts';
import { importsNav } from '../../features/imports/nav.ts';
import { activationsNav } from '../../features/licenses/activations/activations-nav.ts';
import { licensesNav } from '../../features/licenses/nav.ts';
import { offlineNav } from '../../features/offline/nav.ts';
import { settingsNav } from '../../features/settings/nav.ts';
import { softwareNav } from '../../features/software/nav.ts';
import { usersNav } from '../../features/users/nav.ts';
import type { NavEntry } from './navigation.ts';

/** The navigation entries, in order. */
export const navEntries: readonly NavEntry[] = [
  dashboardNav,
  licensesNav,
  activationsNav,
  offlineNav,
  generatorsNav,
  softwareNav,
  importsNav,
  apiKeysNav,
  eventsNav,
  auditNav,
  settingsNav,
  usersNav,
];
