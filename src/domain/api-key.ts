import { type Datetime, toDatetime } from './datetime.ts';
import {
  bad,
  datetime,
  type Field,
  good,
  integer,
  listOf,
  oneOf,
  optional,
  reference,
  some,
  text,
} from './fields.ts';
import { dotted } from './names.ts';
import { type Problem, problem } from './problem.ts';

export const PERMISSIONS = ['read', 'write', 'read_write'] as const;
export type Permission = (typeof PERMISSIONS)[number];

/**
 * The calls that an API key can be allowed. `licenses.inspect` is not a call itself: it lets calls name a license by
 * `hashed-…`, includes full activations of other devices in answers, and allows 16 KiB of metadata.
 */
export const ENDPOINTS = dotted({
  licenses: ['list', 'get', 'create', 'update', 'delete', 'activate', 'deactivate', 'validate', 'inspect'],
  generators: ['list', 'get', 'create', 'update', 'delete', 'generate'],
  software: ['list', 'read', 'create', 'update', 'delete', 'download'],
  releases: ['list', 'create', 'update', 'delete'],
  downloads: ['list'],
  audit: ['list', 'counts'],
  events: ['read', 'manage'],
});
export type Endpoint = (typeof ENDPOINTS)[number];

/**
 * The behaviour for programs with the key wherever the documented API and the WordPress plugin differ: as documented, or as
 * the plugin behaves.
 */
export const COMPATIBILITIES = ['documented', 'plugin'] as const;
export type Compatibility = (typeof COMPATIBILITIES)[number];

export interface ApiKey {
  id: number;
  userId: number;
  description: string;
  /** The last 7 characters of the consumer key. The rest is stored only as a hash. */
  keyEnding: string;
  /** SHA-256 of the consumer secret. */
  secretHash: Uint8Array;
  permission: Permission;
  /**
   * How the stored hash of the consumer key was made: SHA-256, or, for a key that was moved in and not used yet, the
   * plugin's HMAC-SHA-256 with the key `wc-api`.
   */
  hashedBy: 'sha256' | 'wc-api';
  /** The calls that the key may make; null for all. */
  endpoints: readonly Endpoint[] | null;
  /** The products that the key is limited to; null for all. */
  products: readonly number[] | null;
  compatibility: Compatibility;
  /** 2 or 3: the version of License Manager for WooCommerce whose response shapes the `lmfwc/v2` API uses. */
  lmfwcVersion: number;
  expiresAt: Datetime | null;
  revokedAt: Datetime | null;
  /** Id of the key that replaces this key; null if none does. The grace period of a replaced key ends at `expiresAt`. */
  replacedBy: number | null;
  lastAccessAt: Datetime | null;
  createdAt: Datetime;
}

/** The values that an update can change. */
export type ApiKeyValues = Pick<ApiKey, 'description'> & ApiKeyRights;
/** What a request with the key may do, and the form of its answers. */
export type ApiKeyRights = Pick<
  ApiKey,
  'permission' | 'endpoints' | 'products' | 'compatibility' | 'lmfwcVersion' | 'expiresAt'
>;

/** The permissions of a key that is shipped inside a program: no other key may be. */
export const CLIENT_PRESET: { permission: Permission; endpoints: readonly Endpoint[] } = {
  permission: 'read',
  endpoints: dotted({
    licenses: ['get', 'activate', 'deactivate', 'validate'],
    software: ['read', 'download'],
  }),
};

/** The values of parameters that are not sent, or cleared. */
export const API_KEY_DEFAULTS = {
  description: '',
  permission: 'read_write',
  compatibility: 'documented',
  lmfwcVersion: 3,
} as const;
const PRODUCTS_MAX = 1_000;

/** The parameters of a create and of an update. */
export const apiKeyShape = {
  description: optional(text({ max: 255, description: 'What it is for' })),
  permission: optional(oneOf(PERMISSIONS, 'read_write when not sent')),
  endpoints: optional(
    some(listOf(oneOf(ENDPOINTS), ENDPOINTS.length, 'Only these may be called; all when not sent')),
  ),
  products: optional(
    some(listOf(reference(), PRODUCTS_MAX, 'Only licenses and software of these; all when not sent')),
  ),
  compatibility: optional(oneOf(COMPATIBILITIES, 'documented when not sent')),
  lmfwcVersion: optional(
    integer({ min: 2, max: 3, description: 'Version of the lmfwc/v2 API; 3 when not sent' }),
  ),
  expiresAt: optional(datetime),
};

/** Returns why a key cannot expire at a time; null if it can. */
export const endProblem = (expiresAt: Datetime | null, now: Datetime): Problem | null =>
  expiresAt !== null && expiresAt < now ? problem('in_the_past', { at: expiresAt }) : null;

const UNIT_MS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
const GRACE_DAYS_MAX = 366;
export const DEFAULT_GRACE = '7d';
export const DEFAULT_GRACE_MS = 7 * (UNIT_MS.d as number);

/** How long a replaced key stays valid, in milliseconds: `90m`, `12h`, `7d`, or 0. */
export const grace: Field<number> = {
  schema: { type: 'string', pattern: '^(0|[0-9]{1,6}[mhd])$', examples: [DEFAULT_GRACE] },
  read(value) {
    // 0 may be a number. String() throws on some other values.
    const sent = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
    const [, count, unit = 'd'] = /^(\d{1,6})([mhd])?$/.exec(sent.trim()) ?? [];
    const ms = Number(count) * (UNIT_MS[unit] as number);
    return ms <= GRACE_DAYS_MAX * (UNIT_MS.d as number) && (ms === 0 || /[mhd]/.test(sent))
      ? good(ms)
      : bad('not_grace', { days: GRACE_DAYS_MAX });
  },
};

/**
 * Returns when a key replaced now expires; null for at once.
 * @param ms grace period
 * @param now milliseconds since the epoch
 */
export const endOfGrace = (ms: number, now: number): Datetime | null =>
  ms === 0 ? null : toDatetime(now + ms);

export const isLikePlugin = (key: Pick<ApiKey, 'compatibility'> | null): boolean =>
  key?.compatibility === 'plugin';

export const isUsable = (key: Pick<ApiKey, 'revokedAt' | 'expiresAt'>, now: Datetime): boolean =>
  key.revokedAt === null && (key.expiresAt === null || now <= key.expiresAt);

export const permits = (key: Pick<ApiKey, 'permission'>, access: 'read' | 'write'): boolean =>
  key.permission === 'read_write' || key.permission === access;

export const mayCall = (key: Pick<ApiKey, 'endpoints'>, endpoint: Endpoint): boolean =>
  key.endpoints === null || key.endpoints.includes(endpoint);

/** Generated keys have 40 hex digits after the prefix; keys from the settings may have other characters. */
export const isConsumerKey = (value: string): boolean => /^ck_[A-Za-z0-9_-]{16,128}$/.test(value);
export const isConsumerSecret = (value: string): boolean => /^cs_[A-Za-z0-9_-]{16,128}$/.test(value);
