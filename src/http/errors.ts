import { type Coded, coded, type None, type ProblemArgs, type Said } from '../domain/problem.ts';
import {
  invalid as invalidRefusal,
  type Outcome,
  type Refusal,
  type RefusalArgs,
} from '../domain/refusal.ts';

/** The refusals of requests, by code: they precede commands and rules. Each dialect has its own words. */
export interface RequestRefusalArgs {
  credentials_missing: None;
  key_invalid: None;
  secret_invalid: None;
  no_permission: { access: 'read' | 'write' };
  endpoint_not_allowed: { endpoint: string };
  sign_in_needed: None;
  role_not_allowed: { role: string };
  password_needed: None;
  other_site: None;
  other_origin: None;
  csrf_missing: None;
  csrf_wrong: None;
  too_many_requests: { seconds: number };
  no_route: None;
  bad_request: None;
  /** A request that is not valid HTTP. */
  not_http: None;
  no_host: None;
  no_proxy: None;
  too_many_parameters: { parameters: number; list: number; levels: number };
  request_timeout: None;
  headers_too_large: None;
  invalid_json: None;
  invalid_multipart: None;
  /** The limit is null if the framework refused the body. */
  body_too_large: { max: number | null };
  fields_too_large: { max: number };
  too_many_parts: { files: number; parts: number };
  file_too_large: { max: number };
  /** The types that the body may have; null if the framework refused it. */
  unsupported_type: { types: string | null };
  compressed: None;
  precondition_failed: None;
  range_not_satisfiable: { size: number };
  unavailable: None;
  failed: None;
}
export type RequestRefusal = Coded<RequestRefusalArgs>;
export type AnyRefusalArgs = RefusalArgs & RequestRefusalArgs;
export type AnyRefusal = Refusal | RequestRefusal;

/** Refuses a request. The dialect of the request has the words. */
export class HttpProblem extends Error {
  readonly refusal: AnyRefusal;
  constructor(refusal: AnyRefusal) {
    super(refusal.code);
    this.refusal = refusal;
  }
}

export const refuse = (...refusal: Said<AnyRefusalArgs>): HttpProblem =>
  new HttpProblem(coded(refusal) as AnyRefusal);

/** Refuses one value, with 422. */
export const invalid = (field: string, ...problem: Said<ProblemArgs>): HttpProblem =>
  new HttpProblem(invalidRefusal(field, ...problem).refusal);

/** Returns the value of an outcome. @throws HttpProblem for a refusal */
export function unwrap<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value;
  throw new HttpProblem(outcome.refusal);
}

/** The answer of a dialect to a refusal. */
export interface Answer {
  status: number;
  body: object;
}

/** A wire dialect: the errors of the routes below a path. */
export interface Dialect {
  /** The path of its routes. */
  prefix: string;
  answerOf(refusal: AnyRefusal): Answer;
}

/** An error that has an answer already. */
export class OwnAnswer extends Error {
  readonly answer: Answer;
  constructor(answer: Answer) {
    super('an answer of a dialect');
    this.answer = answer;
  }
}

/** @param code of the error that Node's HTTP parser gave, or CONNECT */
export function malformed(code?: string): HttpProblem {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return refuse('request_timeout');
  if (code === 'HPE_HEADER_OVERFLOW') return refuse('headers_too_large');
  return refuse(code === 'CONNECT' ? 'no_proxy' : 'not_http');
}

/** The secrets that a refused request may have guessed. */
export type Guess = 'credentials' | 'license_key' | 'token';

const GUESSES: Partial<Record<AnyRefusal['code'], Guess>> = {
  key_invalid: 'credentials',
  secret_invalid: 'credentials',
  activation_not_found: 'token',
  download_not_found: 'token',
};

/** Returns the secret that the refused request may have guessed, or null. */
export function guessOf(refusal: AnyRefusal): Guess | null {
  if (refusal.code === 'license_not_found')
    return typeof refusal.args.named === 'string' ? 'license_key' : null;
  return GUESSES[refusal.code] ?? null;
}
