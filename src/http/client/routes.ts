import type { FastifyInstance, FastifyRequest } from 'fastify';
import { countValidation, extendIfDue, mayUse } from '../../app/licenses/validate.ts';
import { findNamedSoftware } from '../../app/releases/software.ts';
import { ACTIVATION_SOURCE } from '../../domain/activation.ts';
import { toDatetime } from '../../domain/datetime.ts';
import { publicActorOf } from '../authentication.ts';
import { readJsonBodies } from '../body.ts';
import { clientOf } from '../client-address.ts';
import { HttpProblem, refuse, unwrap } from '../errors.ts';
import { repeatable } from '../repeatable.ts';
import type { Services } from '../services.ts';
import { IS_PUBLIC, refuseHash, tokenOf, withHolders } from './caller.ts';
import { OPERATIONS } from './documentation.ts';
import { offlineRoutes } from './offline.ts';
import { presentSeat } from './present.ts';
import { activateInput, validateInput } from './request.ts';
import { revocationRoute } from './revocations.ts';
import { updateRoutes } from './updates.ts';

export const CLIENT_ROOT = '/client/v1';

/** Request headers that browsers may send from other origins. */
export const CLIENT_HEADERS = ['Authorization', 'Content-Type', 'Idempotency-Key', 'If-None-Match'];

/** The API for programs that ship no secret: the license key activates a device, and the activation token does the rest. */
export async function clientRoutes(app: FastifyInstance, services: Services): Promise<void> {
  const { store, clock, execute, leases, settings } = services;
  const keep = settings.historyKeep;
  const now = () => toDatetime(clock());
  /** Returns the id of the software; 0 if it does not exist, null if none is named. */
  const softwareOf = async (named: string | null): Promise<number | null> => {
    if (named === null) return null;
    return (await findNamedSoftware(store.read, named))?.id ?? 0;
  };

  type Text = string | null;
  const aboutLease = (request: FastifyRequest, fingerprint: Text, nonce: Text) => ({
    iss: request.publicOrigin(),
    fingerprint,
    nonce,
  });
  /** Returns the lease of a device that was just activated. */
  const leaseAfter = async (request: FastifyRequest, token: string, fingerprint: Text, nonce: Text) => {
    const found = await store.read.activations.findLeasable(token);
    return found && leases.lease(found, aboutLease(request, fingerprint, nonce));
  };

  await app.register(
    async (api) => {
      const nowhere = () => {
        throw refuse('no_route');
      };
      // Cast, because Fastify's types lack `config` here. With `public`, unknown addresses need no credentials either.
      api.setNotFoundHandler({ config: { public: true } } as object, nowhere);
      if (settings.clientApi === 'off') return;
      readJsonBodies(api);

      api.post('/activate', { ...IS_PUBLIC, schema: OPERATIONS.activate }, async (request, reply) => {
        const sent = activateInput.read(request);
        const { licenseKey, software, borrowHours, takeover, nonce, ...input } = sent;
        refuseHash(licenseKey);
        const activated = await execute(
          'activate-license',
          {
            ...input,
            ...clientOf(request),
            named: licenseKey,
            token: null,
            source: ACTIVATION_SOURCE.api,
            keep,
            software: await softwareOf(software),
            mustCover: true,
            first: 'disabled',
            leases: true,
            borrowHours: borrowHours ?? 0,
            takeover: takeover ?? false,
            request: repeatable(request, 'activate', sent),
          },
          publicActorOf(request),
        );
        const seated = unwrap(await withHolders(store.read, activated, licenseKey, now()));
        reply.code(seated.isNew ? 201 : 200);
        const lease = await leaseAfter(request, seated.activation.token, input.fingerprint, nonce);
        return presentSeat(seated, lease, true);
      });

      api.post('/validate', { ...IS_PUBLIC, schema: OPERATIONS.validate }, async (request) => {
        const { fingerprint, nonce } = validateInput.read(request);
        const found = unwrap(
          await mayUse(store.read, tokenOf(request), fingerprint, publicActorOf(request), now()),
        );
        const extended = unwrap(await extendIfDue(services, found, publicActorOf(request)));
        countValidation(services, extended);
        const lease = await leases.lease({ ...found, ...extended }, aboutLease(request, fingerprint, nonce));
        return presentSeat(extended, lease, false);
      });

      api.post('/deactivate', { ...IS_PUBLIC, schema: OPERATIONS.deactivate }, async (request, reply) => {
        const token = tokenOf(request);
        const ended = await execute(
          'deactivate-activation',
          { token, keep, request: repeatable(request, 'deactivate', token) },
          publicActorOf(request),
        );
        const hasEnded = ended.ok || ended.refusal.code === 'activation_already_deactivated';
        if (!hasEnded && !(await store.read.activations.wasDeleted(token)))
          throw new HttpProblem(ended.refusal);
        return reply.code(204).send();
      });

      offlineRoutes(api, services);
      updateRoutes(api, services);
      revocationRoute(api, services);
    },
    { prefix: CLIENT_ROOT },
  );
}
