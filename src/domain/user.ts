import { type Datetime, toMilliseconds } from './datetime.ts';
import { emailKeyOf } from './email-address.ts';
import { type Field, good, refined, text } from './fields.ts';
import { type Problem, problem } from './problem.ts';

export const ROLES = ['owner', 'manager', 'support', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

const EVERYBODY: readonly Role[] = ROLES;
const HELPERS: readonly Role[] = ['owner', 'manager', 'support'];
const MANAGERS: readonly Role[] = ['owner', 'manager'];
const OWNERS: readonly Role[] = ['owner'];

/** The roles that have each permission in the console. API keys have their own permissions. */
const GRANTED = {
  /** See licenses with their keys masked, activations, generators, software, releases, and the dashboard. */
  'records.read': EVERYBODY,
  /** See the whole key of one license, which is recorded. */
  'licenses.reveal': HELPERS,
  /** See whole keys in lists, export them, and change the key of a license. */
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
  /** Create and change the receivers of events, and see what was sent to them: events hold data of customers. */
  'events.manage': MANAGERS,
  'audit.read': MANAGERS,
  'settings.read': MANAGERS,
  /** Make a backup of everything, now. */
  'backups.create': OWNERS,
  'users.manage': OWNERS,
} as const satisfies Record<string, readonly Role[]>;

export type Permission = keyof typeof GRANTED;
export const PERMISSIONS = Object.keys(GRANTED) as Permission[];

export const roleMay = (role: Role, permission: Permission): boolean => GRANTED[permission].includes(role);

/** The author of changes. A user with an address, a password and a role may sign in to the console. */
export interface User {
  id: number;
  name: string;
  email: string | null;
  /** Null for a user who cannot sign in. */
  role: Role | null;
  hasPassword: boolean;
  /** Whether the user has a second factor. */
  hasTotp: boolean;
  disabledAt: Datetime | null;
  /** Time of the last request in any session, accurate to some minutes; null if there was none. */
  lastSeenAt: Datetime | null;
  createdAt: Datetime;
}

export interface UserSecrets {
  passwordHash: string | null;
  /** Secret of the authenticator in Base32; null without a second factor. */
  totpSecret: string | null;
  /** A secret that the user has not confirmed with a code yet. */
  totpPending: string | null;
  /** When `totpPending` was made. */
  totpPendingAt: Datetime | null;
  /** Number of codes tried with `totpPending`. */
  totpTries: number;
  /** The time step of the last accepted code. */
  totpLastStep: number | null;
}

/** Maximum number of codes that may be tried with the secret of a new authenticator. */
export const TOTP_TRIES = 5;
const TOTP_PENDING_MS = 15 * 60_000;

/** Whether the secret of a new authenticator may still be confirmed. */
export const isTotpPending = (
  { totpSecret, totpPending, totpPendingAt: at, totpTries }: UserSecrets,
  now: Datetime,
): boolean =>
  totpSecret === null &&
  totpPending !== null &&
  at !== null &&
  toMilliseconds(now) < toMilliseconds(at) + TOTP_PENDING_MS &&
  totpTries <= TOTP_TRIES;

const NAME_MAX = 100;
const PASSWORD_MIN = 12;
const PASSWORD_MAX = 256;

export const userName = text({ min: 1, max: NAME_MAX, description: 'How others see the user' });

/** Normalizes a password: Unicode has several encodings of a character, and keyboards differ in which one they send. */
const normalized = (password: string) => good(password.normalize('NFC'));

/** A password that a user chooses. */
export const newPassword: Field<string> = refined(text({ min: PASSWORD_MIN, max: PASSWORD_MAX }), normalized);

/** A password that a user signs in with. Accepts more than `newPassword`, so that the only answers are right and wrong. */
export const givenPassword: Field<string> = refined(text({ max: 4 * PASSWORD_MAX }), normalized, {
  type: 'string',
  maxLength: PASSWORD_MAX,
});

/** Returns the problem of a password that equals its user's name or address; null if it equals neither. */
export function passwordFault(password: string, user: Pick<User, 'name' | 'email'>): Problem | null {
  const same = (one: string) => emailKeyOf(one) === emailKeyOf(password);
  return same(user.name) || (user.email !== null && same(user.email)) ? problem('password_is_name') : null;
}
