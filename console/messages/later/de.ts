import { account } from '../de/account.ts';
import { activations } from '../de/activations.ts';
import { apiKeys } from '../de/api-keys.ts';
import { audit } from '../de/audit.ts';
import { dashboard } from '../de/dashboard.ts';
import { events } from '../de/events.ts';
import { generators } from '../de/generators.ts';
import { imports } from '../de/imports.ts';
import { offline } from '../de/offline.ts';
import { seats } from '../de/seats.ts';
import { settings } from '../de/settings.ts';
import { setup } from '../de/setup.ts';
import { software } from '../de/software.ts';
import { terms } from '../de/terms.ts';
import { users } from '../de/users.ts';

export const de = {
  account,
  activations,
  apiKeys,
  audit,
  dashboard,
  events,
  generators,
  imports,
  offline,
  seats,
  settings,
  setup,
  software,
  terms,
  users,
};
