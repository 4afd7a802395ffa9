import type { FastifyInstance } from 'fastify';
import { validateActivation } from '../../app/licenses/validate.ts';
import { ACTIVATION_SOURCE, activateShape, metaFrom } from '../../domain/activation.ts';
import { isLikePlugin } from '../../domain/api-key.ts';
import { clientOf } from '../client-address.ts';
import { unwrap } from '../errors.ts';
import { create, query } from '../input.ts';
import type { Services } from '../services.ts';
import { DEACTIVATED, VALIDATED } from './answer-examples.ts';
import { audienceAt, presentLicensedActivation } from './present.ts';
import { v1Router } from './route.ts';
import { LicensedActivation } from './schemas.ts';

export function activationRoutes(app: FastifyInstance, services: Services): void {
  const keep = services.settings.historyKeep;
  const audience = audienceAt(services.clock);
  const route = v1Router(app, 'Activations');

  for (const [method, inputOf] of [
    ['get', query],
    ['post', create],
  ] as const) {
    route[method]('/licenses/activate/:license_key', {
      operationId: 'activateLicense',
      summary: 'Activate a license',
      description:
        'Takes a seat of the license, or returns the one that the fingerprint has. Use POST: a library or a proxy may repeat a GET, and without a fingerprint each one takes a seat. With the token of a deactivated activation, reactivates that one.',
      endpoint: 'licenses.activate',
      access: 'read',
      changes: true,
      input: inputOf(activateShape),
      sends: { label: 'Office laptop', meta: { os: 'linux', version: '1.4.0' } },
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
      async handler({ request, params, input, execute }) {
        const source = ACTIVATION_SOURCE.api;
        const meta = metaFrom(request.apiKey, input.meta);
        const activation = { ...input, meta, named: params.license_key, source, ...clientOf(request), keep };
        return presentLicensedActivation(await execute('activate-license', activation), audience(request));
      },
    });
  }

  route.get('/licenses/validate/:activation_token', {
    operationId: 'validateActivation',
    summary: 'Validate an activation',
    description:
      'Also succeeds for expired and disabled licenses: read license.is_expired and license.status. With an API key of ' +
      'plugin compatibility, also for a deactivated activation: read deactivated_at.',
    endpoint: 'licenses.validate',
    data: LicensedActivation,
    answers: VALIDATED,
    errors: ['activation_not_found', 'activation_deactivated'],
    async handler({ request, params: { activation_token: token }, actor }) {
      const deactivated = isLikePlugin(request.apiKey) ? 'found' : 'refused';
      const changesNothing = request.method === 'HEAD';
      const found = unwrap(await validateActivation(services, { token, deactivated, changesNothing }, actor));
      return presentLicensedActivation(found, audience(request));
    },
  });

  route.get('/licenses/deactivate/:activation_token', {
    operationId: 'deactivateActivation',
    summary: 'Deactivate an activation',
    description: 'Frees its seat, whatever the status of the license.',
    endpoint: 'licenses.deactivate',
    changes: true,
    data: LicensedActivation,
    answers: DEACTIVATED,
    errors: ['activation_not_found', 'activation_already_deactivated'],
    handler: async ({ request, params: { activation_token: token }, execute }) =>
      presentLicensedActivation(await execute('deactivate-activation', { token, keep }), audience(request)),
  });
}
