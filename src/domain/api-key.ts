import type { Datetime } from './datetime.ts';

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
  lastAccessAt: Datetime | null;
  createdAt: Datetime;
}

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
