import type { FastifyInstance, FastifyReply, HTTPMethods, RouteOptions } from 'fastify';
import Type, { type Static, type TSchema } from 'typebox';
import type { Endpoint } from '../../domain/api-key.ts';
import type { Shape } from '../../domain/fields.ts';
import { actorOf } from '../authentication.ts';
import { ignoreBody } from '../body.ts';
import { Call, type Route } from '../call.ts';
import { capitalized } from '../docs/components.ts';
import { isDocument } from '../docs/document.ts';
import type { ErrorExample } from './error-examples.ts';
import { addPagingHeaders, type PagedInput, type Paging, pagedInput } from './paging.ts';
import { success } from './present.ts';
import { type Documentation, type FileKind, routeSchema } from './route-schema.ts';

/** A route of the v1 API. Without `data`, it answers an empty list. */
interface V1Route<Path extends string, Data extends TSchema | FileKind, T>
  extends Route<Data, T>,
    Documentation {
  /** The endpoint that the API key must be allowed to call. Without it, the handler must call `requireEndpoint`. */
  endpoint?: Endpoint;
  /** The permission of the API key, if it does not follow from the method. */
  access?: 'read';
  /** The route changes something even with GET, so it has no HEAD. */
  changes?: true;
  /** Answers with the data, or with the reply if it has sent the answer itself. */
  handler(call: Call<Path, T>): Promise<Answer<Data>> | Answer<Data>;
}
type Answer<Data> = [Data] extends [never]
  ? unknown
  : Data extends TSchema
    ? Static<Data> | FastifyReply
    : unknown;

/** A route that lists records in pages. */
interface V1List<Path extends string, S extends Shape, Item, Schema extends TSchema>
  extends Pick<Documentation, 'operationId' | 'sends'> {
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
  function add<Path extends string, T, Data extends TSchema | FileKind = never>(
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
        // If the handler returned the reply, it has sent the answer: a reply is a promise that resolves to undefined.
        return answer === undefined ? undefined : success(answer);
      },
    } satisfies Partial<RouteOptions>;
    const hasOwnHead = docs.data === 'file';
    app.route({
      ...route,
      method,
      exposeHeadRoute: !changes && !hasOwnHead,
      ...(changes && { preHandler: ignoreBody }),
      ...(isDocument(app) && {
        schema: {
          ...routeSchema(tag, url, docs),
          operationId: operationIdOf(docs.operationId, `${method}`),
        },
      }),
    });
    // The framework's own HEAD route would send the size of an empty body.
    if (hasOwnHead) app.route({ ...route, method: 'HEAD', schema: { hide: true } });
  }
  const adder =
    (...methods: HTTPMethods[]) =>
    <Path extends string, T = unknown, Data extends TSchema | FileKind = never>(
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
