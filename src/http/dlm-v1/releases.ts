import type { FastifyInstance } from 'fastify';
import { listReleases } from '../../app/releases/releases.ts';
import { removeRelease } from '../../app/releases/uploads.ts';
import { releaseShape } from '../../domain/releases/release.ts';
import { unwrap } from '../errors.ts';
import { parameterSchema, unread, withFile } from '../input.ts';
import { createRelease, namedRelease, updateRelease } from '../releases/upload.ts';
import type { Services } from '../services.ts';
import { BY_NUMBER } from './paging.ts';
import { presentRelease } from './present.ts';
import { v1Router } from './route.ts';
import { Release } from './schemas.ts';

export function releaseRoutes(app: FastifyInstance, services: Services): void {
  const route = v1Router(app, 'Releases');

  route.list('/software/:software_id/releases', {
    operationId: 'listReleases',
    summary: 'List the releases of software, highest version first',
    endpoint: 'releases.list',
    paging: BY_NUMBER,
    record: Release,
    errors: ['software_not_found'],
    find: async ({ params, input, actor }) =>
      unwrap(await listReleases(services.store.read, params.software_id, input.page, actor)),
    present: presentRelease,
  });

  route.post('/software/:software_id/releases', {
    operationId: 'createRelease',
    summary: 'Create a release and upload its file',
    description:
      'The release is published at once unless it is sent as a draft. Only a draft may have no file.',
    endpoint: 'releases.create',
    upload: true,
    input: unread(withFile(parameterSchema(releaseShape, 'create'))),
    sends: { version: '1.4.0', changelog: '- Opens large files in half the time', file: 'acme-editor.zip' },
    data: Release,
    errors: [
      'software_not_found',
      'software_of_other_products',
      'release_version_exists',
      'file_too_large',
      'invalid_values',
    ],
    handler: async ({ request, params, actor }) =>
      presentRelease(await createRelease(services, request, params.software_id, actor)),
  });

  route.update('/software/:software_id/releases/:release_id', {
    operationId: 'updateRelease',
    summary: 'Update a release',
    description: 'Changes the values that are sent. A file replaces the previous one.',
    endpoint: 'releases.update',
    upload: true,
    input: unread(withFile(parameterSchema(releaseShape, 'update'))),
    sends: { rollout: 20 },
    data: Release,
    errors: [
      'software_not_found',
      'software_of_other_products',
      'release_not_found',
      'release_version_exists',
      'file_too_large',
      'invalid_values',
    ],
    handler: async ({ request, params, actor }) =>
      presentRelease(await updateRelease(services, request, namedRelease(params), releaseShape, actor)),
  });

  route.delete('/software/:software_id/releases/:release_id', {
    operationId: 'deleteRelease',
    summary: 'Delete a release and its file',
    description: 'To withdraw a release and keep its record, set its status to yanked.',
    endpoint: 'releases.delete',
    errors: ['software_not_found', 'software_of_other_products', 'release_not_found'],
    handler: async ({ params, actor }) => unwrap(await removeRelease(services, namedRelease(params), actor)),
  });
}
