import type { FastifyInstance, RouteOptions } from 'fastify';
import Type from 'typebox';
import { validateActivation } from '../../app/licenses/activations.ts';
import { ACTIVATION_SOURCE, activateShape } from '../../domain/activation.ts';
import type { Endpoint } from '../../domain/api-key.ts';
import { toDatetime } from '../../domain/datetime.ts';
import { actorOf } from '../authentication.ts';
import { ignoreBody } from '../body.ts';
import { clientOf } from '../client.ts';
import { unwrap } from '../errors.ts';
import { parameterSchema } from '../parameter-schema.ts';
import { createInput } from '../requests.ts';
import type { Services } from '../services.ts';
import { presentLicensedActivation, success } from './present.ts';
import { routeSchema } from './route-schema.ts';
import { LicensedActivation } from './schemas.ts';

const tags = ['Activations'];
const tokenPath = { activation_token: Type.String() };
type ByKey = { Params: { license_key: string } };
type ByToken = { Params: { activation_token: string } };

export function activationRoutes(app: FastifyInstance, services: Services): void {
  const { execute, clock } = services;
  const now = () => toDatetime(clock());
  /** These change something under GET, so HEAD is no route; and they need no more than read, under any method. */
  const changing = (endpoint: Endpoint) =>
    ({
      exposeHeadRoute: false,
      config: { endpoint, access: 'read' },
      preHandler: ignoreBody,
    }) satisfies Partial<RouteOptions>;

  for (const method of ['GET', 'POST'] as const) {
    app.route<ByKey>({
      method,
      url: '/licenses/activate/:license_key',
      ...changing('licenses.activate'),
      schema: routeSchema({
        summary: 'Activate a license',
        description:
          'Takes one of its places. With the token of a deactivated activation, makes that one valid again.',
        tags,
        path: { license_key: Type.String({ description: 'The key, or hashed-{hash}' }) },
        [method === 'GET' ? 'query' : 'body']: parameterSchema(activateShape, 'query'),
        data: LicensedActivation,
        errors: [
          'license_not_found',
          'license_expired',
          'license_disabled',
          'activation_limit_reached',
          'activation_not_found',
          'activation_of_another_license',
          'activation_already_active',
          'software_not_covered',
          'invalid_values',
        ],
      }),
      handler: async (request) => {
        const input = {
          ...createInput(activateShape, request),
          named: request.params.license_key,
          source: ACTIVATION_SOURCE.api,
          ...clientOf(request),
        };
        const activated = unwrap(await execute('activate-license', input, actorOf(request)));
        return success(presentLicensedActivation(activated, now()));
      },
    });
  }

  app.get<ByToken>('/licenses/validate/:activation_token', {
    config: { endpoint: 'licenses.validate', access: 'read' },
    schema: routeSchema({
      summary: 'Validate an activation',
      description:
        'Answers for expired and disabled licenses, too: read license.is_expired and license.status.',
      tags,
      path: tokenPath,
      data: LicensedActivation,
      errors: ['activation_not_found', 'activation_deactivated'],
    }),
    handler: async (request) => {
      const { activation_token } = request.params;
      const valid = unwrap(await validateActivation(services, activation_token, actorOf(request)));
      return success(presentLicensedActivation(valid, now()));
    },
  });

  app.get<ByToken>('/licenses/deactivate/:activation_token', {
    ...changing('licenses.deactivate'),
    schema: routeSchema({
      summary: 'Deactivate an activation',
      description: 'Frees its place, whatever the state of the license.',
      tags,
      path: tokenPath,
      data: LicensedActivation,
      errors: ['activation_not_found', 'activation_already_deactivated'],
    }),
    handler: async (request) => {
      const input = { token: request.params.activation_token };
      const deactivated = unwrap(await execute('deactivate-activation', input, actorOf(request)));
      return success(presentLicensedActivation(deactivated, now()));
    },
  });
}
