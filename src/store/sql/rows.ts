import type { Selectable } from 'kysely';
import type { Activation, ActivationSource } from '../../domain/activation.ts';
import type { License, LicenseSource } from '../../domain/license.ts';
import type { Keyring } from '../keys/keyring.ts';
import type { Schema } from './schema.ts';

/** Rows that several queries read, and what they are in the domain. */

export const LICENSE_COLUMNS = [
  'licenses.id',
  'licenses.key_hash',
  'licenses.sealed_key',
  'licenses.order_id',
  'licenses.product_id',
  'licenses.user_id',
  'licenses.expires_at',
  'licenses.valid_for',
  'licenses.source',
  'licenses.status',
  'licenses.times_activated',
  'licenses.activations_limit',
  'licenses.created_at',
  'licenses.created_by',
  'licenses.updated_at',
  'licenses.updated_by',
] as const;
export type LicenseColumns = Omit<Selectable<Schema['licenses']>, 'ending_hash'>;

export const toLicense = (row: LicenseColumns, keyring: Keyring): License =>
  withKey(row, keyring.open(row.sealed_key, row.key_hash));

export const toLicenses = (rows: readonly LicenseColumns[], keyring: Keyring): License[] =>
  rows.map((row) => toLicense(row, keyring));

/** A license whose key is known. */
export function withKey(row: LicenseColumns, key: string): License {
  return {
    id: row.id,
    key,
    orderId: row.order_id,
    productId: row.product_id,
    userId: row.user_id,
    expiresAt: row.expires_at,
    validFor: row.valid_for,
    source: row.source as LicenseSource,
    status: row.status,
    timesActivated: row.times_activated,
    activationsLimit: row.activations_limit,
    createdAt: row.created_at,
    createdBy: row.created_by,
    updatedAt: row.updated_at,
    updatedBy: row.updated_by,
  };
}

/** Named apart from the columns of a license, with which they are mostly joined. */
export const ACTIVATION_COLUMNS = [
  'activations.id as a_id',
  'activations.license_id as a_license_id',
  'activations.software_id as a_software_id',
  'activations.token as a_token',
  'activations.label as a_label',
  'activations.source as a_source',
  'activations.ip_address as a_ip_address',
  'activations.user_agent as a_user_agent',
  'activations.meta as a_meta',
  'activations.created_at as a_created_at',
  'activations.updated_at as a_updated_at',
  'activations.deactivated_at as a_deactivated_at',
] as const;

/** As a left join answers them; all null where no activation was joined. */
interface ActivationColumns {
  a_id: number | null;
  a_license_id: number | null;
  a_software_id: number | null;
  a_token: string | null;
  a_label: string | null;
  a_source: number | null;
  a_ip_address: string | null;
  a_user_agent: string | null;
  a_meta: string | null;
  a_created_at: string | null;
  a_updated_at: string | null;
  a_deactivated_at: string | null;
}

export function toActivation(row: ActivationColumns): Activation {
  return {
    id: row.a_id as number,
    token: row.a_token as string,
    licenseId: row.a_license_id as number,
    softwareId: row.a_software_id,
    label: row.a_label,
    source: row.a_source as ActivationSource,
    ipAddress: row.a_ip_address,
    userAgent: row.a_user_agent,
    meta: row.a_meta === null ? null : JSON.parse(row.a_meta),
    createdAt: row.a_created_at as string,
    updatedAt: row.a_updated_at,
    deactivatedAt: row.a_deactivated_at,
  };
}
