import type { FastifyInstance } from 'fastify';
import type { Services } from '../services.ts';
import { activationRoutes } from './activations.ts';
import { generatorRoutes } from './generators.ts';
import { licenseRoutes } from './licenses.ts';
import { productRoutes } from './products.ts';

/** The REST API of License Manager for WooCommerce, for its clients. */
export async function lmfwcV2Routes(app: FastifyInstance, services: Services, prefix: string): Promise<void> {
  await app.register(
    async (api) => {
      licenseRoutes(api, services);
      activationRoutes(api, services);
      generatorRoutes(api, services);
      productRoutes(api, services);
    },
    { prefix },
  );
}
