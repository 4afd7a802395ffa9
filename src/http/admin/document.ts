import Fastify from 'fastify';
import type { Services } from '../services.ts';
import { adminRoutes } from './routes.ts';

/** Stands for every service: whatever is asked of it while routes are put together is there, and does nothing. */
const nobody: unknown = new Proxy(() => nobody, { get: () => nobody });

/** The OpenAPI document of the console's API, without a service behind it. */
export async function adminDocument(): Promise<object> {
  const app = Fastify();
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => JSON.stringify);
  await adminRoutes(app, nobody as Services, { version: '', signInLimit: 0 });
  await app.ready();
  const document = app.adminDocument();
  await app.close();
  return document;
}
