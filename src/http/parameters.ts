import type { FastifyRequest } from 'fastify';
import qs from 'qs';
import { refuse } from './errors.ts';

export type Parameters = Record<string, unknown>;

/** Credentials are not parameters. */
const CREDENTIALS = ['consumer_key', 'consumer_secret'];
/** Replaces bytes that are not UTF-8. Every field refuses this text. */
const NO_TEXT = '\ud800';

/** PHP's limits, but ten times as many parameters, for forms that repeat a whole record. */
const LIMITS = { depth: 64, arrayLimit: 1_000, parameterLimit: 10_000 };
const OPTIONS = {
  ...LIMITS,
  strictDepth: true,
  throwOnLimitExceeded: true,
  plainObjects: true,
  allowSparse: true,
  duplicates: 'last' as const,
  decoder: (part: string) => decode(part),
};
/** Limits of all names of a text together. */
interface Sums {
  /** Each level is an object, so more would hold up all other requests. */
  levels: number;
  /** An index takes as much memory as a list of that length, even if the rest of the list is empty. */
  indexes: number;
}
/** Enough for two lists of 1,000 values with an index each. */
const FORM_SUMS: Sums = { levels: 20_000, indexes: 1_000_000 };
/**
 * Limits of a query string: anybody may send one, and it is kept while the body arrives. Parsing 10,000 parameters takes a
 * tenth of a second.
 */
const QUERY_PARAMETERS_MAX = 2_000;
const QUERY_SUMS: Sums = { levels: 1_000, indexes: 20_000 };
/** V8 may give an object with a lower number as a name a list of that length. A higher one takes the memory of any name. */
const LISTED_MAX = 5_000;
/** Matches an index of a list, whose characters may be encoded. */
const INDEX = /(?:\[|%5b)((?:\d|%3\d){1,9})(?:\]|%5d)/gi;
/** Holds the most levels in all if a query string or form exceeds a limit. It is refused when its parameters are read. */
const EXCEEDS_LIMIT = Symbol('exceeds a limit');

/** Parses a query string or form. As in PHP, brackets nest and the last value of a repeated name counts. */
export function parseForm(text: string, most = FORM_SUMS): Parameters {
  if (text === '') return Object.create(null);
  const names = namesIn(text);
  const levels = names.split(/\[|%5b/i, most.levels + 2).length - 1;
  if (levels > most.levels || sumOfIndexes(names) > most.indexes) return exceeding(most);
  try {
    return withoutHoles(qs.parse(text, OPTIONS));
  } catch {
    return parseWithNumericNames(text) ?? exceeding(most);
  }
}

/** Returns the names of the parameters, as qs finds them. Brackets in values, such as those of JSON, are no levels. */
const namesIn = (text: string): string =>
  text
    .split('&', LIMITS.parameterLimit)
    .map((part) => /^.*?(?:\]|%5d)=|^[^=]*/is.exec(part)?.[0])
    .join('&');

/** Returns the sum of all indexes, and of the numbers that are names of an object but take the memory of an index. */
function sumOfIndexes(text: string): number {
  let sum = 0;
  for (const [, digits = ''] of text.matchAll(INDEX)) {
    const index = Number(decode(digits));
    if (index < LISTED_MAX) sum += index;
  }
  return sum;
}

/**
 * Parses a form that may contain names such as `meta[1234]`, which qs takes for places beyond the end of a list. They are
 * names of an object instead.
 */
function parseWithNumericNames(text: string): Parameters | null {
  try {
    // Check all limits except the one on indexes. Then parse again: indexes of 1,000 or more become names of an object.
    qs.parse(text, { ...OPTIONS, parseArrays: false });
    return withoutHoles(qs.parse(text, { ...OPTIONS, throwOnLimitExceeded: false }));
  } catch {
    return null;
  }
}

/**
 * Replaces lists with holes. In metadata the numbers are names (`meta[5]=a`), so the list becomes an object. Other lists keep
 * their values and lose the holes.
 */
function withoutHoles(parameters: Parameters): Parameters {
  for (const [name, value] of Object.entries(parameters)) {
    const isList = Array.isArray(value) && name !== 'meta';
    parameters[name] = named(isList ? Object.values(value) : value);
  }
  return parameters;
}

/** Replaces lists with holes by objects, at all levels. */
function named(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const all = Object.entries(value);
  for (const [name, one] of all) (value as Parameters)[name] = named(one);
  return Array.isArray(value) && all.length < value.length ? { ...value } : value;
}

/**
 * Returns the parameters of the query string. It is parsed when they are first needed: most requests that are refused, and
 * those of `/client/v1`, never need them.
 */
export function queryOf(request: FastifyRequest): Parameters {
  if (typeof request.query === 'string') request.query = parseQuery(request.query);
  return request.query as Parameters;
}

/** Parses a query string. One that exceeds a limit keeps its credentials: it is refused for the limit, not with 401. */
function parseQuery(text: string): Parameters {
  const isLong = text.split('&', QUERY_PARAMETERS_MAX + 1).length > QUERY_PARAMETERS_MAX;
  const parameters = isLong ? exceeding(QUERY_SUMS) : parseForm(text, QUERY_SUMS);
  if (!(EXCEEDS_LIMIT in parameters)) return parameters;
  const named = text.split('&').filter((part) => part.startsWith('consumer_'));
  const sent = new URLSearchParams(named.join('&'));
  for (const name of CREDENTIALS) parameters[name] = sent.getAll(name).at(-1);
  return parameters;
}

const exceeding = ({ levels }: Sums) => ({ [EXCEEDS_LIMIT]: levels }) as Parameters;

function decode(part: string): string {
  if (!/[%+]/.test(part)) return part;
  const spaced = part.includes('+') ? withSpaces(part) : part;
  try {
    return decodeURIComponent(spaced);
  } catch {
    return /%(?![0-9a-f]{2})/i.test(spaced) ? spaced : NO_TEXT;
  }
}

/** Replaces each "+" by a space. For a megabyte of them, `replaceAll` takes 0.1 s. */
function withSpaces(part: string): string {
  const bytes = Buffer.from(part);
  for (let at = 0; at < bytes.length; at++) if (bytes[at] === 0x2b) bytes[at] = 0x20;
  return bytes.toString();
}

/** Returns the parameters of query string and body; parameters in the body take precedence. */
export function parametersOf(request: FastifyRequest): Parameters {
  const parameters = Object.assign(Object.create(null), queryOf(request), request.body) as Parameters;
  if (EXCEEDS_LIMIT in parameters) {
    const { depth: levels, arrayLimit: list, parameterLimit } = LIMITS;
    const allLevels = Number(parameters[EXCEEDS_LIMIT]);
    const inQuery = QUERY_PARAMETERS_MAX;
    throw refuse('too_many_parameters', { parameters: parameterLimit, inQuery, list, levels, allLevels });
  }
  for (const name of CREDENTIALS) delete parameters[name];
  return parameters;
}
