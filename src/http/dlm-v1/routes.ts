import type { FastifyInstance } from 'fastify';
import type { Services } from '../services.ts';
import { activationRoutes } from './activations.ts';
import { auditRoutes } from './audit.ts';
import { downloadRoutes } from './downloads.ts';
import { eventEndpointRoutes } from './event-endpoints.ts';
import { eventRoutes } from './events.ts';
import { generatorRoutes } from './generators.ts';
import { licenseRoutes } from './licenses.ts';
import { releaseRoutes } from './releases.ts';
import { softwareRoutes } from './software.ts';

/** The v1 API, for clients of Digital License Manager. */
export async function dlmV1Routes(app: FastifyInstance, services: Services, prefix: string): Promise<void> {
  await app.register(
    async (api) => {
      licenseRoutes(api, services);
      activationRoutes(api, services);
      generatorRoutes(api, services);
      softwareRoutes(api, services);
      releaseRoutes(api, services);
      downloadRoutes(api, services);
      auditRoutes(api, services);
      eventEndpointRoutes(api, services);
      eventRoutes(api, services);
    },
    { prefix },
  );
}
