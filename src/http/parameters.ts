import type { FastifyRequest } from 'fastify';
import qs from 'qs';

export type Parameters = Record<string, unknown>;

/** Never parameters, wherever they stand. */
const CREDENTIALS = ['consumer_key', 'consumer_secret'];
/** A value that is text nowhere; it stands for bytes that are no UTF-8, so that the field they are for refuses them. */
const NO_TEXT = '\ud800';

/** Values in a list; PHP has the same limit for a whole form. */
const LIST_MAX = 1000;

/** Reads a query string or a form, with PHP's brackets for nesting; of a repeated name the last counts, as in PHP. */
export function parseForm(text: string): Parameters {
  return qs.parse(text, {
    plainObjects: true,
    duplicates: 'last',
    arrayLimit: LIST_MAX,
    decoder: (part) => decode(part),
  });
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
  for (const name of CREDENTIALS) delete parameters[name];
  return parameters;
}
