import type { FastifyInstance, FastifyRequest } from 'fastify';
import { inSteps } from '../../app/discarding.ts';
import { getLicense } from '../../app/licenses/licenses.ts';
import { type Activation, withoutDevice } from '../../domain/activation.ts';
import { datetime, MAX_REFERENCE, optional, required } from '../../domain/fields.ts';
import { INACTIVE, LICENSE_SOURCE, type License, licenseShape } from '../../domain/licenses/license.ts';
import { ACTIVATIONS_AT_ONCE, type Reads } from '../../store/store.ts';
import { isAllowed } from '../authentication.ts';
import { clientOf } from '../client-address.ts';
import { unwrap } from '../errors.ts';
import { create, update } from '../input.ts';
import type { Services } from '../services.ts';
import { presentActivations, presentLicense } from './present.ts';
import { versionOf } from './request.ts';
import { lmfwcRouter, sendList, UPDATE } from './route.ts';

const { licenseKey, validFor, status, activationsLimit, orderId, productId, userId } = licenseShape;
/** A client that sends whole records back writes `2031-02-03T04:05:06`. It means UTC, the zone of all answers. */
const zonelessDatetime: typeof datetime = {
  ...datetime,
  read: (value) =>
    datetime.read(typeof value === 'string' && /T[0-9:]{8}$/.test(value) ? `${value}Z` : value),
};
const shape = {
  licenseKey: required(licenseKey.field),
  validFor: optional(validFor.field),
  status: optional(status.field, { clearable: false }),
  timesActivatedMax: optional(activationsLimit.field),
  orderId,
  productId,
  userId,
  expiresAt: optional(zonelessDatetime),
};

/** Licenses to read at a time for a list. In version 3, each license with a valid activation takes two more reads. */
const LISTED_AT_ONCE = 100;

/**
 * Returns how the answer shows activations that the request does not name by their tokens. Without `licenses.inspect`, it
 * hides their devices, but not the user agent of the request itself: WordPress plugins find their own activation by it.
 */
export function shownTo(request: FastifyRequest): (activation: Activation) => Activation {
  if (isAllowed(request, 'licenses.inspect')) return (activation) => activation;
  const { userAgent } = clientOf(request);
  return (activation) =>
    activation.userAgent === userAgent
      ? { ...withoutDevice(activation), userAgent }
      : withoutDevice(activation);
}

/**
 * Presents the activations of a license, as the plugin lists them.
 * @param valid the newest valid ones; the 200 that were ended last are read
 */
export async function allActivations(
  { activations }: Reads,
  license: number,
  valid: readonly Activation[],
  shown: (activation: Activation) => Activation,
) {
  const changed = await activations.changed(license, null, ACTIVATIONS_AT_ONCE);
  const all = new Map([...valid, ...changed.map((one) => one.activation)].map((one) => [one.id, one]));
  return presentActivations(
    [...all.values()].sort((one, other) => other.id - one.id),
    shown,
  );
}

export function licenseRoutes(app: FastifyInstance, { store }: Services): void {
  const route = lmfwcRouter(app);
  const { licenses, activations } = store.read;

  route('GET', '/licenses', {
    endpoint: 'licenses.list',
    async handler({ request, reply, actor }) {
      const filter = actor.products ? { products: actor.products } : {};
      const shown = shownTo(request);
      const withActivations = async (license: License) => ({
        ...presentLicense(license),
        // Reading the ended activations of all others, too, would take seconds for a long list.
        activationData:
          license.timesActivated === 0
            ? []
            : await allActivations(
                store.read,
                license.id,
                await activations.before(license.id, MAX_REFERENCE),
                shown,
              ),
      });
      await sendList<License>(
        reply,
        'No License Keys available',
        (last) => licenses.after(last?.id ?? 0, LISTED_AT_ONCE, filter),
        (page) =>
          versionOf(request) === 2 ? page.map(presentLicense) : Promise.all(page.map(withActivations)),
      );
    },
  });

  route('GET', '/licenses/:license_key', {
    endpoint: 'licenses.get',
    async handler({ request, params, actor }) {
      const found = unwrap(await getLicense(store.read, params.license_key, actor));
      return {
        ...presentLicense(found.license),
        ...(versionOf(request) === 3 && {
          activationData: await allActivations(
            store.read,
            found.license.id,
            found.activations,
            shownTo(request),
          ),
        }),
      };
    },
  });

  route('POST', '/licenses', {
    endpoint: 'licenses.create',
    input: create(shape),
    async handler({ input: { timesActivatedMax, ...sent }, execute }) {
      const license = await execute('create-license', {
        ...sent,
        status: sent.status ?? INACTIVE,
        activationsLimit: timesActivatedMax ?? 0,
        // An expiry date replaces the number of days.
        validFor: sent.expiresAt === null ? (sent.validFor ?? 0) : 0,
        source: LICENSE_SOURCE.api,
      });
      return presentLicense(license);
    },
  });

  route(UPDATE, '/licenses/:license_key', {
    endpoint: 'licenses.update',
    input: update(shape),
    async handler({ params, input: { timesActivatedMax, ...sent }, execute }) {
      const changes = {
        ...sent,
        ...(timesActivatedMax !== undefined && { activationsLimit: timesActivatedMax }),
        // Only a date replaces the number of days.
        ...(sent.expiresAt && { validFor: null }),
      };
      return presentLicense(await execute('update-license', { named: params.license_key, changes }));
    },
  });

  route('DELETE', '/licenses/:license_key', {
    endpoint: 'licenses.delete',
    since: 3,
    async handler({ params, execute }) {
      await inSteps(() => execute('delete-license', { named: params.license_key }));
      return [];
    },
  });
}
