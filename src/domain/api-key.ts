import { type Datetime, toDatetime } from './datetime.ts';
import {
  bad,
  type Changes,
  type Created,
  datetime,
  type Field,
  listOf,
  oneOf,
  optional,
  reference,
  text,
} from './fields.ts';
import { type Problem, problem } from './problem.ts';

export const PERMISSIONS = ['read', 'write', 'read_write'] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** Everything an API key can be allowed to do, by name. */
export const ENDPOINTS = [
  'licenses.list',
  'licenses.get',
  'licenses.create',
  'licenses.update',
  'licenses.delete',
  'licenses.activate',
  'licenses.deactivate',
  'licenses.validate',
  'generators.list',
  'generators.get',
  'generators.create',
  'generators.update',
  'generators.delete',
  'generators.generate',
  'software.list',
  'software.read',
  'software.create',
  'software.update',
  'software.delete',
  'software.download',
  'releases.list',
  'releases.create',
  'releases.update',
  'releases.delete',
  'downloads.list',
  'audit.list',
  'audit.counts',
] as const;
export type Endpoint = (typeof ENDPOINTS)[number];

export interface ApiKey {
  id: number;
  userId: number;
  description: string;
  /** The last 7 characters of the consumer key, all of it that is kept in clear. */
  keyEnding: string;
  /** SHA-256 of the consumer secret. */
  secretHash: Uint8Array;
  permission: Permission;
  /** Null for all. */
  endpoints: readonly Endpoint[] | null;
  /** Null for all. */
  products: readonly number[] | null;
  expiresAt: Datetime | null;
  revokedAt: Datetime | null;
  /** Id of the key that replaces this one, which ends at `expiresAt`; null for a key that was not replaced. */
  replacedBy: number | null;
  lastAccessAt: Datetime | null;
  createdAt: Datetime;
}

/** What of a key can be changed. */
export type ApiKeyValues = Pick<ApiKey, 'description'> & ApiKeyLimits;
export type ApiKeyLimits = Pick<ApiKey, 'permission' | 'endpoints' | 'products' | 'expiresAt'>;

/** Kinds of key that need no thought. `client` is the only kind that may be shipped inside a program. */
export const API_KEY_PRESETS: Record<'client', Pick<ApiKey, 'permission' | 'endpoints'>> = {
  client: {
    permission: 'read',
    endpoints: [
      'licenses.activate',
      'licenses.deactivate',
      'licenses.validate',
      'software.read',
      'software.download',
    ],
  },
};

const DEFAULT_PERMISSION: Permission = 'read_write';
const ENDPOINTS_MAX = ENDPOINTS.length;
const PRODUCTS_MAX = 1_000;

/** A list that is left out allows all; one of nothing would allow nothing. */
const some = <T>(list: Field<readonly T[]>): Field<readonly T[]> => ({
  schema: { ...list.schema, minItems: 1 },
  read(value) {
    const read = list.read(value);
    return read.ok && read.value.length === 0 ? bad('empty') : read;
  },
});

/** What a create takes, and an update. */
export const apiKeyShape = {
  description: optional(text({ max: 255, description: 'What it is for' })),
  permission: optional(oneOf(PERMISSIONS, 'read_write when not sent')),
  endpoints: optional(
    some(listOf(oneOf(ENDPOINTS), ENDPOINTS_MAX, 'Only these may be called; all when not sent')),
  ),
  products: optional(
    some(listOf(reference(), PRODUCTS_MAX, 'Only licenses and software of these; all when not sent')),
  ),
  expiresAt: optional(datetime),
};

/** The limits of a new key. */
export const limitsOf = ({
  permission,
  endpoints,
  products,
  expiresAt,
}: Pick<Created<typeof apiKeyShape>, keyof ApiKeyLimits>): ApiKeyLimits => ({
  permission: permission ?? DEFAULT_PERMISSION,
  endpoints,
  products,
  expiresAt,
});

/** What an update makes of a key: what is cleared is as in a new one. */
export const changedValues = ({
  description,
  permission,
  ...others
}: Changes<typeof apiKeyShape>): Partial<ApiKeyValues> => ({
  ...others,
  ...(description !== undefined && { description: description ?? '' }),
  ...(permission !== undefined && { permission: permission ?? DEFAULT_PERMISSION }),
});

/** Why a key cannot end then; null where it can. */
export const endProblem = (expiresAt: Datetime | null, now: Datetime): Problem | null =>
  expiresAt !== null && expiresAt < now ? problem('in_the_past', { at: expiresAt }) : null;

const UNIT_MS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
const GRACE_DAYS_MAX = 366;
export const DEFAULT_GRACE = '7d';
export const DEFAULT_GRACE_MS = 7 * (UNIT_MS.d as number);

/** How long a key that is replaced stays good, in milliseconds: `90m`, `12h`, `7d`, or 0. */
export const grace: Field<number> = {
  schema: { type: 'string', pattern: '^(0|[0-9]{1,6}[mhd])$', examples: [DEFAULT_GRACE] },
  read(value) {
    // 0 may come as a number; of anything else there may be no text at all.
    const sent = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
    const [, count, unit = 'd'] = /^(\d{1,6})([mhd])?$/.exec(sent.trim()) ?? [];
    const ms = Number(count) * (UNIT_MS[unit] as number);
    return ms <= GRACE_DAYS_MAX * (UNIT_MS.d as number) && (ms === 0 || /[mhd]/.test(sent))
      ? { ok: true, value: ms }
      : bad('not_grace', { days: GRACE_DAYS_MAX });
  },
};

/** When a key that is replaced now ends; null for at once. @param now milliseconds since the epoch */
export const endOfGrace = (ms: number, now: number): Datetime | null =>
  ms === 0 ? null : toDatetime(now + ms);

export const isUsable = (key: Pick<ApiKey, 'revokedAt' | 'expiresAt'>, now: Datetime): boolean =>
  key.revokedAt === null && (key.expiresAt === null || now <= key.expiresAt);

export const permits = (key: Pick<ApiKey, 'permission'>, access: 'read' | 'write'): boolean =>
  key.permission === 'read_write' || key.permission === access;

export const mayCall = (key: Pick<ApiKey, 'endpoints'>, endpoint: Endpoint): boolean =>
  key.endpoints === null || key.endpoints.includes(endpoint);

const KEY_FORM = /^ck_[A-Za-z0-9_-]{16,128}$/;
const SECRET_FORM = /^cs_[A-Za-z0-9_-]{16,128}$/;

/** Keys made here have 40 hex characters after the prefix; keys chosen elsewhere (settings) may have others. */
export const isConsumerKey = (value: string): boolean => KEY_FORM.test(value);
export const isConsumerSecret = (value: string): boolean => SECRET_FORM.test(value);
