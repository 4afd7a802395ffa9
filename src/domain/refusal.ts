import type { Datetime } from './datetime.ts';
import type { DownloadDenial } from './download.ts';
import type { InvalidParams } from './fields.ts';
import type { LicenseName } from './license.ts';

/**
 * Why something asked for is not done. The one list of reasons; callers (HTTP, CLI) put them in their own words.
 * `named` is what the caller named the record by, as sent.
 */
export type Refusal =
  | { reason: 'license_not_found'; named: LicenseName }
  | { reason: 'license_key_exists'; named: string }
  | { reason: 'license_expired' }
  | { reason: 'license_disabled' }
  | { reason: 'activation_limit_reached'; limit: number }
  | { reason: 'activation_not_found'; named: string }
  | { reason: 'activation_deactivated' }
  | { reason: 'activation_already_active' }
  | { reason: 'activation_already_deactivated' }
  | { reason: 'activation_of_another_license' }
  | { reason: 'generator_not_found'; named: string }
  | { reason: 'keys_exhausted'; amount: number; available: number | null }
  | { reason: 'too_many_keys_at_once' }
  | { reason: 'api_key_not_found'; named: string }
  | { reason: 'api_key_exists' }
  | { reason: 'api_key_revoked'; id: number; since: Datetime }
  | { reason: 'api_key_expired'; id: number; since: Datetime }
  | { reason: 'api_key_of_settings'; id: number }
  | { reason: 'api_key_replaced'; id: number; by: string }
  | { reason: 'user_not_found'; named: string }
  | { reason: 'user_email_exists'; named: string }
  | { reason: 'user_disabled'; named: string }
  | { reason: 'user_changed_meanwhile' }
  | { reason: 'last_owner'; named: string }
  | { reason: 'sign_in_refused' }
  | { reason: 'second_factor_expired' }
  | { reason: 'too_many_codes' }
  | { reason: 'session_not_found'; named: string }
  | { reason: 'invitation_not_found' }
  | { reason: 'totp_is_on' }
  | { reason: 'totp_is_off' }
  | { reason: 'products_only' }
  | { reason: 'audit_of_all_products' }
  | { reason: 'software_not_found'; named: string }
  | { reason: 'software_slug_exists'; named: string }
  | { reason: 'software_not_covered' }
  | { reason: 'software_of_other_products' }
  | { reason: 'release_not_found'; named: string }
  | { reason: 'release_version_exists'; named: string }
  | { reason: 'download_not_found' }
  | { reason: 'download_denied'; why: DownloadDenial }
  | { reason: 'staged_keys_exist'; rows: readonly number[] }
  | { reason: 'invalid'; params: InvalidParams };

export type Refused = { ok: false; refusal: Refusal };
/** What a command or a rule answers: its value, or why not. */
export type Outcome<T> = { ok: true; value: T } | Refused;

export const done = <T>(value: T): { ok: true; value: T } => ({ ok: true, value });
export const refused = (refusal: Refusal): Refused => ({ ok: false, refusal });
