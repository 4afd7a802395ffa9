import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { createLicenseOf } from '../../../app/licenses/create-license-of.ts';
import { findLicense } from '../../../app/licenses/licenses.ts';
import { toDatetime } from '../../../domain/datetime.ts';
import { optional, reference, required } from '../../../domain/fields.ts';
import { licenseKey, licenseShape } from '../../../domain/license.ts';
import { bulkOf, bulkShape, skipGone, someLicenses } from '../../../domain/license-bulk.ts';
import {
  licenseSearch,
  licenseSearchShape,
  SUFFIX_LENGTH,
  SUFFIX_MAX,
} from '../../../domain/license-search.ts';
import { unwrap } from '../../errors.ts';
import { parameterSchema } from '../../parameter-schema.ts';
import { consoleActorOf, mayAlso } from '../../people/session.ts';
import { createInput, updateInput } from '../../requests.ts';
import type { Services } from '../../services.ts';
import { idOf } from '../ids.ts';
import { adminPageOf, pageQuery } from '../paging.ts';
import { adminSchema, nullable } from '../route-schema.ts';
import { LicensePage, LicenseRecord, presentLicense, presentLicensePage } from './license-records.ts';

const tags = ['Licenses'];
const path = { license_id: Type.Integer() };
type ById = { Params: { license_id: string } };

/** As a license is made here: its key given, or drawn by a generator; what is not sent is none. */
const newShape = {
  ...licenseShape,
  licenseKey: optional(licenseKey),
  generatorId: optional(reference('Draws the key where none is sent')),
  validFor: optional(licenseShape.validFor.field),
  activationsLimit: optional(licenseShape.activationsLimit.field),
};
const idsShape = { ids: required(someLicenses), skipGone };
/** Ids of those that were skipped because they are gone. */
const gone = Type.Array(Type.Integer());

const PreviousValues = Type.Object({
  id: Type.Integer(),
  status: Type.Integer(),
  expires_at: nullable(Type.String()),
  /** What the change has given it, which it must still have to be restored. */
  set_status: Type.Integer(),
  set_expires_at: nullable(Type.String()),
});
const licenseIdOf = (request: FastifyRequest<ById>) => idOf(request.params.license_id, 'license_not_found');

export function licenseRoutes(app: FastifyInstance, services: Services): void {
  const { store, execute, clock } = services;
  const now = () => toDatetime(clock());

  app.get('/licenses', {
    config: { session: 'records.read' },
    schema: adminSchema({
      operationId: 'listLicenses',
      summary: 'Look for licenses, newest first',
      description: 'Counts up to 10,000.',
      tags,
      query: pageQuery(licenseSearchShape),
      data: LicensePage,
    }),
    handler: async (request) => {
      const page = adminPageOf(request);
      const suffixMax = mayAlso(request, 'licenses.keys') ? SUFFIX_MAX : SUFFIX_LENGTH;
      const filter = licenseSearch(createInput(licenseSearchShape, request), now(), suffixMax);
      const found = await store.read.licenses.search(filter, { ...page, counted: true });
      return presentLicensePage(request, found, now());
    },
  });

  app.post('/licenses', {
    config: { session: 'licenses.write' },
    schema: adminSchema({
      operationId: 'createLicense',
      summary: 'Create a license',
      tags,
      body: parameterSchema(newShape, 'create'),
      data: LicenseRecord,
    }),
    handler: async (request) => {
      const input = createInput(newShape, request);
      const made = unwrap(await createLicenseOf(services, input, consoleActorOf(request)));
      return presentLicense(request, made, now());
    },
  });

  app.get<ById>('/licenses/:license_id', {
    config: { session: 'records.read' },
    schema: adminSchema({
      operationId: 'getLicense',
      summary: 'Get a license',
      tags,
      path,
      data: LicenseRecord,
    }),
    handler: async (request) => {
      const named = { id: licenseIdOf(request) };
      const license = unwrap(await findLicense(store.read, named, consoleActorOf(request)));
      return presentLicense(request, license, now());
    },
  });

  app.patch<ById>('/licenses/:license_id', {
    config: { session: 'licenses.write' },
    schema: adminSchema({
      operationId: 'updateLicense',
      summary: 'Change what is sent of a license; null clears',
      tags,
      path,
      body: parameterSchema(licenseShape, 'update'),
      data: LicenseRecord,
    }),
    handler: async (request) => {
      const named = { id: licenseIdOf(request) };
      const changes = updateInput(licenseShape, request);
      const changed = unwrap(await execute('update-license', { named, changes }, consoleActorOf(request)));
      return presentLicense(request, changed, now());
    },
  });

  app.delete<ById>('/licenses/:license_id', {
    config: { session: 'licenses.delete' },
    schema: adminSchema({
      operationId: 'deleteLicense',
      summary: 'Delete a license and its activations',
      tags,
      path,
      data: Type.Object({}),
    }),
    handler: async (request) => {
      const named = { id: licenseIdOf(request) };
      unwrap(await execute('delete-license', { named }, consoleActorOf(request)));
      return {};
    },
  });

  app.post<ById>('/licenses/:license_id/reveal', {
    config: { session: 'licenses.reveal' },
    schema: adminSchema({
      operationId: 'revealLicenseKey',
      summary: 'Have the whole key of a license shown, which is recorded',
      tags,
      path,
      data: Type.Object({ license_key: Type.String() }),
    }),
    handler: async (request, reply) => {
      const id = licenseIdOf(request);
      const key = unwrap(await execute('reveal-license-key', { id }, consoleActorOf(request)));
      reply.header('cache-control', 'no-store');
      return { license_key: key };
    },
  });

  app.post('/licenses/bulk', {
    config: { session: 'licenses.write' },
    schema: adminSchema({
      operationId: 'changeLicenses',
      summary: 'Change the status or the end of many licenses, all of them or none',
      description:
        'What it answers as previous undoes it, sent as restore. A license is restored that still has what the change gave it: others are kept as they are. With skip_gone, of those that there are still.',
      tags,
      body: parameterSchema(bulkShape, 'create'),
      data: Type.Object({
        previous: Type.Array(PreviousValues),
        /** Ids of those that were so already, or, where they are extended, never expire. */
        unchanged: Type.Array(Type.Integer()),
        gone,
        /** Ids of those that were changed since, which were not restored. */
        kept: Type.Array(Type.Integer()),
      }),
    }),
    handler: async (request) => {
      const bulk = unwrap(bulkOf(createInput(bulkShape, request)));
      const { previous, ...rest } = unwrap(await execute('change-licenses', bulk, consoleActorOf(request)));
      return {
        previous: previous.map(({ expiresAt, setStatus, setExpiresAt, ...one }) => ({
          ...one,
          expires_at: expiresAt,
          set_status: setStatus,
          set_expires_at: setExpiresAt,
        })),
        ...rest,
      };
    },
  });

  app.post('/licenses/bulk/delete', {
    config: { session: 'licenses.delete' },
    schema: adminSchema({
      operationId: 'deleteLicenses',
      summary: 'Delete many licenses and their activations, all of them or none',
      tags,
      body: parameterSchema(idsShape, 'create'),
      data: Type.Object({ gone }),
    }),
    handler: async (request) => {
      const asked = createInput(idsShape, request);
      return unwrap(await execute('delete-licenses', asked, consoleActorOf(request)));
    },
  });
}
