import type { FastifyInstance } from 'fastify';
import { leaseOffline } from '../../app/leases/offline-lease.ts';
import { readReceipt, readRequest } from '../../app/leases/offline-texts.ts';
import { ACTIVATION_SOURCE } from '../../domain/activation.ts';
import { toDatetime } from '../../domain/datetime.ts';
import { publicActorOf } from '../authentication.ts';
import { clientOf } from '../client-address.ts';
import { unwrap } from '../errors.ts';
import type { Services } from '../services.ts';
import { IS_PUBLIC, withHolders } from './caller.ts';
import { OFFLINE_OPERATIONS } from './offline-documentation.ts';
import { presentSeat } from './present.ts';
import { receiptInput, requestInput } from './request.ts';

/** Routes for devices without network: another device sends the texts that they have written. */
export function offlineRoutes(api: FastifyInstance, services: Services): void {
  const { store, clock, execute, settings } = services;
  const keep = settings.historyKeep;
  const now = () => toDatetime(clock());

  api.post(
    '/offline-activate',
    { ...IS_PUBLIC, schema: OFFLINE_OPERATIONS.activate },
    async (request, reply) => {
      const asked = unwrap(readRequest(requestInput.read(request).request, now()));
      const from = { iss: request.publicOrigin(), ...clientOf(request), source: ACTIVATION_SOURCE.api, keep };
      const leased = await leaseOffline(services, asked, from, publicActorOf(request));
      const { activated, lease } = unwrap(await withHolders(store.read, leased, asked.key, now()));
      reply.code(activated.isNew ? 201 : 200);
      return presentSeat(activated, lease, false);
    },
  );

  api.post(
    '/offline-deactivate',
    { ...IS_PUBLIC, schema: OFFLINE_OPERATIONS.deactivate },
    async (request, reply) => {
      const receipt = unwrap(readReceipt(receiptInput.read(request).receipt, now()));
      unwrap(await execute('end-offline', { receipt, keep }, publicActorOf(request)));
      return reply.code(204).send();
    },
  );
}
