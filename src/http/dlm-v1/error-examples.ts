import { ENDPOINTS_MAX } from '../../domain/events/endpoint.ts';
import { TOKEN } from '../../domain/example-records.ts';
import { MAX_COUNT } from '../../domain/fields.ts';
import { problem } from '../../domain/problem.ts';
import { FILE_MAX } from '../../domain/releases/release.ts';
import { BODY_MAX, BODY_TYPES } from '../body.ts';
import { type HttpProblem, malformed, refuse } from '../errors.ts';
import { answerOf, type ErrorBody } from './errors.ts';

const outOfRange = (min: number) => problem('out_of_range', { min, max: MAX_COUNT });

/** An example of each error, made by the code that makes the real answers. */
const examples = {
  credentials_missing: refuse('credentials_missing'),
  key_invalid: refuse('key_invalid'),
  secret_invalid: refuse('secret_invalid'),
  no_permission: refuse('no_permission', { access: 'write' }),
  endpoint_not_allowed: refuse('endpoint_not_allowed', { endpoint: 'licenses.create' }),
  generators_not_allowed: refuse('products_only'),
  audit_not_allowed: refuse('audit_of_all_products'),
  license_not_found: refuse('record_not_found', { kind: 'license', named: 'NO-SUCH-KEY' }),
  license_key_exists: refuse('license_key_exists', { named: 'ABCD-EFGH' }),
  license_expired: refuse('license_expired', { at: '2030-01-31 23:59:59' }),
  license_disabled: refuse('license_disabled'),
  activation_limit_reached: refuse('activation_limit_reached', { licenseId: 7, limit: 5 }),
  activation_not_found: refuse('record_not_found', {
    kind: 'activation',
    named: TOKEN,
  }),
  activation_deactivated: refuse('activation_deactivated', { as: 'deactivated' }),
  activation_already_active: refuse('activation_already_active'),
  activation_already_deactivated: refuse('activation_already_deactivated'),
  activation_of_another_license: refuse('activation_of_another_license'),
  generator_not_found: refuse('record_not_found', { kind: 'generator', named: '999' }),
  software_not_found: refuse('record_not_found', { kind: 'software', named: '999' }),
  software_slug_exists: refuse('software_slug_exists', { named: 'acme' }),
  software_not_covered: refuse('software_not_covered'),
  software_of_other_products: refuse('software_of_other_products'),
  release_not_found: refuse('record_not_found', { kind: 'release', named: '999' }),
  release_version_exists: refuse('release_version_exists', { named: '1.4.0' }),
  event_endpoint_not_found: refuse('record_not_found', { kind: 'event_endpoint', named: '999' }),
  event_endpoint_disabled: refuse('event_endpoint_disabled'),
  event_endpoint_polled: refuse('event_endpoint_polled'),
  too_many_event_endpoints: refuse('too_many_event_endpoints', { max: ENDPOINTS_MAX }),
  download_not_found: refuse('download_not_found'),
  download_denied: refuse('download_denied', { why: 'license_expired' }),
  precondition_failed: refuse('precondition_failed'),
  range_not_satisfiable: refuse('range_not_satisfiable', { size: 300_000 }),
  file_too_large: refuse('file_too_large', { max: FILE_MAX }),
  generator_name_missing: refuse('generator_name_missing'),
  keys_exhausted: refuse('keys_exhausted', { amount: 100, available: 8 }),
  invalid_values: refuse('invalid', { fields: { activationsLimit: outOfRange(0) } }),
  invalid_paging: refuse('invalid_paging', { fields: { page: outOfRange(1) } }),
  invalid_json: refuse('invalid_json'),
  invalid_body: refuse('invalid_multipart'),
  content_too_large: refuse('body_too_large', { max: BODY_MAX }),
  unsupported_media_type: refuse('unsupported_type', { types: BODY_TYPES }),
  too_many_requests: refuse('too_many_requests', { seconds: 30 }),
  server_error: refuse('failed'),
  unavailable: refuse('unavailable'),
};

/** Examples of the errors of requests that reach no route. */
const outside = {
  NoRoute: refuse('no_route'),
  BadRequest: malformed(),
  RequestTimeout: malformed('ERR_HTTP_REQUEST_TIMEOUT'),
  HeadersTooLarge: malformed('HPE_HEADER_OVERFLOW'),
};

const bodiesOf = <Name extends string>(problems: Record<Name, HttpProblem>): Record<Name, ErrorBody> =>
  Object.fromEntries(
    Object.entries<HttpProblem>(problems).map(([name, { refusal }]) => [name, answerOf(refusal).body]),
  ) as Record<Name, ErrorBody>;

export type ErrorExample = keyof typeof examples;
export const ERROR_EXAMPLES = bodiesOf(examples);
export type OutsideExample = keyof typeof outside;
export const OUTSIDE_EXAMPLES = bodiesOf(outside);
