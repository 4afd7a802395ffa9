import type { FastifyInstance } from 'fastify';
import type { Services } from '../services.ts';
import { activationRoutes } from './activations.ts';
import { generatorRoutes } from './generators.ts';
import { licenseRoutes } from './licenses.ts';

/** The REST API of License Manager for WooCommerce, for its clients. */
export async function lmfwcV2Routes(
  app: FastifyInstance,
  services: Services,
  { prefix, historyKeep }: { prefix: string; historyKeep: number },
): Promise<void> {
  await app.register(
    async (api) => {
      licenseRoutes(api, services);
      activationRoutes(api, services, historyKeep);
      generatorRoutes(api, services);
    },
    { prefix },
  );
}
