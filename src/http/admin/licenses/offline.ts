import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { licenseFile } from '../../../app/leases/license-file.ts';
import { leaseOffline } from '../../../app/leases/offline-lease.ts';
import { findOfText } from '../../../app/leases/offline-lookup.ts';
import { readReceipt, readRequest, signedText } from '../../../app/leases/offline-texts.ts';
import { ACTIVATION_SOURCE, type LicensedActivation } from '../../../domain/activation.ts';
import { toDatetime } from '../../../domain/datetime.ts';
import { required } from '../../../domain/fields.ts';
import { unwrap } from '../../errors.ts';
import { secrets } from '../../input.ts';
import type { Services } from '../../services.ts';
import { adminRouter, idOf, nullable } from '../route.ts';
import { ActivationRecord, LicenseRecord, presentActivation, presentLicense } from './license-records.ts';

const OfflineText = Type.Object({
  kind: Type.Enum(['request', 'receipt']),
  /** Time by the clock of the device. */
  made_at: Type.String(),
  label: nullable(Type.String()),
  fingerprint: nullable(Type.String()),
  product_id: nullable(Type.Integer()),
  license: LicenseRecord,
  /** For a request, the activation whose seat the device has. For a receipt, the activation that it ends. */
  activation: nullable(ActivationRecord),
});
const OfflineLease = Type.Object({
  activation: ActivationRecord,
  license: LicenseRecord,
  /** `LKLEASE1.…` */
  lease: Type.String(),
  lease_expires_at: Type.String(),
});

export function offlineRoutes(app: FastifyInstance, services: Services): void {
  const keep = services.settings.historyKeep;
  const { store, clock } = services;
  const now = () => toDatetime(clock());
  const route = adminRouter(app, 'Activations');
  const present = (request: FastifyRequest, found: LicensedActivation) =>
    presentActivation(request, { ...found, softwareName: null }, now());

  route.post('/offline/read', {
    operationId: 'readOfflineText',
    summary: 'Read a request or a receipt of a device without network; changes nothing',
    session: 'licenses.write',
    input: secrets({ text: required(signedText('LKREQ1.… or LKOFF1.…')) }),
    data: OfflineText,
    async handler({ request, input, actor }) {
      const found = unwrap(await findOfText(store.read, input.text, actor, now()));
      const { license, activation } = found;
      return {
        ...found,
        license: presentLicense(request, license, now(), store.read.licenses),
        activation: activation && present(request, { license, activation }),
      };
    },
  });

  route.post('/offline/activate', {
    operationId: 'activateOffline',
    summary: 'Activate a device without network by its request, and sign its lease',
    session: 'licenses.write',
    input: secrets({ request: required(signedText('LKREQ1.…')) }),
    data: OfflineLease,
    async handler({ request, input, actor }) {
      const asked = unwrap(readRequest(input.request, now()));
      const iss = request.publicOrigin();
      const from = { iss, source: ACTIVATION_SOURCE.console, ipAddress: null, userAgent: null, keep };
      const { activated, lease, expiresAt } = unwrap(await leaseOffline(services, asked, from, actor));
      return {
        activation: present(request, activated),
        license: presentLicense(request, activated.license, now(), store.read.licenses),
        lease,
        leaseExpiresAt: expiresAt,
      };
    },
  });

  route.post('/licenses/:license_id/file', {
    operationId: 'createLicenseFile',
    summary: 'Make a license file, for any device, and record that in the audit trail',
    session: 'licenses.write',
    data: Type.Object({ name: Type.String(), text: Type.String() }),
    async handler({ request, params, actor }) {
      const of = { named: { id: idOf(params.license_id, 'license') }, token: null };
      return unwrap(await licenseFile(services, of, request.publicOrigin(), actor));
    },
  });

  route.post('/offline/deactivate', {
    operationId: 'deactivateOffline',
    summary: 'End the activation of a device without network by its receipt',
    session: 'licenses.write',
    input: secrets({ receipt: required(signedText('LKOFF1.…')) }),
    data: ActivationRecord,
    async handler({ request, input, execute }) {
      const receipt = unwrap(readReceipt(input.receipt, now()));
      return present(request, await execute('end-offline', { receipt, keep }));
    },
  });
}
