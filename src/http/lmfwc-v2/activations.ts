import type { FastifyInstance } from 'fastify';
import { inSteps } from '../../app/discarding.ts';
import { getLicense } from '../../app/licenses/licenses.ts';
import { validateActivation } from '../../app/licenses/validate.ts';
import { ACTIVATION_SOURCE, type Activation, activateShape, metaFrom } from '../../domain/activation.ts';
import { clientOf } from '../client-address.ts';
import { unwrap } from '../errors.ts';
import { query } from '../input.ts';
import type { Services } from '../services.ts';
import { allActivations, shownTo } from './licenses.ts';
import { presentActivation, presentActivations, presentChangedLicense, presentCounts } from './present.ts';
import { readToken, versionOf } from './request.ts';
import { lmfwcRouter } from './route.ts';

const { label, meta } = activateShape;

export function activationRoutes(app: FastifyInstance, services: Services): void {
  const { store, settings } = services;
  const keep = settings.historyKeep;
  const route = lmfwcRouter(app);

  route('GET', '/licenses/activate/:license_key', {
    endpoint: 'licenses.activate',
    changes: true,
    input: query({ label, meta }),
    async handler({ request, params, input, execute }) {
      const { activation, license } = await execute('activate-license', {
        named: params.license_key,
        token: readToken(request),
        label: input.label,
        meta: metaFrom(request.apiKey, input.meta),
        software: null,
        source: ACTIVATION_SOURCE.api,
        keep,
        ...clientOf(request),
      });
      return {
        ...presentChangedLicense(license),
        ...(versionOf(request) === 3 && { activationData: presentActivation(activation) }),
      };
    },
  });

  route('GET', '/licenses/deactivate/:license_key', {
    endpoint: 'licenses.deactivate',
    changes: true,
    async handler({ request, params: { license_key: named }, execute }) {
      const token = readToken(request);
      if (token !== null) {
        const { activation, license } = await execute('deactivate-activation', { token, named, keep });
        return { ...presentChangedLicense(license), activationData: presentActivation(activation) };
      }
      if (versionOf(request) === 2)
        return presentChangedLicense(
          (await execute('deactivate-license', { named, all: false, keep })).license,
        );
      // The answer shows only the activations of the first step: all of them may not fit in memory.
      let shown: Activation[] | undefined;
      const { license } = await inSteps(async () => {
        const step = await execute('deactivate-license', { named, all: true, keep });
        shown ??= step.activations;
        return step;
      });
      const activationData = presentActivations(shown ?? [], shownTo(request));
      return { ...presentChangedLicense(license), activationData };
    },
  });

  route('GET', '/licenses/validate/:license_key', {
    endpoint: 'licenses.validate',
    async handler({ request, params: { license_key: named }, actor }) {
      const token = readToken(request);
      const changesNothing = request.method === 'HEAD';
      if (token !== null) {
        const validated = await validateActivation(services, { token, named, changesNothing }, actor);
        const { activation, license } = unwrap(validated);
        return { ...presentCounts(license), activationData: [presentActivation(activation)] };
      }
      const { license, activations } = unwrap(await getLicense(store.read, named, actor));
      if (!changesNothing) services.usage.count('validations');
      return {
        ...presentCounts(license),
        ...(versionOf(request) === 3 && {
          activationData: await allActivations(store.read, license.id, activations, shownTo(request)),
        }),
      };
    },
  });
}
