import type { FastifyInstance } from 'fastify';
import { generateKeys } from '../../app/batches/generate-keys.ts';
import { findGenerator, listGenerators } from '../../app/generators/generators.ts';
import { generateShape, generatorShape } from '../../domain/generator.ts';
import { LICENSE_SOURCE } from '../../domain/licenses/license.ts';
import { refuse, unwrap } from '../errors.ts';
import { create, type Input, update } from '../input.ts';
import { untimed } from '../limits/connections.ts';
import { parametersOf } from '../parameters.ts';
import type { Services } from '../services.ts';
import { BY_ID } from './paging.ts';
import { audienceAt, presentChangedGenerator, presentGenerator } from './present.ts';
import { UPDATING, v1Router } from './route.ts';
import { ChangedGenerator, Generator, LicenseKeys } from './schemas.ts';

/** Refuses a missing name before anything else, with an error of its own. */
const withName = <T>({ schema, read }: Input<T>, isMissing: (name: unknown) => boolean): Input<T> => ({
  schema,
  read(request) {
    if (isMissing(parametersOf(request).name)) throw refuse('generator_name_missing');
    return read(request);
  },
});
const isEmpty = (name: unknown) => name === '' || name === null;

/** The input of a new generator, at the address of generators and at that of licenses (contract section 6). */
export const newGenerator = withName(create(generatorShape), (name) => name === undefined || isEmpty(name));

export function generatorRoutes(app: FastifyInstance, services: Services): void {
  const { store, clock } = services;
  const audience = audienceAt(clock);
  const route = v1Router(app, 'Generators');

  route.list('/generators', {
    operationId: 'listGenerators',
    summary: 'List generators, newest first',
    endpoint: 'generators.list',
    paging: BY_ID,
    record: Generator,
    find: ({ input, actor }) => listGenerators(store.read, input.page, actor),
    present: (generator, { request }) => presentGenerator(generator, audience(request)),
  });

  route.get('/generators/:generator_id', {
    operationId: 'getGenerator',
    summary: 'Get a generator',
    endpoint: 'generators.get',
    data: Generator,
    errors: ['generator_not_found'],
    handler: async ({ request, params, actor }) =>
      presentGenerator(
        unwrap(await findGenerator(store.read, params.generator_id, actor)),
        audience(request),
      ),
  });

  route.post('/generators', {
    operationId: 'createGenerator',
    summary: 'Create a generator',
    endpoint: 'generators.create',
    input: newGenerator,
    sends: {
      name: 'Acme keys',
      charset: 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789',
      chunks: 2,
      chunk_length: 5,
      separator: '-',
      prefix: 'ACME-',
      activations_limit: 2,
      expires_in: 365,
    },
    data: ChangedGenerator,
    errors: ['generator_name_missing', 'invalid_values', 'generators_not_allowed'],
    handler: async ({ request, input, execute }) =>
      presentChangedGenerator(await execute('create-generator', input), audience(request)),
  });

  route.update('/generators/:generator_id', {
    operationId: 'updateGenerator',
    summary: 'Update a generator',
    description: UPDATING,
    endpoint: 'generators.update',
    input: withName(update(generatorShape), isEmpty),
    sends: { activations_limit: 5 },
    data: ChangedGenerator,
    errors: ['generator_not_found', 'generator_name_missing', 'invalid_values'],
    handler: async ({ request, params, input: changes, execute }) =>
      presentChangedGenerator(
        await execute('update-generator', { named: params.generator_id, changes }),
        audience(request),
      ),
  });

  route.delete('/generators/:generator_id', {
    operationId: 'deleteGenerator',
    summary: 'Delete a generator and keep its licenses',
    endpoint: 'generators.delete',
    errors: ['generator_not_found'],
    handler: ({ params, execute }) => execute('delete-generator', { named: params.generator_id }),
  });

  route.post('/generators/:generator_id/generate', {
    operationId: 'generateLicenseKeys',
    summary: 'Generate license keys',
    description: 'With save, stores them as licenses: all of them or none.',
    endpoint: 'generators.generate',
    input: create(generateShape),
    sends: { amount: 2, save: true, status: 'active' },
    data: LicenseKeys,
    errors: ['generator_not_found', 'keys_exhausted', 'invalid_values'],
    async handler({ request, params, input, actor }) {
      const order = { named: params.generator_id, input, source: LICENSE_SOURCE.api };
      return unwrap(await untimed(request.raw.socket, () => generateKeys(services, order, actor)));
    },
  });
}
