import type { DownloadDenial } from '../domain/download.ts';
import { type InvalidParams, inSentences } from '../domain/fields.ts';
import type { Outcome, Refusal } from '../domain/refusal.ts';

/** Every error code of the wire with its status, or statuses. */
export const STATUS = {
  authentication_error: 401,
  permission_denied: 403,
  password_needed: 403,
  rest_data_error: 404,
  license_expired: 405,
  license_disabled: 405,
  license_activation_limit_reached: 404,
  rest_invalid_param: 400,
  rest_invalid_json: 400,
  rest_invalid_body: 400,
  rest_bad_request: 400,
  rest_no_route: 404,
  rest_request_timeout: 408,
  rest_precondition_failed: 412,
  rest_content_too_large: 413,
  rest_unsupported_media_type: 415,
  rest_range_not_satisfiable: 416,
  rest_too_many_requests: 429,
  rest_headers_too_large: 431,
  server_error: 500,
} as const;
export type ProblemCode = keyof typeof STATUS | 'data_error';

interface ProblemData {
  status: number;
  /** The same number again, on the errors that existing clients know it from. */
  code?: number;
  /** What is wrong, by parameter. */
  params?: InvalidParams;
}

/** What a refused request may have been guessing. */
export type Guess = 'credentials' | 'license_key' | 'token';

/** An answer that is an error: the envelope of contract section 4. */
export class HttpProblem extends Error {
  readonly code: ProblemCode;
  readonly data: ProblemData;
  /** Counted by address; nothing of it is told. */
  guess: Guess | null = null;
  constructor(code: ProblemCode, message: string, data: ProblemData) {
    super(message);
    this.code = code;
    this.data = data;
  }
  get body() {
    return { code: this.code, message: this.message, data: this.data };
  }
}

export const problem = (code: keyof typeof STATUS, message: string, params?: InvalidParams): HttpProblem =>
  new HttpProblem(code, message, { status: STATUS[code], ...(params && { params }) });

const dataError = (status: number, message: string, more: Omit<ProblemData, 'status'> = {}): HttpProblem =>
  new HttpProblem('data_error', message, { status, ...more });

/** The same answer, as one to what may have been a guess. */
export const guessed = (guess: Guess, answer: HttpProblem): HttpProblem => Object.assign(answer, { guess });

export const GENERATOR_NAME_MISSING = 'The generator name is missing.';
export const FAILED = 'The service failed to answer. The fault is ours, not yours.';

/** 404 for what no record can be named by. */
export const noRecord = (record: string, named: string): HttpProblem =>
  dataError(404, `The ${record} "${named}" could not be found.`);

/** 503: try again. */
export const unavailable = (): HttpProblem =>
  new HttpProblem('server_error', 'The service is busy, or its database or storage is away. Try again.', {
    status: 503,
  });

/** @param max bytes */
export const fileTooLarge = (max: number): HttpProblem =>
  problem('rest_content_too_large', `The file is larger than ${max} bytes.`);

export const preconditionFailed = (): HttpProblem =>
  problem('rest_precondition_failed', 'The file has none of the entity tags in If-Match.');

/** @param size bytes of the file */
export const rangeNotSatisfiable = (size: number): HttpProblem =>
  problem('rest_range_not_satisfiable', `The file has ${size} bytes; the range is outside.`);

export const noRoute = (): HttpProblem =>
  problem('rest_no_route', 'No route was found matching the address and the method.');

/** @param code of the error that Node's HTTP parser gave, or CONNECT */
export function malformed(code: string | undefined): HttpProblem {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return problem('rest_request_timeout', 'The request took too long to arrive.');
  if (code === 'HPE_HEADER_OVERFLOW')
    return problem('rest_headers_too_large', 'The address or the headers are too large.');
  if (code === 'CONNECT') return problem('rest_bad_request', 'CONNECT is for proxies, and this is none.');
  return problem('rest_bad_request', 'The request is not valid HTTP.');
}

export const UNAUTHENTICATED = {
  missing: 'Consumer key or secret is missing.',
  key_invalid: 'Consumer key is invalid.',
  secret_invalid: 'Consumer secret is invalid.',
} as const;

