import type { Problems } from '../../domain/problem.ts';
import type { DownloadDenial, Refusal, RefusalArgs, RefusalCode } from '../../domain/refusal.ts';
import { inSentences, paramsOf } from '../../words/problems.ts';
import { type Answer, type AnyRefusal, OwnAnswer, refuse } from '../errors.ts';
import { isOfRequest, requestAnswer } from '../request-refusals.ts';

/** Statuses, codes and words of contract section 4. Clients depend on them: do not change them. */

export interface ErrorBody {
  code: string;
  message: string;
  data: {
    status: number;
    /** The status again, in the errors in which existing clients read it. */
    code?: number;
    /** The problem of each parameter. */
    params?: Record<string, string>;
  };
}
type ErrorAnswer = Answer & { body: ErrorBody };

const error = (
  status: number,
  code: string,
  message: string,
  more: Omit<ErrorBody['data'], 'status'> = {},
): ErrorAnswer => ({ status, body: { code, message, data: { status, ...more } } });

const denied = (message: string) => error(403, 'permission_denied', message);
const missing = (message: string) => error(404, 'data_error', message);
const withCode = (status: number, message: string) => error(status, 'data_error', message, { code: status });
const invalid = (fields: Problems) =>
  error(422, 'data_error', inSentences(fields), { params: paramsOf(fields) });
const unavailable = () => answerOf(refuse('unavailable').refusal);

const DENIALS: Record<DownloadDenial, string> = {
  token_expired: 'The download address has expired. Ask for the update again to get a new one.',
  token_of_another_release: 'The download address is for another release.',
  token_of_another_activation: 'The download address is for another activation.',
  release_not_available: 'The release is not available any more.',
  activation_missing: 'The download needs an activation of a license, and there is none any more.',
  activation_deactivated: 'The activation is deactivated.',
  license_expired: 'The license has expired.',
  license_disabled: 'The license is disabled.',
  license_not_covering: 'The license does not cover this software.',
};

const ANSWERS: { [C in RefusalCode]?: (args: RefusalArgs[C]) => ErrorAnswer } = {
  license_not_found: ({ named }) =>
    typeof named === 'string'
      ? withCode(404, `The license key "${named}" could not be found.`)
      : missing(`The license ${named.id} could not be found.`),
  license_key_exists: ({ named }) => withCode(409, `The license key "${named}" already exists.`),
  license_expired: () => error(405, 'license_expired', 'The license has expired.'),
  license_disabled: () => error(405, 'license_disabled', 'The license is disabled.'),
  activation_limit_reached: ({ limit }) =>
    error(
      404,
      'license_activation_limit_reached',
      `The license has reached its limit of ${limit} activations.`,
    ),
  activation_not_found: ({ named }) => missing(`The activation token "${named}" could not be found.`),
  activation_deactivated: () => missing('The activation is deactivated.'),
  activation_already_active: () => missing('The activation is already active.'),
  activation_already_deactivated: () => missing('The activation is already deactivated.'),
  activation_of_another_license: () => missing('The activation token belongs to another license.'),
  generator_not_found: ({ named }) => withCode(404, `The generator "${named}" could not be found.`),
  keys_exhausted: (args) => invalid({ amount: { code: 'keys_exhausted', args } }),
  software_not_found: ({ named }) => missing(`The software "${named}" could not be found.`),
  software_slug_exists: ({ named }) => withCode(409, `Software with the slug "${named}" already exists.`),
  software_not_covered: () => missing('The license does not cover this software.'),
  software_of_other_products: () => denied('The software belongs to products that the API key is not for.'),
  release_not_found: ({ named }) => missing(`The release "${named}" could not be found.`),
  release_version_exists: ({ named }) => withCode(409, `Version ${named} of this software already exists.`),
  download_not_found: () => missing('There is no download for this token.'),
  download_denied: ({ why }) => denied(DENIALS[why]),
  products_only: () => denied('The API key is limited to products, and generators belong to none.'),
  audit_of_all_products: () =>
    denied('The API key is limited to products, and the audit trail tells of all of them.'),
  staged_keys_exist: unavailable,
  too_many_keys_at_once: unavailable,
  invalid: ({ fields }) => invalid(fields),
};

export function answerOf(refusal: AnyRefusal): ErrorAnswer {
  if (isOfRequest(refusal)) return error(...requestAnswer(refusal));
  const answer = ANSWERS[refusal.code] as ((args: Refusal['args']) => ErrorAnswer) | undefined;
  // No route of this API has another refusal: it would be a bug.
  return answer?.(refusal.args) ?? answerOf(refuse('failed').refusal);
}

/** 400: invalid paging. */
export const invalidPaging = (fields: Problems): OwnAnswer =>
  new OwnAnswer(error(400, 'rest_invalid_param', inSentences(fields), { params: paramsOf(fields) }));

export const generatorNameMissing = (): OwnAnswer =>
  new OwnAnswer(error(404, 'rest_data_error', 'The generator name is missing.'));
