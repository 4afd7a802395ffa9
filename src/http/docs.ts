import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { CONSOLE_PATH } from './console.ts';
import { type Dialect, malformed, refuse } from './errors.ts';

/** Allows nothing from other hosts. The page has inline styles. */
const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The answers to requests that reach no route. */
const outsideRoutes = ({ answerOf }: Dialect) =>
  Object.fromEntries(
    Object.entries({
      NoRoute: refuse('no_route'),
      BadRequest: malformed(),
      RequestTimeout: malformed('ERR_HTTP_REQUEST_TIMEOUT'),
      HeadersTooLarge: malformed('HPE_HEADER_OVERFLOW'),
    }).map(([name, { refusal }]) => {
      const { status, body } = answerOf(refusal);
      const description = 'code' in body ? `${status} ${body.code}` : String(status);
      return [name, { description, content: { 'application/json': { example: body } } }];
    }),
  );

/** Serves the OpenAPI 3.1 document, generated from the schemas of the routes, and a page that shows it. */
export async function serveDocs(
  app: FastifyInstance,
  { dialect, basePath, version }: { dialect: Dialect; basePath: string; version: string },
): Promise<void> {
  const apiRoot = dialect.prefix;
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Latchkey',
        version,
        description: 'Licensing server: issue license keys, activate and validate them.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: basePath + apiRoot }],
      components: {
        responses: outsideRoutes(dialect),
        securitySchemes: {
          basic: {
            type: 'http',
            scheme: 'basic',
            description: 'The user is the consumer key, the password the consumer secret',
          },
          key: { type: 'apiKey', in: 'query', name: 'consumer_key' },
          secret: { type: 'apiKey', in: 'query', name: 'consumer_secret' },
        },
      },
      security: [{ basic: [] }, { key: [], secret: [] }],
    },
    transform: ({ schema, url }) => ({
      // The console has a document of its own.
      schema: url.startsWith(CONSOLE_PATH) ? { ...schema, hide: true } : schema,
      url: url.startsWith(apiRoot) ? url.slice(apiRoot.length) : url,
    }),
  });
  const isPublic = { config: { public: true } };
  // All answers share these bytes: a client that asks without reading the answers would otherwise hold a copy for each.
  let document: Buffer | undefined;
  const answerDocument = (_request: FastifyRequest, reply: FastifyReply) => {
    document ??= Buffer.from(JSON.stringify(app.swagger()));
    return reply.type('application/json; charset=utf-8').send(document);
  };
  app.get(`${apiRoot}/openapi.json`, { ...isPublic, schema: { hide: true } }, answerDocument);
  app.addHook('onRoute', (route) => {
    if (route.url === '/docs' || route.url.startsWith('/docs/'))
      route.config = { ...route.config, public: true };
    if (route.url === '/docs/json') route.handler = answerDocument;
  });
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    indexPrefix: basePath,
    staticCSP: CSP,
    transformStaticCSP: () => CSP,
    theme: { title: 'Latchkey API' },
    // The validator badge would load an image from another host.
    uiConfig: { validatorUrl: null, docExpansion: 'list', layout: 'BaseLayout' },
  });
}
