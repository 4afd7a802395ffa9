import type { Datetime } from './datetime.ts';
import {
  type Coded,
  coded,
  type None,
  type ProblemArgs,
  type Problems,
  problem,
  type Said,
} from './problem.ts';
import type { EndedAs, SeatsTaken } from './seats.ts';

/** The name by which the caller referred to a record. */
type Named = { named: string };
/** A license may also be named by its id. */
type RecordName = string | { id: number };

/** Every reason to refuse a request, by code. Each entry point (a dialect of HTTP, the CLI) has its own wording. */
export interface RefusalArgs {
  /** Entry points put the kind of record into the code that they answer: `api_key` becomes `api_key_not_found`. */
  record_not_found: { kind: string; named: RecordName };
  /** Somebody has changed the record since the caller read it. */
  record_changed: { kind: string };
  license_key_exists: Named;
  license_expired: { at: Datetime };
  license_disabled: None;
  /** `taken` is present only if the entry point's answer includes it. */
  activation_limit_reached: { licenseId: number; limit: number; taken?: SeatsTaken };
  idempotency_key_reused: None;
  fingerprint_mismatch: None;
  activation_deactivated: { as: EndedAs | 'license_deleted' };
  seat_node_locked: None;
  seat_not_borrowable: None;
  no_lease: None;
  receipt_unknown: None;
  /** `since`: when the activation was last given to the device or last used. */
  receipt_outdated: { since: Datetime };
  activation_already_active: None;
  activation_already_deactivated: None;
  activation_of_another_license: None;
  keys_exhausted: { amount: number; available: number | null };
  too_many_keys_at_once: None;
  api_key_exists: None;
  api_key_revoked: { id: number; since: Datetime };
  api_key_expired: { id: number; since: Datetime };
  api_key_of_settings: { id: number };
  api_key_replaced: { id: number; by: string };
  user_email_exists: Named;
  user_disabled: Named;
  user_changed_meanwhile: None;
  last_owner: Named;
  sign_in_refused: None;
  second_factor_expired: None;
  too_many_codes: None;
  invitation_not_found: None;
  totp_expired: None;
  totp_is_on: None;
  totp_is_off: None;
  products_only: None;
  audit_of_all_products: None;
  software_id_exists: { id: number };
  software_slug_exists: Named;
  software_not_covered: None;
  software_of_other_products: None;
  release_version_exists: Named;
  event_endpoint_disabled: None;
  /** A polled endpoint has no secret, and nothing is sent to it. */
  event_endpoint_polled: None;
  too_many_event_endpoints: { max: number };
  download_not_found: None;
  download_denied: { why: DownloadDenial };
  /** The private half of a root key is not in the database. */
  root_key_needed: { kid: string };
  /** `given`: id of the key that was given instead; null if it is not a key. */
  root_key_differs: { kid: string; given: string | null };
  root_key_exported: { kid: string };
  /** The spare root came into use a short time ago. */
  spare_just_used: { at: Datetime };
  too_many_revoked_keys: { limit: number };
  staged_keys_exist: { rows: readonly number[] };
  invalid: { fields: Problems };
}
export type Refusal = Coded<RefusalArgs>;
export type RefusalCode = keyof RefusalArgs;

export type DownloadDenial =
  | 'token_expired'
  | 'release_not_available'
  | 'activation_missing'
  | 'activation_deactivated'
  | 'license_expired'
  | 'license_disabled'
  | 'license_not_covering';

export type Refused = { ok: false; refusal: Refusal };
/** The result of a command or a rule: a value, or a refusal. */
export type Outcome<T> = { ok: true; value: T } | Refused;

/** Whether the result of any command is a refusal. */
export const isRefused = (result: unknown): boolean => (result as { ok?: unknown } | null)?.ok === false;

export const done = <T>(value: T): { ok: true; value: T } => ({ ok: true, value });
export const refused = (...said: Said<RefusalArgs>): Refused => ({ ok: false, refusal: coded(said) });
export const notFound = (kind: string, named: RecordName): Refused =>
  refused('record_not_found', { kind, named });
/** Refuses one field. */
export const invalid = (field: string, ...said: Said<ProblemArgs>): Refused =>
  refused('invalid', { fields: { [field]: problem(...said) } });
