import { parameterName } from '../../domain/fields.ts';
import type { Problem, Problems } from '../../domain/problem.ts';
import type { Refusal, RefusalArgs, RefusalCode } from '../../domain/refusal.ts';
import { inSentences, inWords, paramsOf } from '../../words/problems.ts';
import { type Answer, type AnyRefusal, refuse } from '../errors.ts';
import { isOfRequest, requestAnswer } from '../request-refusals.ts';

/**
 * Errors of the console's API. The console translates `data.reason` and `data.reasons`, which are codes with arguments. The
 * English words are for people who call this API themselves.
 */

type Row<Args> = readonly [status: number, words: string | ((args: Args) => string), code?: string];
/** Temporary refusals: other requests are creating keys with the same template, or many keys. */
const BUSY: RefusalCode[] = ['staged_keys_exist', 'too_many_keys_at_once'];

const ROWS: { [C in RefusalCode]?: Row<RefusalArgs[C]> } = {
  license_not_found: [404, ({ named }) => `The license ${idIn(named)} could not be found.`],
  license_key_exists: [409, ({ named }) => `The license key "${named}" already exists.`],
  license_expired: [405, 'The license has expired.', 'license_expired'],
  license_disabled: [405, 'The license is disabled.', 'license_disabled'],
  activation_limit_reached: [
    404,
    ({ limit }) => `The license has reached its limit of ${limit} activations.`,
    'license_activation_limit_reached',
  ],
  activation_not_found: [404, ({ named }) => `The activation "${named}" could not be found.`],
  activation_already_active: [404, 'The activation is already active.'],
  activation_already_deactivated: [404, 'The activation is already deactivated.'],
  generator_not_found: [404, ({ named }) => `The generator "${named}" could not be found.`],
  software_not_found: [404, ({ named }) => `The software "${named}" could not be found.`],
  software_slug_exists: [409, ({ named }) => `Software with the slug "${named}" already exists.`],
  release_not_found: [404, ({ named }) => `The release "${named}" could not be found.`],
  release_version_exists: [409, ({ named }) => `Version ${named} of this software already exists.`],
  api_key_not_found: [404, ({ named }) => `The API key "${named}" could not be found.`],
  api_key_revoked: [409, ({ id, since }) => `API key ${id} is revoked already, since ${since} UTC.`],
  api_key_expired: [409, ({ id, since }) => `API key ${id} has expired already, at ${since} UTC.`],
  api_key_replaced: [409, ({ id, by }) => `API key ${id} was replaced by ${by} already: rotate that one.`],
  api_key_of_settings: [
    409,
    ({ id }) => `API key ${id} is that of LATCHKEY_CONSUMER_KEY: the settings give it every right.`,
  ],
  user_not_found: [404, ({ named }) => `The user "${named}" could not be found.`],
  user_email_exists: [409, ({ named }) => `A user with the address "${named}" already exists.`],
  user_disabled: [409, ({ named }) => `${named} is disabled.`],
  user_changed_meanwhile: [409, 'This was changed meanwhile, elsewhere. Try again.'],
  last_owner: [
    409,
    ({ named }) => `${named} is the last owner who can sign in: make another user an owner first.`,
  ],
  sign_in_refused: [401, 'The address or the password is wrong.'],
  second_factor_expired: [401, 'It took too long, or too many codes were wrong. Sign in again.'],
  too_many_codes: [429, 'Too many codes were wrong. Wait five minutes, or use a recovery code.'],
  session_not_found: [404, ({ named }) => `The session "${named}" could not be found.`],
  invitation_not_found: [404, 'The link is not good, or not any more: it works once, and for a time.'],
  totp_is_on: [409, 'The second factor is on already.'],
  totp_is_off: [409, 'The second factor is off.'],
  keys_exhausted: [422, (args) => `amount ${inWords({ code: 'keys_exhausted', args })}`],
  invalid: [422, ({ fields }) => inSentences(fields)],
};
/** The refusals of this API, besides those of requests. */
export const REFUSALS = Object.keys(ROWS) as RefusalCode[];

const idIn = (named: string | { id: number }) => (typeof named === 'string' ? `"${named}"` : named.id);

/** Errors whose data repeats the status as `code`, as in the v1 API. */
const REPEATING_STATUS: AnyRefusal['code'][] = [
  'license_key_exists',
  'generator_not_found',
  'software_slug_exists',
  'release_version_exists',
];
const CODES: Record<number, string> = {
  401: 'authentication_error',
  429: 'rest_too_many_requests',
};

export function answerOf(refusal: AnyRefusal): Answer {
  if (isOfRequest(refusal)) return answer(refusal, requestAnswer(refusal));
  const row = ROWS[refusal.code] as Row<Refusal['args']> | undefined;
  // No route of this API has another refusal: it would be a bug.
  if (!row) return answerOf(refuse(BUSY.includes(refusal.code) ? 'unavailable' : 'failed').refusal);
  const [status, words, code = CODES[status] ?? 'data_error'] = row;
  return answer(refusal, [status, code, typeof words === 'string' ? words : words(refusal.args)]);
}

function answer(
  { code: reason, args }: AnyRefusal,
  [status, code, message]: [status: number, code: string, message: string],
): Answer {
  const fields = fieldsOf({ code: reason, args } as AnyRefusal);
  const data = {
    status,
    ...(REPEATING_STATUS.includes(reason) && { code: status }),
    ...(fields && { params: paramsOf(fields), reasons: reasonsOf(fields) }),
    ...(reason !== 'invalid' && { reason: { code: reason, args } }),
  };
  return { status, body: { code, message, data } };
}

/** The fields that a refusal is about. */
function fieldsOf(refusal: AnyRefusal): Problems | null {
  switch (refusal.code) {
    case 'invalid':
      return refusal.args.fields;
    case 'keys_exhausted':
      return { amount: refusal };
    case 'user_email_exists':
      return { email: { code: 'email_of_another', args: {} } };
    default:
      return null;
  }
}

/** Returns the problems with the parameter names of this API. */
const reasonsOf = (fields: Problems): Record<string, Problem> =>
  Object.fromEntries(
    Object.entries(fields).map(([field, { code, args }]) => {
      const named = 'fields' in args ? { fields: reasonsOf(args.fields) } : args;
      return [parameterName(field), { code, args: named } as Problem];
    }),
  );
