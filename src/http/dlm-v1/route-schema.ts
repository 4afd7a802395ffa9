import Type, { type TSchema } from 'typebox';
import { LICENSE_KEY, TOKEN } from '../../domain/example-records.ts';
import { paramsIn, type Route } from '../call.ts';
import { ANY_HEADERS, capitalized, RETRY_HEADERS } from '../docs/components.ts';
import { examplesOf } from './answer-examples.ts';
import {
  ERROR_EXAMPLES,
  type ErrorExample,
  OUTSIDE_EXAMPLES,
  type OutsideExample,
} from './error-examples.ts';
import { ERROR_MEANINGS } from './error-meanings.ts';
import type { ErrorBody } from './errors.ts';
import { success } from './present.ts';
import { Nothing } from './schemas.ts';

const Failure = Type.Object(
  {
    code: Type.String(),
    message: Type.String({ description: 'In English' }),
    data: Type.Object({
      status: Type.Integer({ description: 'The HTTP status' }),
      code: Type.Optional(Type.Integer({ description: 'The status again, in some errors' })),
      params: Type.Optional(
        Type.Record(Type.String(), Type.String(), { description: 'The problem of each parameter' }),
      ),
    }),
  },
  { title: 'Error' },
);

const FAILURE_HEADERS: Record<number, Record<string, TSchema>> = {
  401: { ...ANY_HEADERS, 'WWW-Authenticate': Type.String() },
  429: {
    ...RETRY_HEADERS,
    RateLimit: Type.String({
      description: 'The requests left of each limit (draft-ietf-httpapi-ratelimit-headers)',
    }),
    'RateLimit-Policy': Type.String({
      description: 'The limits: "address", "key", "failures" or "license-keys"',
    }),
  },
  503: RETRY_HEADERS,
};

/** The errors of every route. */
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
    description: 'The requested range of the file',
    headers: { ...FILE_HEADERS, 'Content-Range': Type.String() },
    content: bytes,
  },
  302: {
    description: 'The file is at another address for a short time',
    headers: { ...ANY_HEADERS, Location: Type.String() },
    type: 'null',
  },
  304: { description: 'The client has it already (If-None-Match)', headers: ANY_HEADERS, type: 'null' },
};
const TEXT_ANSWERS = {
  200: {
    description: 'The file',
    headers: { ...ANY_HEADERS, 'Content-Disposition': Type.String() },
    content: { 'text/plain': { schema: { type: 'string' } } },
  },
};
const FORMS = ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data'];

const PARAMS: Record<string, { description: string; examples: unknown[] }> = {
  license_key: {
    description: 'The key, or hashed-{hash}, which needs the endpoint licenses.inspect',
    examples: [LICENSE_KEY],
  },
  activation_token: { description: 'The token of an activation', examples: [TOKEN] },
  token: { description: 'A download token or an activation token', examples: [TOKEN] },
};
const ID = { description: 'The id, an integer', examples: ['1'] };

/** What the API document says about a route, besides its input and its data. */
export interface Documentation {
  /** The name of the call in generated clients. Further methods that do the same append `With` and the method. */
  operationId: string;
  /** Parameters that the examples of the request send, in its query or body. */
  sends?: Record<string, unknown>;
  /** Example data of answers, by name; by default the examples of the schema. */
  answers?: Record<string, unknown>;
  errors: readonly ErrorExample[];
  headers?: Record<string, TSchema>;
}
type Documented = Documentation & Route<TSchema | FileKind, unknown>;

/** `file`: bytes, whole or in ranges. `text`: a short text. */
export type FileKind = 'file' | 'text';

/** Returns the schema of a route, from which the API document is generated. */
export function routeSchema(
  tag: string,
  url: string,
  { data = Nothing, input, sends = {}, answers, errors, headers, ...about }: Documented,
) {
  const params = paramsIn(url).map((name) => [name, Type.String(PARAMS[name] ?? ID)]);
  const Success = Type.Object({ success: Type.Literal(true), data });
  const { body, querystring } = input?.schema ?? {};
  return {
    ...about,
    tags: [tag],
    ...(params.length > 0 && { params: Type.Object(Object.fromEntries(params)) }),
    ...(querystring && { querystring: withExamples(querystring, sends) }),
    ...(body && { body: { title: capitalized(about.operationId), ...body, examples: [sends] } }),
    ...(body && { consumes: FORMS }),
    response: {
      ...(data === 'file'
        ? FILE_ANSWERS
        : data === 'text'
          ? TEXT_ANSWERS
          : {
              200: {
                description: 'Success',
                headers: { ...ANY_HEADERS, ...headers },
                ...Success,
                'x-examples': valuesOf(answers ?? examplesOf(data)),
              },
            }),
      ...failuresByStatus([...errors, ...(body ? WITH_BODY : []), ...ALWAYS]),
    },
  };
}

/** Sets the example of each property that is sent, and removes the examples of all other properties. */
const withExamples = ({ properties, ...schema }: Record<string, unknown>, sent: Record<string, unknown>) => ({
  ...schema,
  properties: Object.fromEntries(
    Object.entries(properties as Record<string, Record<string, unknown>>).map(
      ([name, { examples: _, ...property }]) => [
        name,
        name in sent ? { ...property, examples: [sent[name]] } : property,
      ],
    ),
  ),
});

const valuesOf = (answers: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(answers).map(([name, data]) => [name, { value: success(data) }]));

const documented = (name: keyof typeof ERROR_MEANINGS, value: ErrorBody) => {
  const { means, advice } = ERROR_MEANINGS[name];
  return { summary: means, description: advice, value };
};

/** The answers to requests that reach no route. */
export const OUTSIDE_ROUTES = Object.fromEntries(
  (Object.keys(OUTSIDE_EXAMPLES) as OutsideExample[]).map((name) => {
    const value = OUTSIDE_EXAMPLES[name];
    const examples = { [name]: documented(name, value) };
    const description = `${value.data.status} ${value.code}`;
    return [
      name,
      {
        description,
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' }, examples } },
      },
    ];
  }),
);

function failuresByStatus(names: readonly ErrorExample[]): Record<string, unknown> {
  const statuses = Map.groupBy(names, (name) => ERROR_EXAMPLES[name].data.status);
  return Object.fromEntries(
    Array.from(statuses, ([status, some]) => {
      const examples = Object.fromEntries(some.map((name) => [name, documented(name, ERROR_EXAMPLES[name])]));
      const description = [...new Set(some.map((name) => ERROR_EXAMPLES[name].code))].join(', ');
      const content = { 'application/json': { schema: Failure, examples } };
      return [status, { description, headers: FAILURE_HEADERS[status] ?? ANY_HEADERS, content }];
    }),
  );
}
