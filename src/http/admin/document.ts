import Fastify from 'fastify';
import { type Json, operationsOf, withSchemas } from '../docs/components.ts';
import type { Services } from '../services.ts';
import { FAILURE } from './route.ts';
import { adminRoutes } from './routes.ts';

/** Replaces every service while routes are registered: any property exists, is 0 as a number, and does nothing if called. */
const nobody: unknown = new Proxy(() => nobody, {
  get: (_, name) => (name === Symbol.toPrimitive ? () => 0 : nobody),
});

/** Returns the OpenAPI document of the console's API. Needs no services. */
export async function adminDocument(): Promise<object> {
  const app = Fastify();
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => JSON.stringify);
  await adminRoutes(app, nobody as Services);
  await app.ready();
  const document = app.adminDocument();
  await app.close();
  for (const { operation } of operationsOf(document))
    operation.responses.default = { $ref: '#/components/responses/Failure' };
  const schemas: Json = {};
  const paths = withSchemas(document.paths, schemas);
  return { ...document, paths, components: { schemas, responses: { Failure: FAILURE } } };
}
