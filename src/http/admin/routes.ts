import swagger, { type FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { CONSOLE_PATH } from '../console.ts';
import type { Services } from '../services.ts';
import { generatorRoutes } from './generators.ts';
import { importRoutes } from './imports.ts';
import { releaseRoutes } from './releases.ts';
import { softwareRoutes } from './software.ts';

const ADMIN_ROOT = `${CONSOLE_PATH}/api`;

declare module 'fastify' {
  interface FastifyInstance {
    /** The OpenAPI document of the console's API, from which its client is made. */
    adminDocument(): object;
  }
}

/** The API of the console. It changes with the console, from one version to the next: programs use the v1 API. */
export async function adminRoutes(app: FastifyInstance, services: Services): Promise<void> {
  const document: FastifyDynamicSwaggerOptions & { decorator: string } = {
    decorator: 'adminDocument',
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Latchkey console', version: '1', description: 'What the console calls.' },
      servers: [{ url: ADMIN_ROOT }],
    },
    transform: ({ schema, url }) => ({
      schema: url.startsWith(ADMIN_ROOT) ? schema : { ...schema, hide: true },
      url: url.slice(ADMIN_ROOT.length),
    }),
  };
  await app.register(swagger, document);
  await app.register(
    async (api) => {
      generatorRoutes(api, services);
      softwareRoutes(api, services);
      releaseRoutes(api, services);
      importRoutes(api, services);
    },
    { prefix: ADMIN_ROOT },
  );
}
