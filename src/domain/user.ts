import type { Datetime } from './datetime.ts';
import { bad, codePoints, type Field, isStorableText, text } from './fields.ts';
import { type Problem, problem } from './problem.ts';

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

/** Somebody whom changes are said to be by; with an address, a password and a role also who may sign in to the console. */
export interface User {
  id: number;
  name: string;
  email: string | null;
  /** Null for who cannot sign in. */
  role: Role | null;
  hasPassword: boolean;
  /** Whether a second factor is asked for. */
  hasTotp: boolean;
  disabledAt: Datetime | null;
  /** The last request of a session; null where there is none. */
  lastSeenAt: Datetime | null;
  createdAt: Datetime;
}

/** What a user proves by who it is. */
export interface UserSecrets {
  passwordHash: string | null;
  /** Base32. */
  totpSecret: string | null;
  /** One that the user has not shown to work yet. */
  totpPending: string | null;
  /** The time step of the last code that was taken. */
  totpLastStep: number | null;
}

const NAME_MAX = 100;
const EMAIL_MAX = 254;
export const PASSWORD_MIN = 12;
const PASSWORD_MAX = 256;

export const userName: Field<string> = text({
  min: 1,
  max: NAME_MAX,
  description: 'How others see the user',
});

/** Spaces, and characters that are not seen or turn the direction of what follows. */
const NOT_IN_ADDRESS = /[\s\p{Cc}\p{Cf}\p{Zs}\p{Zl}\p{Zp}"(),:;<>[\\\]]/u;

export const emailAddress: Field<string> = {
  schema: { type: 'string', format: 'email', maxLength: EMAIL_MAX },
  read(value) {
    const address = typeof value === 'string' && isStorableText(value) ? value.trim().normalize('NFC') : '';
    const parts = address.split('@');
    const isAddress =
      codePoints(address) <= EMAIL_MAX &&
      parts.length === 2 &&
      parts.every((part) => part !== '' && !/^\.|\.$|\.\./.test(part)) &&
      !NOT_IN_ADDRESS.test(address);
    return isAddress ? { ok: true, value: address } : bad('not_email');
  },
};

/** What tells addresses apart: those that differ in case only are one. */
export const emailKeyOf = (email: string): string => email.normalize('NFC').toLowerCase().normalize('NFC');

/** One that is chosen. Normalised, because keyboards differ in how they make a character. */
export const newPassword: Field<string> = {
  schema: { type: 'string', minLength: PASSWORD_MIN, maxLength: PASSWORD_MAX },
  read(value) {
    const read = text({ min: PASSWORD_MIN, max: PASSWORD_MAX }).read(value);
    return read.ok ? { ok: true, value: read.value.normalize('NFC') } : read;
  },
};

/** One that is given to sign in: whatever it is, so that it is only right or wrong. */
export const givenPassword: Field<string> = {
  schema: { type: 'string', maxLength: PASSWORD_MAX },
  read(value) {
    const read = text({ max: 4 * PASSWORD_MAX }).read(value);
    return read.ok ? { ok: true, value: read.value.normalize('NFC') } : read;
  },
};

/** What is wrong with a password that a user of this name and address chooses; null if nothing is. */
export function passwordFault(
  password: string,
  user: { name: string; email: string | null },
): Problem | null {
  const same = (one: string) => emailKeyOf(one) === emailKeyOf(password);
  return same(user.name) || (user.email !== null && same(user.email)) ? problem('password_is_name') : null;
}
