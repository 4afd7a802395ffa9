import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { listProducts, PRODUCT_SOURCES } from '../../../app/releases/products.ts';
import { mayAlso } from '../../people/session.ts';
import type { Services } from '../../services.ts';
import { adminSchema } from '../route-schema.ts';

export function productRoutes(app: FastifyInstance, { store }: Services): void {
  app.get('/products', {
    config: { session: 'records.read' },
    schema: adminSchema({
      operationId: 'listProducts',
      summary: 'List the products that licenses, software and API keys name',
      description:
        'Lowest first; of each source at most the first 200. Those of API keys for who manages them.',
      tags: ['Products'],
      data: Type.Object({
        items: Type.Array(
          Type.Object({
            id: Type.Integer(),
            /** What the software is called that covers it: three at most. */
            names: Type.Array(Type.String()),
            /** What knows of it. */
            sources: Type.Array(Type.Enum(PRODUCT_SOURCES)),
          }),
        ),
        /** Whether there are more. */
        is_more: Type.Boolean(),
      }),
    }),
    handler: async (request) => {
      const { items, isMore } = await listProducts(store.read, mayAlso(request, 'api_keys.manage'));
      return { items, is_more: isMore };
    },
  });
}
