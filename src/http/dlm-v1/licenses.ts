import { Readable } from 'node:stream';
import { create as contentDisposition } from 'content-disposition';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { inSteps } from '../../app/discarding.ts';
import { licenseFile } from '../../app/leases/license-file.ts';
import { type FoundLicense, getLicense, listLicenses } from '../../app/licenses/licenses.ts';
import { type Activation, withoutDevice } from '../../domain/activation.ts';
import { isLikePlugin } from '../../domain/api-key.ts';
import { LICENSE_KEY } from '../../domain/example-records.ts';
import { integer, oneOrMany, optional, reference, text, withDefaults } from '../../domain/fields.ts';
import {
  LICENSE_SOURCE,
  licenseFilterOf,
  licenseShape,
  licenseStatus,
  pluginLicenseShape,
} from '../../domain/licenses/license.ts';
import { isAllowed, requireEndpoint, requireNaming } from '../authentication.ts';
import { unwrap } from '../errors.ts';
import { createInput, parameterSchema, query, unread, update } from '../input.ts';
import { parametersOf } from '../parameters.ts';
import type { Services } from '../services.ts';
import { newGenerator } from './generators.ts';
import { BY_ID } from './paging.ts';
import {
  type Audience,
  audienceAt,
  presentActivation,
  presentChangedGenerator,
  presentLicense,
  presentLicenseWithActivations,
  success,
} from './present.ts';
import { UPDATING, v1Router } from './route.ts';
import { ChangedGenerator, License, LicenseWithActivations } from './schemas.ts';

const filterShape = {
  status: optional(oneOrMany(licenseStatus)),
  licenseKey: optional(text({ max: 255 })),
  orderId: optional(reference()),
  productId: optional(reference()),
  userId: optional(reference()),
  // Accepts any integer that fits the column: an unknown source matches no licenses.
  source: optional(integer()),
};

const fileShape = {
  activationToken: optional(
    text({
      max: 255,
      description: 'Token of an activation of the license: the file is for its device alone',
    }),
  ),
};

