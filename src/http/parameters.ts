import type { FastifyRequest } from 'fastify';
import qs from 'qs';
import { refuse } from './errors.ts';

export type Parameters = Record<string, unknown>;

/** Never parameters, wherever they stand. */
const CREDENTIALS = ['consumer_key', 'consumer_secret'];
/** A value that is text nowhere; it stands for bytes that are no UTF-8, so that the field they are for refuses them. */
const NO_TEXT = '\ud800';

/** As PHP has them; parameters are ten times as many here, for forms that repeat a whole record. */
const LIMITS = { depth: 64, arrayLimit: 1_000, parameterLimit: 10_000 };
/** Marks a query string or a form that passes a limit, so that it is refused where its parameters are wanted. */
const PASSES_LIMIT = Symbol('passes a limit');

/** Reads a query string or a form, with PHP's brackets for nesting; of a repeated name the last counts, as in PHP. */
export function parseForm(text: string): Parameters {
  if (text === '') return Object.create(null);
  try {
    return qs.parse(text, {
      ...LIMITS,
      strictDepth: true,
      throwOnLimitExceeded: true,
      plainObjects: true,
      duplicates: 'last',
      decoder: (part) => decode(part),
    });
  } catch {
    return { [PASSES_LIMIT]: true } as Parameters;
  }
}

function decode(part: string): string {
  if (!/[%+]/.test(part)) return part;
  const spaced = part.replaceAll('+', ' ');
  try {
    return decodeURIComponent(spaced);
  } catch {
    return /%(?![0-9a-f]{2})/i.test(spaced) ? spaced : NO_TEXT;
  }
}

/** The parameters of a request: the union of query string and body, where the body wins. */
export function parametersOf(request: FastifyRequest): Parameters {
  const parameters = Object.assign(Object.create(null), request.query, request.body) as Parameters;
  if (PASSES_LIMIT in parameters) {
    const { depth: levels, arrayLimit: list, parameterLimit: parameters } = LIMITS;
    throw refuse('too_many_parameters', { parameters, list, levels });
  }
  for (const name of CREDENTIALS) delete parameters[name];
  return parameters;
}
