/** What somebody who signs in to the console may do there. API keys have permissions of their own. */

export const ROLES = ['owner', 'manager', 'support', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

const EVERYBODY: readonly Role[] = ROLES;
const HELPERS: readonly Role[] = ['owner', 'manager', 'support'];
const MANAGERS: readonly Role[] = ['owner', 'manager'];
const OWNERS: readonly Role[] = ['owner'];

/** Each permission, and the roles that have it. */
const GRANTED = {
  /** See licenses with their keys masked, activations, generators, software, releases, and the dashboard. */
  'records.read': EVERYBODY,
  /** Have the whole key of one license shown, which is recorded. */
  'licenses.reveal': HELPERS,
  /** See whole keys in lists, and take them away in files. */
  'licenses.keys': MANAGERS,
  /** Create and change licenses, one by one or many; deactivate and reactivate activations. */
  'licenses.write': HELPERS,
  'licenses.delete': MANAGERS,
  'licenses.generate': MANAGERS,
  'licenses.import': MANAGERS,
  'activations.delete': MANAGERS,
  /** Create and change generators. */
  'generators.write': MANAGERS,
  'generators.delete': MANAGERS,
  /** Create and change software, publish and change releases. */
  'software.write': MANAGERS,
  'software.delete': MANAGERS,
  'api_keys.manage': MANAGERS,
  'audit.read': MANAGERS,
  'settings.read': MANAGERS,
  'users.manage': OWNERS,
} as const satisfies Record<string, readonly Role[]>;

export type Permission = keyof typeof GRANTED;
export const PERMISSIONS = Object.keys(GRANTED) as Permission[];

export const roleMay = (role: Role, permission: Permission): boolean => GRANTED[permission].includes(role);
