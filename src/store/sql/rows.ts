import type { Activation } from '../../domain/activation.ts';
import type { License } from '../../domain/licenses/license.ts';
import type { Keyring } from '../keys/keyring.ts';
import { parseJson, type RowOf } from './record.ts';
import { termsOf } from './terms.ts';

/** The rows of licenses and activations. Each field is written out: these are read by most requests. */

/** The columns that a license is made from. */
export const LICENSE_NAMES = [
  ...['id', 'key_hash', 'sealed_key', 'order_id', 'product_id', 'user_id', 'expires_at', 'valid_for'],
  ...['source', 'status', 'times_activated', 'activations_limit', 'customer_email'],
  ...['created_at', 'created_by', 'updated_at', 'updated_by', 'seat_policy'],
] as const;
type LicenseColumns = Omit<RowOf<'licenses'>, 'ending_hash' | 'leased_until'>;

export const LICENSE_COLUMNS = LICENSE_NAMES.map((name) => `licenses.${name}`) as {
  [Name in keyof LicenseColumns]: `licenses.${Name}`;
}[keyof LicenseColumns][];

export const toLicense = (row: LicenseColumns, keyring: Keyring): License =>
  withKey(row, keyring.open(row.sealed_key, row.key_hash));

export const toLicenses = (rows: readonly LicenseColumns[], keyring: Keyring): License[] =>
  rows.map((row) => toLicense(row, keyring));

/** A license whose key is known. */
export function withKey(row: LicenseColumns, key: string): License {
  const terms = termsOf(row);
  return {
    id: row.id,
    key,
    orderId: row.order_id,
    productId: row.product_id,
    userId: row.user_id,
    customerEmail: row.customer_email,
    expiresAt: row.expires_at,
    validFor: row.valid_for,
    source: row.source,
    status: row.status,
    timesActivated: row.times_activated,
    activationsLimit: row.activations_limit,
    createdAt: row.created_at,
    createdBy: row.created_by,
    updatedAt: row.updated_at,
    updatedBy: row.updated_by,
    seatTtl: terms.seatTtl,
    reclaimAfterDays: terms.reclaimAfterDays,
    match: terms.match,
    borrowMaxHours: terms.borrowMaxHours,
    takeoversPerMonth: terms.takeoversPerMonth,
    entitlements: terms.entitlements,
    leaseRefreshHours: terms.leaseRefreshHours,
    leaseDays: terms.leaseDays,
    leaseGraceDays: terms.leaseGraceDays,
    offlineLeaseDays: terms.offlineLeaseDays,
  };
}

/** The columns that an activation is made from. */
export const ACTIVATION_NAMES = [
  ...['id', 'license_id', 'software_id', 'token', 'sealed_token', 'label', 'source', 'ip_address'],
  ...['user_agent', 'meta', 'created_at', 'updated_at', 'deactivated_at', 'ended_as'],
  ...['device', 'seat_expires_at', 'last_seen_at'],
] as const;
type Name = Exclude<keyof RowOf<'activations'>, 'binding' | 'leased_until'>;

/** Columns of activations, with a prefix because most queries join them to the columns of a license. */
export const ACTIVATION_COLUMNS = ACTIVATION_NAMES.map((name) => `activations.${name} as a_${name}`) as {
  [N in Name]: `activations.${N} as a_${N}`;
}[Name][];

/** The columns of an activation; all null if a left join found none. */
type ActivationColumns = { [N in Name as `a_${N}`]: RowOf<'activations'>[N] | null };
/** The columns without the token: a look-up by token need not read it. */
export const KNOWN_ACTIVATION_COLUMNS = ACTIVATION_COLUMNS.filter((name) => !/token/.test(name)) as Exclude<
  (typeof ACTIVATION_COLUMNS)[number],
  `activations.${'token' | 'sealed_token'} ${string}`
>[];

/**
 * The activation of a row. In rows of earlier versions that housekeeping has not converted yet, the token is in clear
 * text.
 */
export function toActivation(row: ActivationColumns, keyring: Keyring): Activation {
  const token = row.a_token as string;
  const sealed = row.a_sealed_token;
  return withToken(row, sealed === null ? token : keyring.open(sealed, Buffer.from(token)));
}

/** An activation whose token is known. */
export function withToken(
  row: Omit<ActivationColumns, 'a_token' | 'a_sealed_token'>,
  token: string,
): Activation {
  return {
    id: row.a_id as number,
    token,
    licenseId: row.a_license_id as number,
    softwareId: row.a_software_id,
    label: row.a_label,
    source: row.a_source as Activation['source'],
    ipAddress: row.a_ip_address,
    userAgent: row.a_user_agent,
    meta: parseJson(row.a_meta),
    createdAt: row.a_created_at as string,
    updatedAt: row.a_updated_at,
    deactivatedAt: row.a_deactivated_at,
    endedAs: row.a_ended_as ?? (row.a_deactivated_at === null ? null : 'deactivated'),
    device: row.a_device,
    seatExpiresAt: row.a_seat_expires_at,
    lastSeenAt: row.a_last_seen_at,
  };
}
