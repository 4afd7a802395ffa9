import type { FastifyInstance } from 'fastify';
import { generateKeys } from '../../app/batches/generate-keys.ts';
import { findGenerator, listGenerators } from '../../app/generators/generators.ts';
import { type Field, good, optional } from '../../domain/fields.ts';
import { type Generator, generateShape, generatorShape } from '../../domain/generator.ts';
import { LICENSE_SOURCE } from '../../domain/licenses/license.ts';
import { unwrap } from '../errors.ts';
import { create, update } from '../input.ts';
import { untimed } from '../limits/connections.ts';
import type { Services } from '../services.ts';
import { presentGenerator } from './present.ts';
import { lmfwcRouter, sendList, UPDATE } from './route.ts';

const { activationsLimit, expiresIn, ...others } = generatorShape;
/** The client pylicensemanager sends the text "null" for never. */
const days: Field<number> = {
  ...expiresIn.field,
  read: (value) => (value === 'null' ? good(0) : expiresIn.field.read(value)),
};
const shape = { ...others, expiresIn: optional(days), timesActivatedMax: optional(activationsLimit.field) };

const LISTED_AT_ONCE = 100;

export function generatorRoutes(app: FastifyInstance, services: Services): void {
  const { read } = services.store;
  const route = lmfwcRouter(app);

  route('GET', '/generators', {
    endpoint: 'generators.list',
    async handler({ reply, actor }) {
      await sendList<Generator>(
        reply,
        'No Generators available',
        async (last) => {
          const page = { limit: LISTED_AT_ONCE, offset: 0, before: last?.id ?? null };
          return (await listGenerators(read, page, actor)).items;
        },
        (page) => page.map(presentGenerator),
      );
    },
  });

  route('GET', '/generators/:generator_id', {
    endpoint: 'generators.get',
    handler: async ({ params, actor }) =>
      presentGenerator(unwrap(await findGenerator(read, params.generator_id, actor))),
  });

  route('POST', '/generators', {
    endpoint: 'generators.create',
    input: create(shape),
    async handler({ input: { timesActivatedMax, ...sent }, execute }) {
      const generator = { ...sent, activationsLimit: timesActivatedMax };
      return presentGenerator(await execute('create-generator', generator));
    },
  });

  route(UPDATE, '/generators/:generator_id', {
    endpoint: 'generators.update',
    input: update(shape),
    async handler({ params, input: { timesActivatedMax, ...sent }, execute }) {
      const changes = {
        ...sent,
        ...(timesActivatedMax !== undefined && { activationsLimit: timesActivatedMax }),
      };
      return presentGenerator(await execute('update-generator', { named: params.generator_id, changes }));
    },
  });

  route('DELETE', '/generators/:generator_id', {
    endpoint: 'generators.delete',
    since: 3,
    async handler({ params, execute }) {
      await execute('delete-generator', { named: params.generator_id });
      return [];
    },
  });

  route('POST', '/generators/:generator_id/generate', {
    endpoint: 'generators.generate',
    since: 3,
    input: create(generateShape),
    async handler({ request, params, input, actor }) {
      const order = { named: params.generator_id, input, source: LICENSE_SOURCE.api };
      return unwrap(await untimed(request.raw.socket, () => generateKeys(services, order, actor)));
    },
  });
}
