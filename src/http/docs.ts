import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { CONSOLE_PATH } from './console.ts';
import { type Dialect, malformed, refuse } from './errors.ts';
import { share } from './limits/unsent.ts';
import { shareFiles } from './shared-files.ts';

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
  const asJson = documentHandler('application/json; charset=utf-8', () => JSON.stringify(app.swagger()));
  const asYaml = documentHandler('application/x-yaml', () => app.swagger({ yaml: true }));
  app.get(`${apiRoot}/openapi.json`, { ...isPublic, schema: { hide: true } }, asJson);
  await app.register(async (scope) => {
    scope.addHook('onRoute', (route) => {
      route.config = { ...route.config, public: true };
      if (route.url === '/docs/json') route.handler = asJson;
      if (route.url === '/docs/yaml') route.handler = asYaml;
    });
    scope.addHook('onSend', shareFiles);
    await scope.register(swaggerUi, {
      routePrefix: '/docs',
      indexPrefix: basePath,
      staticCSP: CSP,
      transformStaticCSP: () => CSP,
      theme: { title: 'Latchkey API' },
      // The validator badge would load an image from another host.
      uiConfig: { validatorUrl: null, docExpansion: 'list', layout: 'BaseLayout' },
    });
  });
}

/** All answers share the bytes of the document. */
function documentHandler(type: string, document: () => string) {
  let bytes: Buffer | undefined;
  return (_request: FastifyRequest, reply: FastifyReply) => {
    bytes ??= share(Buffer.from(document()));
    return reply.type(type).send(bytes);
  };
}
