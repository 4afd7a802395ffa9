import { account } from '../en/account.ts';
import { activations } from '../en/activations.ts';
import { apiKeys } from '../en/api-keys.ts';
import { audit } from '../en/audit.ts';
import { dashboard } from '../en/dashboard.ts';
import { events } from '../en/events.ts';
import { generators } from '../en/generators.ts';
import { imports } from '../en/imports.ts';
import { offline } from '../en/offline.ts';
import { seats } from '../en/seats.ts';
import { settings } from '../en/settings.ts';
import { setup } from '../en/setup.ts';
import { software } from '../en/software.ts';
import { terms } from '../en/terms.ts';
import { users } from '../en/users.ts';

/** The texts of all other pages and of parts that are loaded later. */
export const en = {
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