export function licenseRoutes(app: FastifyInstance, services: Services): void {
  const { store, clock } = services;
  const audience = audienceAt(clock);
  const route = v1Router(app, 'Licenses');

  route.list('/licenses', {
    operationId: 'listLicenses',
    summary: 'List licenses, newest first',
    endpoint: 'licenses.list',
    paging: BY_ID,
    filter: filterShape,
    sends: { status: 'active', per_page: 100 },
    record: License,
    find({ request, input: { page, filter: sent }, actor }) {
      const filter = licenseFilterOf(sent);
      if (filter.license) requireNaming(request, filter.license);
      return listLicenses(store.read, filter, page, actor);
    },
    present: (license, { request }) => presentLicense(license, audience(request)),
  });

  route.get('/licenses/:license_key', {
    operationId: 'getLicense',
    summary: 'Get a license with its valid activations',
    endpoint: 'licenses.get',
    data: LicenseWithActivations,
    errors: ['license_not_found'],
    async handler({ request, reply, params, actor }) {
      const found = unwrap(await getLicense(store.read, params.license_key, actor));
      const shown = isAllowed(request, 'licenses.inspect') ? (one: Activation) => one : withoutDevice;
      const first = { ...found, activations: found.activations.map(shown) };
      const to = audience(request);
      if (!first.rest) return presentLicenseWithActivations(first, to);
      reply.type('application/json; charset=utf-8');
      return reply.send(Readable.from(licenseInPieces(first, first.rest, shown, to)));
    },
  });

  route.get('/licenses/:license_key/file', {
    operationId: 'getLicenseFile',
    summary: 'Get a license file',
    description:
      'A lease, signed, for programs that check it without network: the text of a .lic file. It takes no seat, and is good for offline_lease_days. Without activation_token it is for any device, and needs the endpoint licenses.inspect.',
    endpoint: 'licenses.get',
    changes: true,
    input: query(fileShape),
    data: 'text',
    errors: [
      ...['license_not_found', 'license_expired', 'license_disabled', 'activation_not_found'],
      ...['activation_of_another_license', 'activation_deactivated', 'invalid_values'],
    ] as const,
    async handler({ request, reply, params, input, actor }) {
      // An API key that is shipped inside programs must not give every customer a file that takes no seat.
      if (input.activationToken === null) requireEndpoint(request, 'licenses.inspect');
      const of = { named: params.license_key, token: input.activationToken };
      const { name, text } = unwrap(await licenseFile(services, of, request.publicOrigin(), actor));
      return reply
        .type('text/plain; charset=utf-8')
        .header('content-disposition', contentDisposition(name))
        .send(text);
    },
  });

  route.post('/licenses', {
    operationId: 'createLicense',
    summary: 'Create a license',
    description:
      'With a charset and no license_key, creates a generator, as POST /generators does. With an API key of plugin ' +
      'compatibility, valid_for and activations_limit may be missing: 0.',
    input: unread({ anyOf: [parameterSchema(licenseShape, 'create'), newGenerator.schema.body] }),
    sends: {
      license_key: LICENSE_KEY,
      valid_for: 365,
      status: 'active',
      activations_limit: 2,
      order_id: 4711,
      product_id: 12,
    },
    data: Type.Union([License, ChangedGenerator]),
    errors: ['license_key_exists', 'invalid_values', 'generator_name_missing', 'generators_not_allowed'],
    async handler({ request, execute }) {
      if (isForGenerator(request)) {
        requireEndpoint(request, 'generators.create');
        const input = newGenerator.read(request);
        return presentChangedGenerator(await execute('create-generator', input), audience(request));
      }
      requireEndpoint(request, 'licenses.create');
      const values = isLikePlugin(request.apiKey)
        ? withDefaults(createInput(pluginLicenseShape, request), { validFor: 0, activationsLimit: 0 })
        : createInput(licenseShape, request);
      const created = await execute('create-license', { ...values, source: LICENSE_SOURCE.api });
      return presentLicense(created, audience(request));
    },
  });

  route.update('/licenses/:license_key', {
    operationId: 'updateLicense',
    summary: 'Update a license',
    description: `${UPDATING} To renew a license, send expires_at: valid_for alone does not change when it expires.`,
    endpoint: 'licenses.update',
    input: update(licenseShape),
    sends: { status: 'active', activations_limit: 5 },
    data: License,
    errors: ['license_not_found', 'license_key_exists', 'invalid_values'],
    handler: async ({ request, params, input: changes, execute }) =>
      presentLicense(
        await execute('update-license', { named: params.license_key, changes }),
        audience(request),
      ),
  });

  route.delete('/licenses/:license_key', {
    operationId: 'deleteLicense',
    summary: 'Delete a license and its activations',
    endpoint: 'licenses.delete',
    errors: ['license_not_found'],
    handler: ({ params, execute }) => inSteps(() => execute('delete-license', { named: params.license_key })),
  });
}

function isForGenerator(request: FastifyRequest): boolean {
  const { charset, license_key: key } = parametersOf(request);
  const isSet = (value: unknown) => value !== undefined && value !== null && value !== '';
  return isSet(charset) && !isSet(key);
}

const END = ']}}';

/** Yields the answer as text in pieces, because all activations of a license may not fit in memory. */
async function* licenseInPieces(
  first: FoundLicense,
  rest: AsyncIterable<Activation[]>,
  shown: (activation: Activation) => Activation,
  to: Audience,
): AsyncGenerator<string> {
  // `activations` is the last field, so more activations can be appended.
  yield JSON.stringify(success(presentLicenseWithActivations(first, to))).slice(0, -END.length);
  let separator = first.activations.length > 0 ? ',' : '';
  for await (const activations of rest) {
    if (activations.length === 0) continue;
    yield separator + activations.map((one) => JSON.stringify(presentActivation(shown(one)))).join(',');
    separator = ',';
  }
  yield END;
}
