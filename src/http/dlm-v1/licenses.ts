import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { getLicense, listLicenses } from '../../app/licenses/licenses.ts';
import { toDatetime } from '../../domain/datetime.ts';
import { integer, oneOrMany, optional, reference, text } from '../../domain/fields.ts';
import { generatorShape } from '../../domain/generator.ts';
import {
  LICENSE_SOURCE,
  type LicenseFilter,
  licenseRef,
  licenseShape,
  licenseStatus,
} from '../../domain/license.ts';
import { actorOf, requireEndpoint } from '../authentication.ts';
import { unwrap } from '../errors.ts';
import { parameterSchema } from '../parameter-schema.ts';
import { parametersOf } from '../parameters.ts';
import { createInput, updateInput } from '../requests.ts';
import type { Services } from '../services.ts';
import { answerCreatedGenerator } from './generators.ts';
import { isAll, licenseInPieces } from './license-in-pieces.ts';
import { addPagingByIdHeaders, PAGING_HEADERS, pagingByIdOf, pagingByIdShape, WALKING } from './paging.ts';
import { presentLicense, presentLicenseWithActivations, success } from './present.ts';
import { routeSchema } from './route-schema.ts';
import { ChangedGenerator, License, LicenseWithActivations, Nothing } from './schemas.ts';

const filterShape = {
  status: optional(oneOrMany(licenseStatus)),
  licenseKey: optional(text({ max: 255 })),
  orderId: optional(reference()),
  productId: optional(reference()),
  userId: optional(reference()),
  // Any number that the column can hold: of a source that there is not, there are no licenses.
  source: optional(integer()),
};

const tags = ['Licenses'];
const path = { license_key: Type.String({ description: 'The key, or hashed-{hash}' }) };
type ByKey = { Params: { license_key: string } };

export function licenseRoutes(app: FastifyInstance, services: Services): void {
  const { store, execute, clock } = services;
  const now = () => toDatetime(clock());

  app.get('/licenses', {
    config: { endpoint: 'licenses.list' },
    schema: routeSchema({
      summary: 'List licenses, newest first',
      description: WALKING,
      tags,
      query: parameterSchema({ ...pagingByIdShape, ...filterShape }, 'query'),
      data: Type.Array(License),
      headers: PAGING_HEADERS,
      errors: ['invalid_paging', 'invalid_values'],
    }),
    handler: async (request, reply) => {
      const paging = pagingByIdOf(request);
      const listed = await listLicenses(store.read, filterOf(request), paging, actorOf(request));
      addPagingByIdHeaders(request, reply, paging, listed);
      return success(listed.items.map((license) => presentLicense(license, now())));
    },
  });

  app.get<ByKey>('/licenses/:license_key', {
    config: { endpoint: 'licenses.get' },
    schema: routeSchema({
      summary: 'Get a license with its valid activations',
      tags,
      path,
      data: LicenseWithActivations,
      errors: ['license_not_found'],
    }),
    handler: async (request, reply) => {
      const found = await getLicense(store.read, request.params.license_key, actorOf(request));
      const first = unwrap(found);
      if (isAll(first)) return success(presentLicenseWithActivations(first, now()));
      reply.type('application/json; charset=utf-8');
      return reply.send(licenseInPieces(store.read, first, now()));
    },
  });

  app.post('/licenses', {
    schema: routeSchema({
      summary: 'Create a license',
      description: 'With a charset and no license_key it creates a generator, as POST /generators does.',
      tags,
      body: { anyOf: [parameterSchema(licenseShape, 'create'), parameterSchema(generatorShape, 'create')] },
      data: Type.Union([License, ChangedGenerator]),
      errors: ['license_key_exists', 'invalid_values', 'generator_name_missing', 'generators_not_allowed'],
    }),
    // A generator is another record than a license: its own schema serializes it.
    serializerCompiler: () => JSON.stringify,
    handler: async (request) => {
      if (namesGenerator(request)) {
        requireEndpoint(request, 'generators.create');
        return answerCreatedGenerator(services, request);
      }
      requireEndpoint(request, 'licenses.create');
      const input = { ...createInput(licenseShape, request), source: LICENSE_SOURCE.api };
      return success(presentLicense(unwrap(await execute('create-license', input, actorOf(request))), now()));
    },
  });

  for (const method of ['PUT', 'PATCH', 'POST'] as const) {
    app.route<ByKey>({
      method,
      url: '/licenses/:license_key',
      config: { endpoint: 'licenses.update' },
      schema: routeSchema({
        summary: 'Update a license',
        description: 'Changes what is sent. Null or an empty value clears what can be cleared.',
        tags,
        path,
        body: parameterSchema(licenseShape, 'update'),
        data: License,
        errors: ['license_not_found', 'license_key_exists', 'invalid_values'],
      }),
      handler: async (request) => {
        const input = { named: request.params.license_key, changes: updateInput(licenseShape, request) };
        return success(
          presentLicense(unwrap(await execute('update-license', input, actorOf(request))), now()),
        );
      },
    });
  }

  app.delete<ByKey>('/licenses/:license_key', {
    config: { endpoint: 'licenses.delete' },
    schema: routeSchema({
      summary: 'Delete a license and its activations',
      tags,
      path,
      data: Nothing,
      errors: ['license_not_found'],
    }),
    handler: async (request) => {
      unwrap(await execute('delete-license', { named: request.params.license_key }, actorOf(request)));
      return success([]);
    },
  });
}

/** @throws 422 */
function filterOf(request: FastifyRequest): LicenseFilter {
  const { licenseKey, ...sent } = createInput(filterShape, request);
  return {
    ...Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== null)),
    ...(licenseKey !== null && { license: licenseRef(licenseKey) }),
  };
}

function namesGenerator(request: FastifyRequest): boolean {
  const { charset, license_key: key } = parametersOf(request);
  const isSet = (value: unknown) => value !== undefined && value !== null && value !== '';
  return isSet(charset) && !isSet(key);
}
