import type { Coded, None, Problems } from '../domain/problem.ts';
import type { DownloadDenial, RefusalArgs, RefusalCode } from '../domain/refusal.ts';
import { inSentences } from '../words/problems.ts';

/** Status, code on the wire, and English words. */
type Row<Args> = readonly [status: number, code: string, words: string | ((args: Args) => string)];

const unauthenticated = <Words>(words: Words) => [401, 'authentication_error', words] as const;
const denied = <Words>(words: Words) => [403, 'permission_denied', words] as const;
const bad = <Words>(words: Words) => [400, 'rest_bad_request', words] as const;
const tooLarge = <Words>(words: Words) => [413, 'rest_content_too_large', words] as const;
const unsupported = <Words>(words: Words) => [415, 'rest_unsupported_media_type', words] as const;
const missing = <Words>(words: Words) => [404, 'data_error', words] as const;
const conflict = <Words>(words: Words) => [409, 'data_error', words] as const;
const tooMany = <Words>(words: Words) => [429, 'rest_too_many_requests', words] as const;
const unprocessable = <Words>(words: Words) => [422, 'data_error', words] as const;

/** Refusals that happen before any command or rule runs. The words declare the types of their arguments. */
const OF_REQUESTS = {
  credentials_missing: unauthenticated('Consumer key or secret is missing.'),
  key_invalid: unauthenticated('Consumer key is invalid.'),
  secret_invalid: unauthenticated('Consumer secret is invalid.'),
  /** `sent`: whether the request had a token, which was wrong. */
  bearer_token_refused: unauthenticated(({ sent }: { sent: boolean }) =>
    sent ? 'The bearer token is wrong.' : 'The bearer token is missing.',
  ),
  no_permission: unauthenticated(
    ({ access }: { access: 'read' | 'write' }) => `The API key provided does not have ${access} permissions.`,
  ),
  endpoint_not_allowed: denied(
    ({ endpoint }: { endpoint: string }) => `The API key is not allowed to call ${endpoint}.`,
  ),
  sign_in_needed: unauthenticated('Sign in first.'),
  role_not_allowed: denied(({ role }: { role: string }) => `Your role, ${role}, does not allow this.`),
  password_needed: [403, 'password_needed', 'Give your password first: POST /session/confirm.'],
  other_site: denied('The request comes from a page of another site.'),
  other_origin: denied(
    'The request comes from a page of another origin. Behind a proxy, set LATCHKEY_BASE_URL.',
  ),
  csrf_missing: denied('The x-csrf-token header is missing.'),
  csrf_wrong: denied('The x-csrf-token header is missing or wrong; GET /session returns it.'),
  too_many_requests: tooMany(
    ({ seconds }: { seconds: number }) => `Too many requests. Try again in ${seconds} seconds.`,
  ),
  no_route: [404, 'rest_no_route', 'No route was found matching the address and the method.'],
  bad_request: bad('The request is malformed.'),
  not_http: bad('The request is not valid HTTP.'),
  not_encoded: bad(
    'The request line is malformed. In its address, percent-encode spaces and characters beyond ASCII.',
  ),
  no_host: bad('The request has no Host header.'),
  many_hosts: bad('The request has more than one Host header.'),
  no_proxy: bad('CONNECT is for proxies, and this is none.'),
  too_many_parameters: bad(
    (max: Record<'parameters' | 'inQuery' | 'list' | 'levels' | 'allLevels', number>) =>
      `There are too many parameters, or they nest too deeply: at most ${max.parameters} parameters (${max.inQuery} in a query string), lists of ${max.list}, ${max.levels} levels, and ${max.allLevels} levels of all parameters together.`,
  ),
  too_many_json_values: bad(({ max }: { max: number }) => `The JSON body has more than ${max} values.`),
  request_timeout: [408, 'rest_request_timeout', 'The request took too long to arrive.'],
  headers_too_large: [431, 'rest_headers_too_large', 'The address or the headers are too large.'],
  invalid_json: [400, 'rest_invalid_json', 'The body is not a JSON object.'],
  invalid_multipart: [400, 'rest_invalid_body', 'The multipart body is malformed.'],
  /** `max` is null if the framework refused the body. */
  body_too_large: tooLarge(({ max }: { max: number | null }) =>
    max === null ? 'The body is too large.' : `The body is larger than ${max} bytes.`,
  ),
  fields_too_large: tooLarge(({ max }: { max: number }) => `The fields are larger than ${max} bytes.`),
  too_many_parts: tooLarge(
    ({ files, parts }: { files: number; parts: number }) =>
      `The form has more than ${files} files or ${parts} parts.`,
  ),
  file_too_large: tooLarge(({ max }: { max: number }) => `The file is larger than ${max} bytes.`),
  /** `types`: the types that the body may have; null if the framework refused it. */
  unsupported_type: unsupported(({ types }: { types: string | null }) =>
    types === null ? 'The body has a type that is not supported.' : `The body must be ${types}.`,
  ),
  compressed: unsupported('The body must not be compressed.'),
  precondition_failed: [412, 'rest_precondition_failed', 'The file has none of the entity tags in If-Match.'],
  range_not_satisfiable: [
    416,
    'rest_range_not_satisfiable',
    ({ size }: { size: number }) => `The file has ${size} bytes; the range is outside.`,
  ],
  invalid_paging: [400, 'rest_invalid_param', ({ fields }: { fields: Problems }) => inSentences(fields)],
  generator_name_missing: [404, 'rest_data_error', 'The generator name is missing.'],
  unavailable: [503, 'server_error', 'The service is busy, or its database or storage is away. Try again.'],
  failed: [500, 'server_error', 'The service failed to answer. The fault is ours, not yours.'],
} as const;
type OfRequests = typeof OF_REQUESTS;
/** The arguments of the refusals of requests, by code. */
export type RequestRefusalArgs = {
  [C in keyof OfRequests]: OfRequests[C][2] extends (args: infer Args) => string ? Args : None;
};
export type AnyRefusalArgs = RefusalArgs & RequestRefusalArgs;
export type AnyRefusal = Coded<AnyRefusalArgs>;

