import type { FastifyRequest } from 'fastify';
import { coded, type ProblemArgs, type Said } from '../domain/problem.ts';
import { invalid as invalidRefusal, type Outcome } from '../domain/refusal.ts';
import type { AnyRefusal, AnyRefusalArgs } from './refusals.ts';

/** The refusal of a request. The dialect of the request puts it into words. */
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
  /** The media type; `application/json` by default. */
  type?: string;
  headers?: Readonly<Record<string, string>>;
}

/** A wire dialect: the errors of the routes below a path. */
export interface Dialect {
  /** The path of its routes. */
  prefix: string;
  /** @param request absent for an example of the API document, and if the request never reached the framework */
  answerOf(refusal: AnyRefusal, request?: FastifyRequest): Answer;
}

/** Returns the refusal of a malformed request. @param code the error code of Node's HTTP parser, or CONNECT */
export function malformed(code?: string): HttpProblem {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return refuse('request_timeout');
  if (code === 'HPE_HEADER_OVERFLOW') return refuse('headers_too_large');
  // The parser takes a space for the end of the address, and finds a constant other than HTTP after it.
  if (code === 'HPE_INVALID_URL' || code === 'HPE_INVALID_CONSTANT') return refuse('not_encoded');
  return refuse(code === 'CONNECT' ? 'no_proxy' : 'not_http');
}

/** The secrets that a refused request may have guessed. */
export type Guess = 'credentials' | 'license_key' | 'token';

/** Returns the secret that the refused request may have guessed, or null. */
export function guessOf({ code, args }: AnyRefusal): Guess | null {
  switch (code) {
    case 'key_invalid':
    case 'secret_invalid':
      return 'credentials';
    case 'bearer_token_refused':
      return args.sent ? 'credentials' : null;
    case 'download_not_found':
      return 'token';
    case 'record_not_found':
      if (args.kind === 'activation') return 'token';
      return args.kind === 'license' && typeof args.named === 'string' ? 'license_key' : null;
    default:
      return null;
  }
}
