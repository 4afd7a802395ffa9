import assert from 'node:assert/strict';
import type { Record_ } from '../support/http/api.ts';

// How the published clients of Digital License Manager read answers.

export const DATETIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;
export const isDate = (value: unknown) => typeof value === 'string' && DATETIME.test(value);

/** dlm-php: an answer with `code`, `message` and `data` is an error. Otherwise it reads `success` and `data`. */
export const php = (body: Record_) =>
  body.code !== undefined && body.message !== undefined && body.data !== undefined
    ? { error: [typeof body.code, typeof body.message] }
    : { success: Boolean(body.success), data: body.data };
export const phpField = (name: string) => (body: Record_) => php(body).data?.[name];
export const PHP_ERROR = { error: ['string', 'string'] };
export const phpLicense = {
  order_id: 10,
  product_id: 10,
  user_id: 1,
  valid_for: 365,
  activations_limit: 1,
  status: 3,
};

/** dlm-python: an answer with a `code` is an error. */
export const python = (body: Record_) => ('code' in body ? null : body.data);

/** Returns what the form of dlm-wp-updater shows: the state of the license, and the label of the button. */
export function updaterForm(body: Record_): [shown: string, button: string] {
  const isError = body.message !== undefined && body.data?.status !== undefined;
  const data = isError ? {} : body.data;
  const isExpired = data.license?.is_expired ?? true;
  if (isExpired) return ['expired or invalid', 'Activate'];
  return data.deactivated_at ? ['deactivated', 'Reactivate'] : ['valid', 'Deactivate'];
}

/** Returns the status that dlm-wp-simple-checker derives from the two answers that its hourly job stores. */
export function checkerStatus({ expiresAt, token, deactivatedAt }: Record<string, string | null>): string {
  if (expiresAt && expiresAt <= '2030-01-01 00:00:00') return 'expired';
  if (!token) return 'missing_token';
  return deactivatedAt ? 'disabled' : 'active';
}

/** DLM-NET throws if a value has another type than its class. A missing field keeps its default. */
export const INTEGERS = [
  ...['id', 'order_id', 'product_id', 'user_id', 'valid_for', 'source', 'status', 'license_id'],
  ...['times_activated', 'activations_limit'],
];
export const TEXTS = [
  ...['license_key', 'expires_at', 'created_at', 'updated_at', 'token', 'label', 'ip_address', 'user_agent'],
  'deactivated_at',
];
export function deserialized(value: Record_): Record_ {
  for (const [name, one] of Object.entries<Record_>(value)) {
    if (INTEGERS.includes(name)) assert.ok(Number.isInteger(one), `${name}: ${one}`);
    if (TEXTS.includes(name)) assert.ok(one === null || typeof one === 'string', `${name}: ${one}`);
    if (name === 'meta_data') assert.ok(Array.isArray(one), name);
    if (name === 'license') deserialized(one);
    if (name === 'activations') one.forEach(deserialized);
  }
  return value;
}
export const net = ({ code, message, data }: Record_) => (code && message ? { message } : deserialized(data));
