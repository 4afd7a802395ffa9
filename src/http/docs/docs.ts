import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { share } from '../limits/unsent.ts';
import { finished, type Json } from './components.ts';
import { documentOf } from './document.ts';
import { SCRIPT, STYLE } from './page-files.ts';

/** Allows nothing from other hosts and nothing inline, except for the empty icon. */
const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

interface Documented {
  /** Adds the routes that the document describes. */
  addRoutes(app: FastifyInstance): Promise<void>;
  /** Path of the API's routes. */
  apiRoot: string;
  /** Path of the routes of an API that needs no API key. */
  clientRoot: string;
  basePath: string;
  version: string;
  /** The groups of operations, in their order. */
  tags: { name: string; description: string }[];
  /** Answers to requests that reach no route. */
  responses: Record<string, { description: string }>;
  /** Requests that the server sends, by the names of their types. */
  webhooks: Json;
  /** The introduction of the document, in Markdown. */
  guide: string;
}

/** Serves the OpenAPI 3.1 document, generated from the schemas of the routes, and a page that shows it. */
export function serveDocs(
  app: FastifyInstance,
  { addRoutes, apiRoot, clientRoot, basePath, version, tags, responses, webhooks, guide }: Documented,
): void {
  const options: FastifyDynamicSwaggerOptions = {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Latchkey',
        version,
        description: guide,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: basePath + apiRoot }],
      tags,
      components: {
        responses,
        securitySchemes: {
          basic: {
            type: 'http',
            scheme: 'basic',
            description: 'The user is the consumer key, the password the consumer secret',
          },
          key: { type: 'apiKey', in: 'query', name: 'consumer_key' },
          secret: { type: 'apiKey', in: 'query', name: 'consumer_secret' },
          activation_token: { type: 'http', scheme: 'bearer', description: 'The token of an activation' },
        },
      },
      security: [{ basic: [] }, { key: [], secret: [] }],
    },
    transformObject: (made) => finished({ ...(made as { openapiObject: Json }).openapiObject, webhooks }),
    transform: ({ schema, url }) => {
      if (!url.startsWith(clientRoot)) return { schema, url: url.slice(apiRoot.length) };
      const servers = [{ url: basePath + clientRoot }];
      return { schema: { ...schema, servers }, url: url.slice(clientRoot.length) };
    },
  };
  const document = once(() => documentOf(options, addRoutes));
  const json = async () => JSON.stringify((await document()).swagger());
  async function page() {
    // Imported on first use, because it loads the Markdown parser.
    const { documentPage } = await import('./page.ts');
    return documentPage(JSON.parse(await json()), `${basePath}/docs`);
  }
  const asJson = sharing('application/json; charset=utf-8', json);
  const asPage = sharing('text/html; charset=utf-8', page);
  const routes = {
    [`${apiRoot}/openapi.json`]: asJson,
    '/docs': asPage,
    '/docs/': asPage,
    '/docs/json': asJson,
    '/docs/yaml': sharing('application/x-yaml', async () => (await document()).swagger({ yaml: true })),
    '/docs/page.css': sharing('text/css; charset=utf-8', () => STYLE),
    '/docs/page.js': sharing('text/javascript; charset=utf-8', () => SCRIPT),
  };
  for (const [path, handler] of Object.entries(routes)) app.get(path, { config: { public: true } }, handler);
}

/** Returns a handler that makes the bytes once. All answers share them. */
function sharing(type: string, make: () => string | Promise<string>) {
  const bytes = once(async () => share(Buffer.from(await make())));
  return async (_request: FastifyRequest, reply: FastifyReply) => {
    if (type.startsWith('text/html')) reply.header('content-security-policy', CSP);
    return reply.type(type).send(await bytes());
  };
}

/** Returns a function that makes a value once. After a failure, as for want of file handles, the next call tries again. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
