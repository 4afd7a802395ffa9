import type { en } from '../en/index.ts';
import { account } from './account.ts';
import { activations } from './activations.ts';
import { apiKeys } from './api-keys.ts';
import { audit } from './audit.ts';
import { common } from './common.ts';
import { dashboard } from './dashboard.ts';
import { errors } from './errors.ts';
import { events } from './events.ts';
import { generators } from './generators.ts';
import { imports } from './imports.ts';
import { licenses } from './licenses.ts';
import { notes } from './notes.ts';
import { offline } from './offline.ts';
import { products } from './products.ts';
import { seats } from './seats.ts';
import { settings } from './settings.ts';
import { setup } from './setup.ts';
import { shell } from './shell.ts';
import { signIn } from './sign-in.ts';
import { software } from './software.ts';
import { terms } from './terms.ts';
import { trash } from './trash.ts';
import { users } from './users.ts';

/** Every text, by noun. One namespace each. */
export const de: typeof en = {
  account,
  activations,
  apiKeys,
  audit,
  common,
  dashboard,
  errors,
  events,
  generators,
  imports,
  licenses,
  notes,
  offline,
  products,
  seats,
  settings,
  setup,
  shell,
  signIn,
  software,
  terms,
  trash,
  users,
};
