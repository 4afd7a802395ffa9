import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { ActivationSearch } from '../../../domain/activation.ts';
import { type Created, oneOf, optional, reference, text } from '../../../domain/fields.ts';
import type { Found, FoundActivation } from '../../../store/store.ts';
import { refuse, unwrap } from '../../errors.ts';
import { consoleActorOf } from '../../people/session.ts';
import { createInput } from '../../requests.ts';
import type { Services } from '../../services.ts';
import { idOf } from '../ids.ts';
import { adminPageOf, pageQuery } from '../paging.ts';
import { adminSchema, pageOf } from '../route-schema.ts';
import { ActivationRecord, presentActivation } from './license-records.ts';

const tags = ['Activations'];
const path = { activation_id: Type.Integer() };
type ById = { Params: { activation_id: string } };
type OfLicense = { Params: { license_id: string } };

const ofLicenseShape = {
  state: optional(oneOf(['valid', 'deactivated', 'all'], 'all when not sent')),
};
const filterShape = {
  ...ofLicenseShape,
  licenseId: optional(reference()),
  softwareId: optional(reference()),
  label: optional(text({ max: 255, description: 'How the label begins, in any case' })),
  address: optional(text({ max: 255, description: 'The whole address' })),
};

function filterOf({ state, ...sent }: Created<typeof filterShape>): ActivationSearch {
  return {
    ...Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== null)),
    ...(state !== null && state !== 'all' && { isValid: state === 'valid' }),
  };
}

const answer = (request: FastifyRequest, found: Found<FoundActivation>) => ({
  items: found.items.map((one) => presentActivation(request, one)),
  next: found.next,
  total: found.total,
  total_is_more: found.totalIsMore,
});

export function activationRoutes(app: FastifyInstance, { store, execute }: Services): void {
  const searched = async (request: FastifyRequest, filter: ActivationSearch) =>
    answer(request, await store.read.activations.search(filter, { ...adminPageOf(request), counted: true }));
  /** As it is now. @throws 404 */
  const found = async (request: FastifyRequest<ById>): Promise<FoundActivation> => {
    const id = idOf(request.params.activation_id, 'activation_not_found');
    const one = await store.read.activations.find(id);
    if (!one) throw refuse('activation_not_found', { named: String(id) });
    const { softwareId } = one.activation;
    const software = softwareId === null ? null : await store.read.software.find(softwareId);
    return { ...one, softwareName: software?.name ?? null };
  };

  app.get('/activations', {
    config: { session: 'records.read' },
    schema: adminSchema({
      operationId: 'listActivations',
      summary: 'Look for activations, newest first',
      description: 'Counts up to 10,000.',
      tags,
      query: pageQuery(filterShape),
      data: pageOf(ActivationRecord),
    }),
    handler: (request) => searched(request, filterOf(createInput(filterShape, request))),
  });

  app.get<OfLicense>('/licenses/:license_id/activations', {
    config: { session: 'records.read' },
    schema: adminSchema({
      operationId: 'listLicenseActivations',
      summary: 'List the activations of a license, newest first',
      tags,
      path: { license_id: Type.Integer() },
      query: pageQuery(ofLicenseShape),
      data: pageOf(ActivationRecord),
    }),
    handler: (request) => {
      const licenseId = idOf(request.params.license_id, 'license_not_found');
      const { state } = createInput(ofLicenseShape, request);
      return searched(request, filterOf({ state, licenseId, softwareId: null, label: null, address: null }));
    },
  });

  app.post<ById>('/activations/:activation_id/deactivate', {
    config: { session: 'licenses.write' },
    schema: adminSchema({
      operationId: 'deactivateActivation',
      summary: 'End an activation; its place is free again',
      tags,
      path,
      data: ActivationRecord,
    }),
    handler: async (request) => {
      const before = await found(request);
      const { token } = before.activation;
      const done = unwrap(await execute('deactivate-activation', { token }, consoleActorOf(request)));
      return presentActivation(request, { ...before, ...done });
    },
  });

  app.post<ById>('/activations/:activation_id/reactivate', {
    config: { session: 'licenses.write' },
    schema: adminSchema({
      operationId: 'reactivateActivation',
      summary: 'Make an activation valid again, where its license has a place for it',
      tags,
      path,
      data: ActivationRecord,
    }),
    handler: async (request) => {
      const before = await found(request);
      const { id } = before.activation;
      const done = unwrap(await execute('reactivate-activation', { id }, consoleActorOf(request)));
      return presentActivation(request, { ...before, ...done });
    },
  });

  app.delete<ById>('/activations/:activation_id', {
    config: { session: 'activations.delete' },
    schema: adminSchema({
      operationId: 'deleteActivation',
      summary: 'Delete an activation; the place of a valid one is free again',
      tags,
      path,
      data: Type.Object({}),
    }),
    handler: async (request) => {
      const id = idOf(request.params.activation_id, 'activation_not_found');
      unwrap(await execute('delete-activation', { id }, consoleActorOf(request)));
      return {};
    },
  });
}
