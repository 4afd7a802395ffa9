import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { inSteps } from '../../../app/discarding.ts';
import { createLicenseOf } from '../../../app/licenses/create-license-of.ts';
import { findLicense } from '../../../app/licenses/licenses.ts';
import { toDatetime } from '../../../domain/datetime.ts';
import { optional, reference, required } from '../../../domain/fields.ts';
import { fullLicenseShape, type License, licenseKey } from '../../../domain/licenses/license.ts';
import { bulkOf, bulkShape, skipGone, someLicenses } from '../../../domain/licenses/license-bulk.ts';
import { isPlaceOf, orderShape, placeText } from '../../../domain/licenses/license-order.ts';
import {
  licenseSearch,
  licenseSearchShape,
  SUFFIX_LENGTH,
  SUFFIX_MAX,
} from '../../../domain/licenses/license-search.ts';
import { invalid, unwrap } from '../../errors.ts';
import { create, update } from '../../input.ts';
import { mayAlso, needPermission, sessionOf } from '../../people/session.ts';
import type { Services } from '../../services.ts';
import { pageQuery } from '../paging.ts';
import { adminRouter, idOf, nullable } from '../route.ts';
import { LicensePage, LicenseRecord, presentLicense } from './license-records.ts';

/** A new license in the console: its key is sent or drawn by a generator; values that are not sent are empty. */
const newShape = {
  ...fullLicenseShape,
  licenseKey: optional(licenseKey),
  generatorId: optional(reference('Draws the key if none is sent')),
  validFor: optional(fullLicenseShape.validFor.field),
  activationsLimit: optional(fullLicenseShape.activationsLimit.field),
};
const idsShape = { ids: required(someLicenses), skipGone };
/** The ids that were skipped because their licenses are gone. */
const gone = Type.Array(Type.Integer());

const PreviousValues = Type.Object({
  id: Type.Integer(),
  status: Type.Integer(),
  expires_at: nullable(Type.String()),
  /** The values that the change set. A license is restored only if it still has them. */
  set_status: Type.Integer(),
  set_expires_at: nullable(Type.String()),
});
const named = ({ license_id }: { license_id: string }) => ({ id: idOf(license_id, 'license') });

export function licenseRoutes(app: FastifyInstance, services: Services): void {
  const { store, clock } = services;
  const now = () => toDatetime(clock());
  const present = (request: FastifyRequest, license: License) =>
    presentLicense(request, license, now(), store.read.licenses);
  const route = adminRouter(app, 'Licenses');

  route.get('/licenses', {
    operationId: 'listLicenses',
    summary: 'Search licenses, newest first or in another order',
    description: 'Counts up to 10,000. With a search text, only the newest 10,000 matches are sorted.',
    session: 'records.read',
    input: pageQuery({ ...licenseSearchShape, ...orderShape }),
    data: LicensePage,
    async handler({ request, input: { page, filter: sent } }) {
      const { sort, after, ...filter } = sent;
      if (sort && after && !isPlaceOf(sort, after)) throw invalid('after', 'not_a_place');
      const suffixMax = mayAlso(request, 'licenses.keys') ? SUFFIX_MAX : SUFFIX_LENGTH;
      const search = licenseSearch(filter, now(), suffixMax);
      const found = await store.read.licenses.search(search, { ...page, sort, after, counted: true });
      const next = found.nextPlace ? placeText(found.nextPlace) : found.next;
      return { ...found, next, items: found.items.map((license) => present(request, license)) };
    },
  });

  route.post('/licenses', {
    operationId: 'createLicense',
    summary: 'Create a license',
    session: 'licenses.write',
    repeatable: true,
    input: create(newShape),
    data: LicenseRecord,
    handler: async ({ request, input, actor, repeated }) =>
      present(request, unwrap(await createLicenseOf(services, input, actor, repeated))),
  });

  route.get('/licenses/:license_id', {
    operationId: 'getLicense',
    summary: 'Get a license',
    session: 'records.read',
    data: LicenseRecord,
    handler: async ({ request, params, actor }) =>
      present(request, unwrap(await findLicense(store.read, named(params), actor))),
  });

  route.patch('/licenses/:license_id', {
    operationId: 'updateLicense',
    summary: 'Update the values of a license that are sent; null clears a value',
    description: 'Only users who may see whole keys may change the key.',
    session: 'licenses.write',
    edits: 'license',
    input: update(fullLicenseShape),
    data: LicenseRecord,
    async handler({ request, params, input: changes, execute }) {
      if (changes.licenseKey !== undefined) needPermission(sessionOf(request), 'licenses.keys');
      return present(request, await execute('update-license', { named: named(params), changes }));
    },
  });

  route.delete('/licenses/:license_id', {
    operationId: 'deleteLicense',
    summary: 'Delete a license and its activations',
    session: 'licenses.delete',
    handler: ({ params, execute }) => inSteps(() => execute('delete-license', { named: named(params) })),
  });

  route.post('/licenses/:license_id/reveal', {
    operationId: 'revealLicenseKey',
    summary: 'Show the whole key of a license and record that in the audit trail',
    session: 'licenses.reveal',
    data: Type.Object({ license_key: Type.String() }),
    handler: async ({ params, execute }) => ({
      licenseKey: await execute('reveal-license-key', named(params)),
    }),
  });

  route.post('/licenses/bulk', {
    operationId: 'changeLicenses',
    summary: 'Change the status or the expiry of many licenses: all of them or none',
    description:
      'To undo the change, send `previous` of the answer as `restore`. Only licenses that still have the values of the ' +
      'change are restored. With skip_gone, deleted licenses are skipped.',
    session: 'licenses.write',
    repeatable: true,
    input: create(bulkShape),
    data: Type.Object({
      previous: Type.Array(PreviousValues),
      /** The ids of licenses that already had the values, or that never expire and were to be extended. */
      unchanged: Type.Array(Type.Integer()),
      gone,
      /** The ids of licenses that were not restored because they have changed since. */
      kept: Type.Array(Type.Integer()),
    }),
    handler: ({ input, execute }) => execute('change-licenses', unwrap(bulkOf(input))),
  });

  route.post('/licenses/bulk/delete', {
    operationId: 'deleteLicenses',
    summary: 'Delete many licenses and their activations: all of them or none',
    session: 'licenses.delete',
    input: create(idsShape),
    data: Type.Object({ gone }),
    handler: ({ input, execute }) => inSteps(() => execute('delete-licenses', input)),
  });
}