/** The only place that knows which status, code and words a refusal has. */
export function problemOf(refusal: Refusal): HttpProblem {
  switch (refusal.reason) {
    case 'license_not_found':
      if (typeof refusal.named !== 'string')
        return dataError(404, `The license ${refusal.named.id} could not be found.`);
      return guessed(
        'license_key',
        dataError(404, `The license key "${refusal.named}" could not be found.`, { code: 404 }),
      );
    case 'license_key_exists':
      return dataError(409, `The license key "${refusal.named}" already exists.`, { code: 409 });
    case 'license_expired':
      return problem('license_expired', 'The license has expired.');
    case 'license_disabled':
      return problem('license_disabled', 'The license is disabled.');
    case 'activation_limit_reached':
      return problem(
        'license_activation_limit_reached',
        `The license has reached its limit of ${refusal.limit} activations.`,
      );
    case 'activation_not_found':
      return guessed('token', dataError(404, `The activation token "${refusal.named}" could not be found.`));
    case 'activation_deactivated':
      return dataError(404, 'The activation is deactivated.');
    case 'activation_already_active':
      return dataError(404, 'The activation is already active.');
    case 'activation_already_deactivated':
      return dataError(404, 'The activation is already deactivated.');
    case 'activation_of_another_license':
      return dataError(404, 'The activation token belongs to another license.');
    case 'generator_not_found':
      return dataError(404, `The generator "${refusal.named}" could not be found.`, { code: 404 });
    case 'keys_exhausted':
      return invalid({ amount: exhausted(refusal.amount, refusal.available) });
    case 'software_not_found':
      return dataError(404, `The software "${refusal.named}" could not be found.`);
    case 'software_slug_exists':
      return dataError(409, `Software with the slug "${refusal.named}" already exists.`, { code: 409 });
    case 'software_not_covered':
      return dataError(404, 'The license does not cover this software.');
    case 'software_of_other_products':
      return problem('permission_denied', 'The software belongs to products that the API key is not for.');
    case 'release_not_found':
      return dataError(404, `The release "${refusal.named}" could not be found.`);
    case 'release_version_exists':
      return dataError(409, `Version ${refusal.named} of this software already exists.`, { code: 409 });
    case 'download_not_found':
      return guessed('token', dataError(404, 'There is no download for this token.'));
    case 'download_denied':
      return problem('permission_denied', DENIALS[refusal.why]);
    case 'products_only':
      return problem(
        'permission_denied',
        'The API key is limited to products, and generators belong to none.',
      );
    case 'audit_of_all_products':
      return problem(
        'permission_denied',
        'The API key is limited to products, and the audit trail tells of all of them.',
      );
    case 'invalid':
      return invalid(refusal.params);
    case 'user_not_found':
      return dataError(404, `The user "${refusal.named}" could not be found.`);
    case 'user_email_exists':
      return dataError(409, `A user with the address "${refusal.named}" already exists.`, {
        params: { email: 'belongs to another user.' },
      });
    case 'user_disabled':
      return dataError(409, `${refusal.named} is disabled.`);
    case 'user_changed_meanwhile':
      return dataError(409, 'This was changed meanwhile, elsewhere. Try again.');
    case 'last_owner':
      return dataError(
        409,
        `${refusal.named} is the last owner who can sign in: make another user an owner first.`,
      );
    case 'sign_in_refused':
      return problem('authentication_error', 'The address or the password is wrong.');
    case 'second_factor_expired':
      return problem(
        'authentication_error',
        'It took too long, or too many codes were wrong. Sign in again.',
      );
    case 'too_many_codes':
      return problem(
        'rest_too_many_requests',
        'Too many codes were wrong. Wait five minutes, or use a recovery code.',
      );
    case 'session_not_found':
      return dataError(404, `The session "${refusal.named}" could not be found.`);
    case 'invitation_not_found':
      return dataError(404, 'The link is not good, or not any more: it works once, and for a time.');
    case 'totp_is_on':
      return dataError(409, 'The second factor is on already.');
    case 'totp_is_off':
      return dataError(409, 'The second factor is off.');
    case 'staged_keys_exist':
    case 'too_many_keys_at_once':
      return unavailable();
    case 'api_key_not_found':
      return dataError(404, `The API key "${refusal.named}" could not be found.`);
    case 'api_key_revoked':
      return dataError(409, `API key ${refusal.id} is revoked already, since ${refusal.since} UTC.`);
    case 'api_key_expired':
      return dataError(409, `API key ${refusal.id} has expired already, at ${refusal.since} UTC.`);
    case 'api_key_replaced':
      return dataError(409, `API key ${refusal.id} was replaced by ${refusal.by} already: rotate that one.`);
    case 'api_key_of_settings':
      return dataError(
        409,
        `API key ${refusal.id} is that of LATCHKEY_CONSUMER_KEY: the settings give it every right.`,
      );
    case 'api_key_exists':
      // No route asks for these.
      return problem('server_error', FAILED);
  }
}

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

const exhausted = (amount: number, available: number | null): string =>
  available === null
    ? `is too many: the generator has too few free keys left to find ${amount}.`
    : `is too many: the generator has ${available} free keys left, not ${amount}.`;

/** 422 with what is wrong by parameter. */
export function invalid(params: InvalidParams): HttpProblem {
  return dataError(422, inSentences(params), { params });
}

/** The value of an outcome; a refusal is thrown as the answer it is on the wire. */
export function unwrap<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value;
  throw problemOf(outcome.refusal);
}
