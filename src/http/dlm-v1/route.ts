import type { FastifyInstance, HTTPMethods, RouteOptions } from 'fastify';
import Type, { type TSchema } from 'typebox';
import type { Endpoint } from '../../domain/api-key.ts';
import type { Shape } from '../../domain/fields.ts';
import { actorOf } from '../authentication.ts';
import { ignoreBody } from '../body.ts';
import { Call, paramsIn, type Route } from '../call.ts';
import { examplesOf, LICENSE_KEY, TOKEN } from './answer-examples.ts';
import { ERROR_EXAMPLES, type ErrorExample } from './error-examples.ts';
import { ERROR_MEANINGS } from './error-meanings.ts';
import { addPagingHeaders, type PagedInput, type Paging, pagedInput } from './paging.ts';
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

/** A route of the v1 API. Without `data`, it answers an empty list. */
interface V1Route<Path extends string, Data extends TSchema | 'file', T> extends Route<Path, Data, T> {
  /** The name of the call in generated clients. Other methods that do the same get `With` and the method behind it. */
  operationId: string;
  /** Parameters that the examples of the request send, in its query or body. */
  sends?: Record<string, unknown>;
  /** Data of answers, by name, if not the examples of the schema. */
  answers?: Record<string, unknown>;
  /** The endpoint that the API key must be allowed to call. Without it, the handler checks `requireEndpoint`. */
  endpoint?: Endpoint;
  /** The permission of the API key, if it does not follow from the method. */
  access?: 'read';
  /** The route changes something even with GET, so it has no HEAD. */
  changes?: true;
  errors: readonly ErrorExample[];
  headers?: Record<string, TSchema>;
}

/** A route that lists records by pages. */
interface V1List<Path extends string, S extends Shape, Item, Schema extends TSchema> {
  operationId: string;
  sends?: Record<string, unknown>;
  summary: string;
  description?: string;
  endpoint: Endpoint;
  paging: Paging;
  filter?: S;
  record: Schema;
  errors?: readonly ErrorExample[];
  find(call: Call<Path, PagedInput<S>>): Promise<{ items: Item[]; total?: number; more?: boolean }>;
  present(item: Item, call: Call<Path, PagedInput<S>>): unknown;
}

/** The description of most updates. */
export const UPDATING =
  'Changes the values that are sent. Null or an empty value clears a value, if it can be cleared.';

/** Adds routes to the v1 API, all with one tag. Answers get the envelope. */
export function v1Router(app: FastifyInstance, tag: string) {
  const operationIds = new Set<string>();
  function operationIdOf(named: string, method: string): string {
    const id = operationIds.has(named) ? `${named}With${capitalized(method.toLowerCase())}` : named;
    operationIds.add(id);
    return id;
  }
  function add<Path extends string, T, Data extends TSchema | 'file' = never>(
    method: HTTPMethods,
    url: Path,
    { endpoint, access, changes, upload, handler, ...docs }: V1Route<Path, Data, T>,
  ): void {
    const route = {
      url,
      config: { ...(endpoint && { endpoint }), ...(access && { access }), ...(upload && { upload }) },
      async handler(request, reply) {
        const answer = await handler(new Call(request, reply, docs.input, actorOf));
        if (!docs.data) return success([]);
        // A handler that returns the reply has sent it: a reply is a promise, and resolves to undefined.
        return answer === undefined ? undefined : success(answer);
      },
    } satisfies Partial<RouteOptions>;
    const hasOwnHead = docs.data === 'file';
    app.route({
      ...route,
      method,
      exposeHeadRoute: !changes && !hasOwnHead,
      ...(changes && { preHandler: ignoreBody }),
      schema: {
        ...routeSchema(tag, url, docs),
        operationId: operationIdOf(docs.operationId, `${method}`),
      },
    });
    // The HEAD route of the framework would set the size of an empty body.
    if (hasOwnHead) app.route({ ...route, method: 'HEAD', schema: { hide: true } });
  }
  const adder =
    (...methods: HTTPMethods[]) =>
    <Path extends string, T = unknown, Data extends TSchema | 'file' = never>(
      url: Path,
      route: V1Route<Path, Data, T>,
    ): void => {
      for (const method of methods) add(method, url, route);
    };
  const get = adder('GET');
  return {
    get,
    post: adder('POST'),
    update: adder('PUT', 'PATCH', 'POST'),
    delete: adder('DELETE'),
    list<Path extends string, Item, Schema extends TSchema, S extends Shape = Record<never, never>>(
      url: Path,
      { paging, filter, record, errors = [], find, present, ...about }: V1List<Path, S, Item, Schema>,
    ): void {
      const description = [about.description, paging.description].filter(Boolean).join(' ');
      get(url, {
        ...about,
        ...(description && { description }),
        input: pagedInput(paging, filter),
        data: Type.Array(Type.Unsafe<unknown>(record)),
        headers: paging.headers,
        errors: [...errors, 'invalid_paging', ...(filter ? (['invalid_values'] as const) : [])],
        async handler(call) {
          const found = await find(call);
          addPagingHeaders(call, call.input.page, found);
          return found.items.map((item) => present(item, call));
        },
      });
    },
  };
}

const ANY_HEADERS = { 'X-Request-Id': Type.String({ description: 'The id of the request in the log' }) };
const retryAfter = { ...ANY_HEADERS, 'Retry-After': Type.Integer({ description: 'Seconds' }) };
const FAILURE_HEADERS: Record<number, Record<string, TSchema>> = {
  401: { ...ANY_HEADERS, 'WWW-Authenticate': Type.String() },
  429: {
    ...retryAfter,
    RateLimit: Type.String({
      description: 'The requests left of each limit (draft-ietf-httpapi-ratelimit-headers)',
    }),
    'RateLimit-Policy': Type.String({
      description: 'The limits: "address", "key", "failures" or "license-keys"',
    }),
  },
  503: retryAfter,
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
const FORMS = ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data'];

const PARAMS: Record<string, { description: string; examples: unknown[] }> = {
  license_key: {
    description: 'The key, or hashed-{hash}, which needs the permission licenses.inspect',
    examples: [LICENSE_KEY],
  },
  activation_token: { description: 'The token of an activation', examples: [TOKEN] },
  token: { description: 'A download token or an activation token', examples: [TOKEN] },
};
const ID = { description: 'The id, an integer', examples: ['1'] };

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

type Documented = Omit<V1Route<string, TSchema | 'file', unknown>, 'handler' | 'data'> & {
  data?: TSchema | 'file';
};

function routeSchema(
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

/** Gives the properties that an example has a value for this value, and the others none. */
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

function failuresByStatus(names: readonly ErrorExample[]): Record<string, unknown> {
  const statuses = Map.groupBy(names, (name) => ERROR_EXAMPLES[name].data.status);
  return Object.fromEntries(
    Array.from(statuses, ([status, some]) => {
      const examples = Object.fromEntries(
        some.map((name) => {
          const { means, advice } = ERROR_MEANINGS[name];
          return [name, { summary: means, description: advice, value: ERROR_EXAMPLES[name] }];
        }),
      );
      const description = [...new Set(some.map((name) => ERROR_EXAMPLES[name].code))].join(', ');
      const content = { 'application/json': { schema: Failure, examples } };
      return [status, { description, headers: FAILURE_HEADERS[status] ?? ANY_HEADERS, content }];
    }),
  );
}
