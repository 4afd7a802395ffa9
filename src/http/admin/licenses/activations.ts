import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type from 'typebox';
import {
  ACTIVATION_SOURCE,
  type ActivationSearch,
  activateShape,
  labelStarts,
} from '../../../domain/activation.ts';
import { toDatetime } from '../../../domain/datetime.ts';
import { type Created, integer, oneOf, optional, reference, text } from '../../../domain/fields.ts';
import type { FoundActivation, PageById } from '../../../store/store.ts';
import { refuse } from '../../errors.ts';
import { create } from '../../input.ts';
import type { Services } from '../../services.ts';
import { pageOf, pageQuery } from '../paging.ts';
import { adminRouter, idOf } from '../route.ts';
import { ActivationRecord, presentActivation } from './license-records.ts';

const ofLicenseShape = {
  state: optional(oneOf(['valid', 'deactivated', 'all'], 'all by default')),
};
const filterShape = {
  ...ofLicenseShape,
  licenseId: optional(reference()),
  softwareId: optional(reference()),
  label: optional(text({ max: 255, description: 'The beginning of the label, in any case' })),
  address: optional(text({ max: 255, description: 'The whole address' })),
};
const createShape = { label: activateShape.label };
/** The license limits the hours. */
const extendShape = {
  borrowHours: optional(integer({ description: 'Hours to borrow the seat for; 0, the default, for none' })),
};

function filterOf({
  state = null,
  label = null,
  ...sent
}: Partial<Created<typeof filterShape>>): ActivationSearch {
  return {
    ...Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== null)),
    ...(label !== null && { labels: labelStarts(label) }),
    ...(state !== null && state !== 'all' && { isValid: state === 'valid' }),
  };
}

const activationId = (sent: string) => idOf(sent, 'activation');

export function activationRoutes(app: FastifyInstance, { store, clock, settings }: Services): void {
  const keep = settings.historyKeep;
  const route = adminRouter(app, 'Activations');
  const present = (request: FastifyRequest, found: FoundActivation) =>
    presentActivation(request, found, toDatetime(clock()));

  async function search(request: FastifyRequest, filter: ActivationSearch, page: PageById) {
    const found = await store.read.activations.search(filter, { ...page, counted: true });
    return { ...found, items: found.items.map((one) => present(request, one)) };
  }
  /** Finds an activation by the id in the path. @throws 404 */
  async function find(sent: string): Promise<FoundActivation> {
    const id = activationId(sent);
    const found = await store.read.activations.find(id);
    if (!found) throw refuse('record_not_found', { kind: 'activation', named: String(id) });
    const { softwareId } = found.activation;
    const software = softwareId === null ? null : await store.read.software.find(softwareId);
    return { ...found, softwareName: software?.name ?? null };
  }

  route.get('/activations', {
    operationId: 'listActivations',
    summary: 'Search activations, newest first',
    description: 'Counts up to 10,000.',
    session: 'records.read',
    input: pageQuery(filterShape),
    data: pageOf(ActivationRecord),
    handler: ({ request, input }) => search(request, filterOf(input.filter), input.page),
  });

  route.get('/licenses/:license_id/activations', {
    operationId: 'listLicenseActivations',
    summary: 'List the activations of a license, newest first',
    session: 'records.read',
    input: pageQuery(ofLicenseShape),
    data: pageOf(ActivationRecord),
    handler({ request, params, input: { filter, page } }) {
      const licenseId = idOf(params.license_id, 'license');
      return search(request, filterOf({ ...filter, licenseId }), page);
    },
  });

  route.post('/licenses/:license_id/activations', {
    operationId: 'createActivation',
    summary: 'Activate a license by hand, for a device that somebody sets up',
    description: 'Only this answer shows the token.',
    session: 'licenses.write',
    input: create(createShape),
    data: Type.Object({ activation: ActivationRecord, token: Type.String() }),
    async handler({ request, params, input: { label }, execute }) {
      const named = { id: idOf(params.license_id, 'license') };
      const from = { source: ACTIVATION_SOURCE.console, ipAddress: null, userAgent: null, keep };
      const input = { named, label, token: null, software: null, meta: null, ...from };
      const activated = await execute('activate-license', input);
      const activation = present(request, { ...activated, softwareName: null });
      return { activation, token: activated.activation.token };
    },
  });

  route.post('/activations/:activation_id/deactivate', {
    operationId: 'deactivateActivation',
    summary: 'Deactivate an activation and free its seat',
    session: 'licenses.write',
    data: ActivationRecord,
    async handler({ request, params, execute }) {
      const before = await find(params.activation_id);
      const { token } = before.activation;
      const after = await execute('deactivate-activation', { token, keep });
      return present(request, { ...before, ...after });
    },
  });

  route.post('/activations/:activation_id/reactivate', {
    operationId: 'reactivateActivation',
    summary: 'Reactivate an activation, if its license has a free seat',
    session: 'licenses.write',
    data: ActivationRecord,
    async handler({ request, params, execute }) {
      const before = await find(params.activation_id);
      const { id } = before.activation;
      const after = await execute('reactivate-activation', { id });
      return present(request, { ...before, ...after });
    },
  });

  route.post('/activations/:activation_id/extend', {
    operationId: 'extendActivation',
    summary: 'Extend the floating seat of an activation by its full time from now, or borrow it for longer',
    session: 'licenses.write',
    input: create(extendShape),
    data: ActivationRecord,
    async handler({ request, params, input: { borrowHours }, execute }) {
      const before = await find(params.activation_id);
      const { id } = before.activation;
      const after = await execute('hold-seat', { id, borrowHours: borrowHours ?? 0 });
      return present(request, { ...before, ...after });
    },
  });

  route.delete('/activations/:activation_id', {
    operationId: 'deleteActivation',
    summary: 'Delete an activation and free its seat, if it is valid',
    session: 'activations.delete',
    handler: ({ params, execute }) =>
      execute('delete-activation', { id: activationId(params.activation_id) }),
  });
}
