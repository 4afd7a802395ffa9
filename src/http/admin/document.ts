import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import { type Json, operationsOf, withSchemas } from '../docs/components.ts';
import { documentOf } from '../docs/document.ts';
import type { Services } from '../services.ts';
import { FAILURE } from './route.ts';
import { ADMIN_ROOT, adminRoutes } from './routes.ts';

/** Replaces every service while routes are registered: any property exists, is 0 as a number, and does nothing if called. */
const nobody: unknown = new Proxy(() => nobody, {
  get: (_, name) => (name === Symbol.toPrimitive ? () => 0 : nobody),
});

/** Returns the OpenAPI document of the console's API, from which the console's client is generated. Needs no services. */
export async function adminDocument(): Promise<object> {
  const options: FastifyDynamicSwaggerOptions = {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Latchkey console', version: '1', description: 'The API of the console.' },
      servers: [{ url: ADMIN_ROOT }],
    },
    transform: ({ schema, url }) => ({ schema, url: url.slice(ADMIN_ROOT.length) }),
  };
  const app = await documentOf(options, (app) => adminRoutes(app, nobody as Services));
  const document = app.swagger() as Json;
  for (const { operation } of operationsOf(document))
    operation.responses.default = { $ref: '#/components/responses/Failure' };
  const schemas: Json = {};
  const paths = withSchemas(document.paths, schemas);
  return { ...document, paths, components: { schemas, responses: { Failure: FAILURE } } };
}
