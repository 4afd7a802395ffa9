import Type, { type TProperties, type TSchema } from 'typebox';
import { ERROR_EXAMPLES, type ErrorExample } from './error-examples.ts';

/** What the API document says of routes; of requests, made from the fields of the domain. */

const Failure = Type.Object({
  code: Type.String(),
  message: Type.String(),
  data: Type.Object({
    status: Type.Integer(),
    code: Type.Optional(Type.Integer()),
    params: Type.Optional(
      Type.Record(Type.String(), Type.String(), { description: 'What is wrong, by parameter' }),
    ),
  }),
});

const success = (data: TSchema) => Type.Object({ success: Type.Literal(true), data });

interface RouteDocs {
  summary: string;
  description?: string;
  tags: string[];
  /** What it answers; several where that depends on what was sent. 'file' for the bytes of one. */
  data: TSchema | 'file';
  errors: readonly ErrorExample[];
  headers?: Record<string, TSchema>;
  path?: TProperties;
  query?: Record<string, unknown>;
  body?: Record<string, unknown>;
}

const ANY_HEADERS = { 'X-Request-Id': Type.String({ description: 'The same id stands in the log' }) };
const retryAfter = { ...ANY_HEADERS, 'Retry-After': Type.Integer({ description: 'Seconds' }) };
const FAILURE_HEADERS: Record<number, Record<string, TSchema>> = {
  401: { ...ANY_HEADERS, 'WWW-Authenticate': Type.String() },
  429: {
    ...retryAfter,
    RateLimit: Type.String({
      description: 'What is left of each limit (draft-ietf-httpapi-ratelimit-headers)',
    }),
    'RateLimit-Policy': Type.String({ description: 'The limits: "address", "key" or "failures"' }),
  },
  503: retryAfter,
};

/** What can be refused on every route. */
const ALWAYS: readonly ErrorExample[] = [
  'credentials_missing',
  'key_invalid',
  'secret_invalid',
  'no_permission',
  'endpoint_not_allowed',
  'too_many_requests',
  'server_error',
  'unavailable',
];
const WITH_BODY: readonly ErrorExample[] = [
  'invalid_json',
  'invalid_body',
  'content_too_large',
  'unsupported_media_type',
];
const bytes = { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } };
const FILE_HEADERS = {
  ...ANY_HEADERS,
  ETag: Type.String(),
  'Content-Disposition': Type.String(),
  'Accept-Ranges': Type.String(),
  'Repr-Digest': Type.String({ description: 'SHA-256 of the whole file (RFC 9530)' }),
};
const FILE_ANSWERS = {
  200: { description: 'The file', headers: FILE_HEADERS, content: bytes },
  206: {
    description: 'The range of it that was asked for',
    headers: { ...FILE_HEADERS, 'Content-Range': Type.String() },
    content: bytes,
  },
  302: {
    description: 'The file is at another address, for a short time',
    headers: { ...ANY_HEADERS, Location: Type.String() },
    type: 'null',
  },
  304: { description: 'The client has it already (If-None-Match)', headers: ANY_HEADERS, type: 'null' },
};
const FORMS = ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data'];

/** The schema of a route: what it takes, what it answers, and each error with an example. */
export function routeSchema({
  summary,
  description,
  tags,
  data,
  errors,
  headers,
  path,
  query,
  body,
}: RouteDocs) {
  const failures = [...errors, ...(body ? WITH_BODY : []), ...ALWAYS];
  const answers =
    data === 'file'
      ? FILE_ANSWERS
      : { 200: { description: 'Success', headers: { ...ANY_HEADERS, ...headers }, ...success(data) } };
  return {
    summary,
    ...(description && { description }),
    tags,
    ...(path && { params: Type.Object(path) }),
    ...(query && { querystring: query }),
    ...(body && { body, consumes: FORMS }),
    response: {
      ...answers,
      ...failuresByStatus(failures),
    },
  };
}

function failuresByStatus(names: readonly ErrorExample[]): Record<string, unknown> {
  const statuses = Map.groupBy(names, (name) => ERROR_EXAMPLES[name].data.status);
  return Object.fromEntries(
    Array.from(statuses, ([status, some]) => {
      const examples = Object.fromEntries(some.map((name) => [name, { value: ERROR_EXAMPLES[name] }]));
      const description = [...new Set(some.map((name) => ERROR_EXAMPLES[name].code))].join(', ');
      const content = { 'application/json': { schema: Failure, examples } };
      return [status, { description, headers: FAILURE_HEADERS[status] ?? ANY_HEADERS, content }];
    }),
  );
}

/** The same with a file, that a form brings. */
export function withFile(schema: Record<string, unknown>): Record<string, unknown> {
  const file = { type: 'string', format: 'binary', description: 'In multipart/form-data, up to 2 GiB' };
  return { ...schema, properties: { ...(schema.properties as object), file } };
}
