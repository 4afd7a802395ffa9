import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, HTTPMethods } from 'fastify';
import type { Endpoint } from '../../domain/api-key.ts';
import { actorOf } from '../authentication.ts';
import { ignoreBody } from '../body.ts';
import { Call } from '../call.ts';
import { refuse } from '../errors.ts';
import type { Input } from '../input.ts';
import { failure } from './errors.ts';
import { versionOf } from './request.ts';

interface LmfwcRoute<Path extends string, T> {
  endpoint: Endpoint;
  /** The permission that the API key needs, if it is not that of the method. */
  access?: 'read';
  /** Set if version 2 does not have the route. */
  since?: 3;
  /** The route changes something even with GET, so it has no HEAD. */
  changes?: true;
  input?: Input<T>;
  /** Returns the data of the answer, or the reply if it has sent the answer itself. */
  handler(call: Call<Path, T>): Promise<unknown>;
}

/** Methods that WordPress accepts for an update. */
export const UPDATE: HTTPMethods[] = ['PUT', 'PATCH', 'POST'];

/** Adds routes that answer in the envelope of the plugin. docs/integrate/lmfwc.md documents them. */
export const lmfwcRouter =
  (app: FastifyInstance) =>
  <Path extends string, T = unknown>(
    method: HTTPMethods | HTTPMethods[],
    url: Path,
    { endpoint, access, since, changes, input, handler }: LmfwcRoute<Path, T>,
  ): void => {
    app.route({
      method,
      url,
      exposeHeadRoute: method === 'GET' && !changes,
      ...(changes && { preHandler: ignoreBody }),
      config: { endpoint, ...(access && { access }) },
      async handler(request, reply) {
        if (since !== undefined && versionOf(request) < since) throw refuse('no_route');
        const data = await handler(new Call(request, reply, input, actorOf));
        return data === undefined ? undefined : { success: true, data };
      },
    });
  };

/**
 * Sends a whole list, which may not fit in memory, page after page. As in the plugin, an empty list is an error.
 * @param next returns the page after a record; the first page for null
 */
export async function sendList<T>(
  reply: FastifyReply,
  empty: string,
  next: (last: T | null) => Promise<readonly T[]>,
  present: (page: readonly T[]) => object[] | Promise<object[]>,
): Promise<void> {
  const first = await next(null);
  // A reply is a promise, which resolves when the answer is sent.
  if (first.length === 0) return reply.code(404).send(failure(empty));
  async function* pieces() {
    let between = '{"success":true,"data":[';
    for (let page = first; page.length > 0; page = await next(page.at(-1) as T)) {
      yield between + JSON.stringify(await present(page)).slice(1, -1);
      between = ',';
      await setImmediate();
    }
    yield ']}';
  }
  return reply.type('application/json; charset=utf-8').send(Readable.from(pieces()));
}
