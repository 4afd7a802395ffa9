import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { checkVersion, findOwnRelease, listReleases } from '../../app/releases/releases.ts';
import { findOwnSoftware } from '../../app/releases/software.ts';
import { removeRelease, replaceRelease, storeRelease } from '../../app/releases/uploads.ts';
import { releaseShape } from '../../domain/release.ts';
import { actorOf } from '../authentication.ts';
import { unwrap } from '../errors.ts';
import { parameterSchema } from '../parameter-schema.ts';
import { parametersOf } from '../parameters.ts';
import { checkNewRelease } from '../releases/new-release.ts';
import { withUpload } from '../releases/upload.ts';
import { createInput, updateInput } from '../requests.ts';
import type { Services } from '../services.ts';
import { addPagingHeaders, PAGING_HEADERS, pagingOf, pagingShape } from './paging.ts';
import { presentRelease, success } from './present.ts';
import { routeSchema, withFile } from './route-schema.ts';
import { Nothing, Release } from './schemas.ts';

const tags = ['Releases'];
const softwarePath = { software_id: Type.String({ description: 'The id, an integer' }) };
const path = { ...softwarePath, release_id: Type.String({ description: 'The id, an integer' }) };
type OfSoftware = { Params: { software_id: string } };
type ById = { Params: { software_id: string; release_id: string } };

export function releaseRoutes(app: FastifyInstance, services: Services): void {
  const { store, artifacts } = services;

  app.get<OfSoftware>('/software/:software_id/releases', {
    config: { endpoint: 'releases.list' },
    schema: routeSchema({
      summary: 'List the releases of software, highest version first',
      tags,
      path: softwarePath,
      query: parameterSchema(pagingShape, 'query'),
      data: Type.Array(Release),
      headers: PAGING_HEADERS,
      errors: ['software_not_found', 'invalid_paging'],
    }),
    handler: async (request, reply) => {
      const paging = pagingOf(request);
      const listed = await listReleases(store.read, request.params.software_id, paging, actorOf(request));
      const found = unwrap(listed);
      addPagingHeaders(request, reply, paging, found);
      return success(found.items.map(presentRelease));
    },
  });

  app.post<OfSoftware>('/software/:software_id/releases', {
    config: { endpoint: 'releases.create', upload: true },
    schema: routeSchema({
      summary: 'Create a release and upload its file',
      description: 'Published at once, if not sent as a draft. Only a draft may do without a file.',
      tags,
      path: softwarePath,
      body: withFile(parameterSchema(releaseShape, 'create')),
      data: Release,
      errors: [
        'software_not_found',
        'software_of_other_products',
        'release_version_exists',
        'file_too_large',
        'invalid_values',
      ],
    }),
    handler: async (request) => {
      const actor = actorOf(request);
      const { software_id: software } = request.params;
      // Before a large file is taken in for nothing.
      const { id } = unwrap(await findOwnSoftware(store.read, software, actor));
      return withUpload(request, artifacts, {
        check: async () => {
          if (parametersOf(request).version !== undefined) await checkNewRelease(request, store.read, id);
        },
        use: async (upload) => {
          const input = { software, input: createInput(releaseShape, request) };
          return success(presentRelease(unwrap(await storeRelease(services, input, upload, actor))));
        },
      });
    },
  });

  for (const method of ['PUT', 'PATCH', 'POST'] as const) {
    app.route<ById>({
      method,
      url: '/software/:software_id/releases/:release_id',
      config: { endpoint: 'releases.update', upload: true },
      schema: routeSchema({
        summary: 'Update a release',
        description: 'Changes what is sent; a file takes the place of the one before.',
        tags,
        path,
        body: withFile(parameterSchema(releaseShape, 'update')),
        data: Release,
        errors: [
          'software_not_found',
          'software_of_other_products',
          'release_not_found',
          'release_version_exists',
          'file_too_large',
          'invalid_values',
        ],
      }),
      handler: async (request) => {
        const actor = actorOf(request);
        const named = { software: request.params.software_id, release: request.params.release_id };
        const release = unwrap(await findOwnRelease(store.read, named, actor));
        return withUpload(request, artifacts, {
          check: async () => {
            const { version } = updateInput(releaseShape, request);
            unwrap(await checkVersion(store.read, release.softwareId, version, release.id));
          },
          use: async (upload) => {
            const input = { named, changes: updateInput(releaseShape, request) };
            return success(presentRelease(unwrap(await replaceRelease(services, input, upload, actor))));
          },
        });
      },
    });
  }

  app.delete<ById>('/software/:software_id/releases/:release_id', {
    config: { endpoint: 'releases.delete' },
    schema: routeSchema({
      summary: 'Delete a release and its file',
      description: 'To withdraw one and keep its record, set its status to yanked.',
      tags,
      path,
      data: Nothing,
      errors: ['software_not_found', 'software_of_other_products', 'release_not_found'],
    }),
    handler: async (request) => {
      const named = { software: request.params.software_id, release: request.params.release_id };
      unwrap(await removeRelease(services, named, actorOf(request)));
      return success([]);
    },
  });
}
