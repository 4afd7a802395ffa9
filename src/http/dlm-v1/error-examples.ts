import { FILE_MAX } from '../../domain/release.ts';
import {
  FAILED,
  fileTooLarge,
  GENERATOR_NAME_MISSING,
  type HttpProblem,
  invalid,
  preconditionFailed,
  problem,
  problemOf,
  rangeNotSatisfiable,
  UNAUTHENTICATED,
  unavailable,
} from '../errors.ts';

/** One answer for each way to be refused, made by the code that makes the real ones. */
const examples = {
  credentials_missing: problem('authentication_error', UNAUTHENTICATED.missing),
  key_invalid: problem('authentication_error', UNAUTHENTICATED.key_invalid),
  secret_invalid: problem('authentication_error', UNAUTHENTICATED.secret_invalid),
  no_permission: problem('authentication_error', 'The API key provided does not have write permissions.'),
  endpoint_not_allowed: problem('permission_denied', 'The API key is not allowed to call licenses.create.'),
  generators_not_allowed: problemOf({ reason: 'products_only' }),
  audit_not_allowed: problemOf({ reason: 'audit_of_all_products' }),
  license_not_found: problemOf({ reason: 'license_not_found', named: 'NO-SUCH-KEY' }),
  license_key_exists: problemOf({ reason: 'license_key_exists', named: 'ABCD-EFGH' }),
  license_expired: problemOf({ reason: 'license_expired' }),
  license_disabled: problemOf({ reason: 'license_disabled' }),
  activation_limit_reached: problemOf({ reason: 'activation_limit_reached', limit: 5 }),
  activation_not_found: problemOf({
    reason: 'activation_not_found',
    named: '0000000000000000000000000000000000000000',
  }),
  activation_deactivated: problemOf({ reason: 'activation_deactivated' }),
  activation_already_active: problemOf({ reason: 'activation_already_active' }),
  activation_already_deactivated: problemOf({ reason: 'activation_already_deactivated' }),
  activation_of_another_license: problemOf({ reason: 'activation_of_another_license' }),
  generator_not_found: problemOf({ reason: 'generator_not_found', named: '999' }),
  software_not_found: problemOf({ reason: 'software_not_found', named: '999' }),
  software_slug_exists: problemOf({ reason: 'software_slug_exists', named: 'acme' }),
  software_not_covered: problemOf({ reason: 'software_not_covered' }),
  software_of_other_products: problemOf({ reason: 'software_of_other_products' }),
  release_not_found: problemOf({ reason: 'release_not_found', named: '999' }),
  release_version_exists: problemOf({ reason: 'release_version_exists', named: '1.4.0' }),
  download_not_found: problemOf({ reason: 'download_not_found' }),
  download_denied: problemOf({ reason: 'download_denied', why: 'license_expired' }),
  precondition_failed: preconditionFailed(),
  range_not_satisfiable: rangeNotSatisfiable(300_000),
  file_too_large: fileTooLarge(FILE_MAX),
  generator_name_missing: problem('rest_data_error', GENERATOR_NAME_MISSING),
  keys_exhausted: problemOf({ reason: 'keys_exhausted', amount: 100, available: 8 }),
  invalid_values: invalid({ activations_limit: 'must be an integer from 0 to 2147483647.' }),
  invalid_paging: problem('rest_invalid_param', 'page must be an integer from 1 to 2147483647.', {
    page: 'must be an integer from 1 to 2147483647.',
  }),
  invalid_json: problem('rest_invalid_json', 'The body is not a JSON object.'),
  invalid_body: problem('rest_invalid_body', 'The multipart body is malformed.'),
  content_too_large: problem('rest_content_too_large', 'The body is larger than 1048576 bytes.'),
  unsupported_media_type: problem(
    'rest_unsupported_media_type',
    'The body must be application/json, application/x-www-form-urlencoded or multipart/form-data.',
  ),
  too_many_requests: problem('rest_too_many_requests', 'Too many requests. Try again in 30 seconds.'),
  server_error: problem('server_error', FAILED),
  unavailable: unavailable(),
};

export type ErrorExample = keyof typeof examples;
export const ERROR_EXAMPLES = Object.fromEntries(
  Object.entries(examples).map(([name, example]) => [name, example.body]),
) as Record<ErrorExample, HttpProblem['body']>;
