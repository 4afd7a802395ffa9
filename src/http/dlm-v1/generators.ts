import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { generateKeys } from '../../app/batches/generate-keys.ts';
import { findGenerator, listGenerators } from '../../app/generators/generators.ts';
import { generateShape, generatorShape } from '../../domain/generator.ts';
import { LICENSE_SOURCE } from '../../domain/license.ts';
import { actorOf } from '../authentication.ts';
import { unwrap } from '../errors.ts';
import { untimed } from '../limits/connections.ts';
import { parameterSchema } from '../parameter-schema.ts';
import { parametersOf } from '../parameters.ts';
import { createInput, updateInput } from '../requests.ts';
import type { Services } from '../services.ts';
import { generatorNameMissing } from './errors.ts';
import { addPagingByIdHeaders, PAGING_HEADERS, pagingByIdOf, pagingByIdShape, WALKING } from './paging.ts';
import { presentChangedGenerator, presentGenerator, success } from './present.ts';
import { routeSchema } from './route-schema.ts';
import { ChangedGenerator, Generator, Nothing } from './schemas.ts';

const tags = ['Generators'];
const path = { generator_id: Type.String({ description: 'The id, an integer' }) };
type ById = { Params: { generator_id: string } };

/** Creates a generator: at its own address and, as the source document has it, at that of licenses. */
export async function answerCreatedGenerator({ execute }: Services, request: FastifyRequest) {
  refuseMissingName(request, true);
  const input = createInput(generatorShape, request);
  return success(presentChangedGenerator(unwrap(await execute('create-generator', input, actorOf(request)))));
}

/** A missing name has an error of its own, told before anything else that is wrong. */
function refuseMissingName(request: FastifyRequest, isCreate: boolean): void {
  const { name } = parametersOf(request);
  if (name === '' || name === null || (name === undefined && isCreate)) throw generatorNameMissing();
}

export function generatorRoutes(app: FastifyInstance, services: Services): void {
  const { store, execute } = services;

  app.get('/generators', {
    config: { endpoint: 'generators.list' },
    schema: routeSchema({
      summary: 'List generators, newest first',
      description: WALKING,
      tags,
      query: parameterSchema(pagingByIdShape, 'query'),
      data: Type.Array(Generator),
      headers: PAGING_HEADERS,
      errors: ['invalid_paging'],
    }),
    handler: async (request, reply) => {
      const paging = pagingByIdOf(request);
      const listed = await listGenerators(store.read, paging, actorOf(request));
      addPagingByIdHeaders(request, reply, paging, listed);
      return success(listed.items.map(presentGenerator));
    },
  });

  app.get<ById>('/generators/:generator_id', {
    config: { endpoint: 'generators.get' },
    schema: routeSchema({
      summary: 'Get a generator',
      tags,
      path,
      data: Generator,
      errors: ['generator_not_found'],
    }),
    handler: async (request) => {
      const found = await findGenerator(store.read, request.params.generator_id, actorOf(request));
      return success(presentGenerator(unwrap(found)));
    },
  });

  app.post('/generators', {
    config: { endpoint: 'generators.create' },
    schema: routeSchema({
      summary: 'Create a generator',
      tags,
      body: parameterSchema(generatorShape, 'create'),
      data: ChangedGenerator,
      errors: ['generator_name_missing', 'invalid_values', 'generators_not_allowed'],
    }),
    handler: async (request) => answerCreatedGenerator(services, request),
  });

  for (const method of ['PUT', 'PATCH', 'POST'] as const) {
    app.route<ById>({
      method,
      url: '/generators/:generator_id',
      config: { endpoint: 'generators.update' },
      schema: routeSchema({
        summary: 'Update a generator',
        description: 'Changes what is sent. Null or an empty value clears what can be cleared.',
        tags,
        path,
        body: parameterSchema(generatorShape, 'update'),
        data: ChangedGenerator,
        errors: ['generator_not_found', 'generator_name_missing', 'invalid_values'],
      }),
      handler: async (request) => {
        refuseMissingName(request, false);
        const input = { named: request.params.generator_id, changes: updateInput(generatorShape, request) };
        return success(
          presentChangedGenerator(unwrap(await execute('update-generator', input, actorOf(request)))),
        );
      },
    });
  }

  app.delete<ById>('/generators/:generator_id', {
    config: { endpoint: 'generators.delete' },
    schema: routeSchema({
      summary: 'Delete a generator; its licenses stay',
      tags,
      path,
      data: Nothing,
      errors: ['generator_not_found'],
    }),
    handler: async (request) => {
      unwrap(await execute('delete-generator', { named: request.params.generator_id }, actorOf(request)));
      return success([]);
    },
  });

  app.post<ById>('/generators/:generator_id/generate', {
    config: { endpoint: 'generators.generate' },
    schema: routeSchema({
      summary: 'Generate license keys',
      description: 'With save, stores them as licenses: all of them or none.',
      tags,
      path,
      body: parameterSchema(generateShape, 'create'),
      data: Type.Array(Type.String()),
      errors: ['generator_not_found', 'keys_exhausted', 'invalid_values'],
    }),
    handler: async (request) => {
      const input = createInput(generateShape, request);
      const asked = { named: request.params.generator_id, input, source: LICENSE_SOURCE.api };
      const generate = () => generateKeys(services, asked, actorOf(request));
      return success(unwrap(await untimed(request.raw.socket, generate)));
    },
  });
}