const DENIALS: Record<DownloadDenial, string> = {
  token_expired: 'The download address has expired. Ask for the update again to get a new one.',
  release_not_available: 'The release is not available any more.',
  activation_missing: 'The download needs an activation of a license, and there is none any more.',
  activation_deactivated: 'The activation is deactivated.',
  license_expired: 'The license has expired.',
  license_disabled: 'The license is disabled.',
  license_not_covering: 'The license does not cover this software.',
};

const kindWords = (kind: string): string => (kind === 'api_key' ? 'API key' : kind.replace('_', ' '));

/** The refusals of commands and rules. Section 4 of the contract fixes the refusals of the v1 API. */
const OF_COMMANDS: { [C in RefusalCode]: Row<RefusalArgs[C]> } = {
  record_not_found: missing(({ kind, named }) => {
    const name = typeof named === 'string' ? `"${named}"` : named.id;
    return `The ${kindWords(kind)} ${name} could not be found.`;
  }),
  record_changed: [
    412,
    'record_changed',
    ({ kind }) => `The ${kindWords(kind)} was changed since it was read: its etag is not that of If-Match.`,
  ],
  license_key_exists: conflict(({ named }) => `The license key "${named}" already exists.`),
  license_expired: [405, 'license_expired', 'The license has expired.'],
  license_disabled: [405, 'license_disabled', 'The license is disabled.'],
  activation_limit_reached: [
    404,
    'license_activation_limit_reached',
    ({ limit }) => `The license has reached its limit of ${limit} activations.`,
  ],
  idempotency_key_reused: unprocessable('The Idempotency-Key was used with another request.'),
  fingerprint_mismatch: denied('The activation belongs to another device.'),
  activation_deactivated: missing('The activation is deactivated.'),
  seat_node_locked: conflict('The license is node-locked: its seats do not lapse.'),
  seat_not_borrowable: denied(
    'The license lends no floating seats (borrow_max_hours), so a device without network cannot have one.',
  ),
  no_lease: OF_REQUESTS.unavailable,
  receipt_unknown: missing('The receipt does not belong to a device that was activated here.'),
  receipt_outdated: conflict(
    ({ since }) => `The device was activated again after this receipt, at ${since} UTC. Make a new receipt.`,
  ),
  activation_already_active: missing('The activation, or another one of its device, is already active.'),
  activation_already_deactivated: missing('The activation is already deactivated.'),
  activation_of_another_license: missing('The activation token belongs to another license.'),
  keys_exhausted: unprocessable((args) => inSentences({ amount: { code: 'keys_exhausted', args } })),
  too_many_keys_at_once: OF_REQUESTS.unavailable,
  staged_keys_exist: OF_REQUESTS.unavailable,
  api_key_exists: OF_REQUESTS.failed,
  root_key_needed: conflict(({ kid }) => `The private half of the root key ${kid} is not on the server.`),
  root_key_differs: conflict(({ kid }) => `The key that was given is not the root key ${kid}.`),
  spare_just_used: conflict(({ at }) => `The spare root key came into use at ${at} UTC.`),
  root_key_exported: conflict(({ kid }) => `The root key ${kid} was exported already.`),
  too_many_revoked_keys: conflict(({ limit }) => `Leases name at most ${limit} revoked keys.`),
  api_key_revoked: conflict(({ id, since }) => `API key ${id} is revoked already, since ${since} UTC.`),
  api_key_expired: conflict(({ id, since }) => `API key ${id} has expired already, at ${since} UTC.`),
  api_key_replaced: conflict(({ id, by }) => `API key ${id} was replaced by ${by} already: rotate that one.`),
  api_key_of_settings: conflict(
    ({ id }) => `API key ${id} is set as LATCHKEY_CONSUMER_KEY and always has full permission.`,
  ),
  event_endpoint_disabled: conflict('The event endpoint is disabled. Enable it first.'),
  event_endpoint_polled: conflict('The event endpoint is polled: nothing is sent to it.'),
  too_many_event_endpoints: conflict(
    ({ max }) => `There are ${max} event endpoints already, which is the most.`,
  ),
  user_email_exists: conflict(({ named }) => `A user with the address "${named}" already exists.`),
  user_disabled: conflict(({ named }) => `${named} is disabled.`),
  user_changed_meanwhile: conflict('Someone else changed this in the meantime. Try again.'),
  last_owner: conflict(
    ({ named }) => `${named} is the last owner who can sign in: make another user an owner first.`,
  ),
  sign_in_refused: unauthenticated('The address or the password is wrong.'),
  second_factor_expired: unauthenticated('It took too long, or too many codes were wrong. Sign in again.'),
  too_many_codes: tooMany('Too many codes were wrong. Wait five minutes, or use a recovery code.'),
  invitation_not_found: missing(
    'The link is invalid or has expired. Each link works once and for a limited time.',
  ),
  totp_expired: conflict('It took too long, or too many codes were wrong. Begin again with a new secret.'),
  totp_is_on: conflict('The second factor is on already.'),
  totp_is_off: conflict('The second factor is off.'),
  products_only: denied('The API key is limited to products, and generators belong to none.'),
  audit_of_all_products: denied(
    'The API key is limited to products, and the audit trail tells of all of them.',
  ),
  software_id_exists: conflict(({ id }) => `Software with the id ${id} already exists.`),
  software_slug_exists: conflict(({ named }) => `Software with the slug "${named}" already exists.`),
  software_not_covered: missing('The license does not cover this software.'),
  software_of_other_products: denied('The software belongs to products that the API key is not for.'),
  release_version_exists: conflict(({ named }) => `Version ${named} of this software already exists.`),
  download_not_found: missing('There is no download for this token.'),
  download_denied: denied(({ why }) => DENIALS[why]),
  invalid: unprocessable(({ fields }) => inSentences(fields)),
};
const ROWS = { ...OF_REQUESTS, ...OF_COMMANDS };
export const REFUSAL_CODES = Object.keys(ROWS) as AnyRefusal['code'][];

export interface Worded {
  status: number;
  code: string;
  message: string;
  /** The problem of each field that the refusal is about. */
  fields: Problems | null;
}

/** Words a refusal. The dialects share status, code and message; each has its own data. */
export function worded(refusal: AnyRefusal): Worded {
  const [status, code, words] = ROWS[refusal.code] as Row<AnyRefusal['args']>;
  const message = typeof words === 'string' ? words : words(refusal.args);
  return { status, code, message, fields: fieldsOf(refusal) };
}

function fieldsOf(refusal: AnyRefusal): Problems | null {
  switch (refusal.code) {
    case 'invalid':
    case 'invalid_paging':
      return refusal.args.fields;
    case 'keys_exhausted':
      return { amount: refusal };
    case 'user_email_exists':
      return { email: { code: 'email_of_another', args: {} } };
    default:
      return null;
  }
}

/** Whether the error repeats its status as `data.code`, which existing clients read. */
export function repeatsStatus({ code, args }: AnyRefusal): boolean {
  return code === 'record_not_found'
    ? args.kind === 'generator'
    : ['license_key_exists', 'software_slug_exists', 'release_version_exists'].includes(code);
}
