import type { AnyRefusal, RequestRefusal, RequestRefusalArgs } from './errors.ts';

type Row<Args> = readonly [status: number, code: string, words: string | ((args: Args) => string)];

const unauthenticated = <Words>(words: Words) => [401, 'authentication_error', words] as const;
const denied = <Words>(words: Words) => [403, 'permission_denied', words] as const;
const bad = <Words>(words: Words) => [400, 'rest_bad_request', words] as const;
const tooLarge = <Words>(words: Words) => [413, 'rest_content_too_large', words] as const;
const unsupported = <Words>(words: Words) => [415, 'rest_unsupported_media_type', words] as const;

/**
 * Status, code and words of refused requests. The dialects share them; a dialect that differs reads its own table first.
 * The contract fixes them for the v1 API.
 */
const ROWS: { [C in keyof RequestRefusalArgs]: Row<RequestRefusalArgs[C]> } = {
  credentials_missing: unauthenticated('Consumer key or secret is missing.'),
  key_invalid: unauthenticated('Consumer key is invalid.'),
  secret_invalid: unauthenticated('Consumer secret is invalid.'),
  no_permission: unauthenticated(({ access }) => `The API key provided does not have ${access} permissions.`),
  endpoint_not_allowed: denied(({ endpoint }) => `The API key is not allowed to call ${endpoint}.`),
  sign_in_needed: unauthenticated('Sign in first.'),
  role_not_allowed: denied(({ role }) => `Your role, ${role}, does not allow this.`),
  password_needed: [403, 'password_needed', 'Give your password first: POST /session/confirm.'],
  other_site: denied('The request comes from a page of another site.'),
  other_origin: denied(
    'The request comes from a page of another origin than this service has; behind a proxy, set LATCHKEY_BASE_URL.',
  ),
  csrf_missing: denied('The x-csrf-token header is missing.'),
  csrf_wrong: denied('The x-csrf-token header is missing or wrong; GET /session tells it.'),
  too_many_requests: [
    429,
    'rest_too_many_requests',
    ({ seconds }) => `Too many requests. Try again in ${seconds} seconds.`,
  ],
  no_route: [404, 'rest_no_route', 'No route was found matching the address and the method.'],
  bad_request: bad('The request is malformed.'),
  not_http: bad('The request is not valid HTTP.'),
  no_host: bad('The request has no Host header.'),
  no_proxy: bad('CONNECT is for proxies, and this is none.'),
  too_many_parameters: bad(
    ({ parameters, list, levels }) =>
      `There are too many parameters, or they nest too deeply: at most ${parameters} parameters, lists of ${list} and ${levels} levels.`,
  ),
  request_timeout: [408, 'rest_request_timeout', 'The request took too long to arrive.'],
  headers_too_large: [431, 'rest_headers_too_large', 'The address or the headers are too large.'],
  invalid_json: [400, 'rest_invalid_json', 'The body is not a JSON object.'],
  invalid_multipart: [400, 'rest_invalid_body', 'The multipart body is malformed.'],
  body_too_large: tooLarge(({ max }) =>
    max === null ? 'The body is too large.' : `The body is larger than ${max} bytes.`,
  ),
  fields_too_large: tooLarge(({ max }) => `The fields are larger than ${max} bytes.`),
  too_many_parts: tooLarge(({ files, parts }) => `The form has more than ${files} files or ${parts} parts.`),
  file_too_large: tooLarge(({ max }) => `The file is larger than ${max} bytes.`),
  unsupported_type: unsupported(({ types }) =>
    types === null ? 'The body has a type that is not supported.' : `The body must be ${types}.`,
  ),
  compressed: unsupported('The body must not be compressed.'),
  precondition_failed: [412, 'rest_precondition_failed', 'The file has none of the entity tags in If-Match.'],
  range_not_satisfiable: [
    416,
    'rest_range_not_satisfiable',
    ({ size }) => `The file has ${size} bytes; the range is outside.`,
  ],
  unavailable: [503, 'server_error', 'The service is busy, or its database or storage is away. Try again.'],
  failed: [500, 'server_error', 'The service failed to answer. The fault is ours, not yours.'],
};

export const isOfRequest = (refusal: AnyRefusal): refusal is RequestRefusal =>
  Object.hasOwn(ROWS, refusal.code);

export function requestAnswer({ code, args }: RequestRefusal): [status: number, code: string, words: string] {
  const [status, wireCode, words] = ROWS[code] as Row<RequestRefusal['args']>;
  return [status, wireCode, typeof words === 'string' ? words : words(args)];
}

export const REQUEST_REFUSALS = Object.keys(ROWS) as (keyof RequestRefusalArgs)[];
