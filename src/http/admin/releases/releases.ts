import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { findOwnRelease, searchReleases } from '../../../app/releases/releases.ts';
import { findOwnSoftware } from '../../../app/releases/software.ts';
import { removeRelease } from '../../../app/releases/uploads.ts';
import { oneOf, optional } from '../../../domain/fields.ts';
import { CHANNELS, RELEASE_STATUSES, releaseShape, yankShape } from '../../../domain/releases/release.ts';
import { version } from '../../../domain/releases/version.ts';
import { record } from '../../docs/components.ts';
import { refuse, unwrap } from '../../errors.ts';
import { parameterSchema, query, unread, withFile } from '../../input.ts';
import { sendFile } from '../../releases/download.ts';
import { checkNewRelease, createRelease, namedRelease, updateRelease } from '../../releases/upload.ts';
import type { Services } from '../../services.ts';
import { LIMIT, limitShape, pageOf } from '../paging.ts';
import { adminRouter, etag, nullable, withEtag } from '../route.ts';

const ReleaseRecord = record('Release', {
  id: Type.Integer(),
  software_id: Type.Integer(),
  version: Type.String(),
  channel: Type.Enum(CHANNELS),
  status: Type.Enum(RELEASE_STATUSES),
  /** Null without a reason, and for a release that is not yanked. */
  yank_reason: nullable(Type.String()),
  changelog: nullable(Type.String()),
  upgrade_notice: nullable(Type.String()),
  /** The percentage of activations that the release is offered to. */
  rollout: Type.Integer(),
  /** Null only if the release was never published. */
  file: nullable(
    Type.Object({
      name: Type.String(),
      type: Type.String(),
      /** Bytes. */
      size: Type.Integer(),
      sha256: Type.String(),
    }),
  ),
  published_at: nullable(Type.String()),
  created_at: Type.String(),
  updated_at: nullable(Type.String()),
  etag,
});

/** Releases are listed by version, so the cursor is a version. No release needs to have that version. */
const pageShape = {
  channel: optional(oneOf(CHANNELS, 'Only releases of this channel; all by default')),
  ...limitShape,
  before: optional({
    ...version,
    schema: { ...version.schema, description: '`next` of the previous page: a version' },
  }),
};
const changeShape = { ...releaseShape, ...yankShape };

export function releaseRoutes(app: FastifyInstance, services: Services): void {
  const { store, artifacts } = services;
  const present = withEtag('release', store);
  const route = adminRouter(app, 'Releases');

  route.get('/software/:software_id/releases', {
    operationId: 'listReleases',
    summary: 'List the releases of software, highest version first',
    session: 'records.read',
    input: query(pageShape),
    data: pageOf(ReleaseRecord, Type.String()),
    async handler({ params, input, actor }) {
      const page = { ...input, limit: input.limit ?? LIMIT };
      const found = unwrap(await searchReleases(store.read, params.software_id, page, actor));
      return { ...found, items: found.items.map(present) };
    },
  });

  route.get('/software/:software_id/releases/:release_id', {
    operationId: 'getRelease',
    summary: 'Get a release',
    session: 'records.read',
    data: ReleaseRecord,
    handler: async ({ params, actor }) =>
      present(unwrap(await findOwnRelease(store.read, namedRelease(params), actor))),
  });

  route.post('/software/:software_id/releases', {
    operationId: 'createRelease',
    summary: 'Create a release and upload its file',
    description:
      'The release is published at once unless it is sent as a draft. Only a draft may have no file.',
    session: 'software.write',
    upload: true,
    input: unread(withFile(parameterSchema(releaseShape, 'create'))),
    data: ReleaseRecord,
    handler: async ({ request, params, actor }) =>
      present(await createRelease(services, request, params.software_id, actor)),
  });

  route.post('/software/:software_id/releases/check', {
    operationId: 'checkRelease',
    summary: 'Check whether a release can be created, before its file is sent; nothing is written',
    description: 'Browsers read an answer only after they have sent the whole file.',
    session: 'software.write',
    input: unread(parameterSchema(releaseShape, 'create')),
    async handler({ request, params, actor }) {
      const { id } = unwrap(await findOwnSoftware(store.read, params.software_id, actor));
      await checkNewRelease(request, store.read, id);
    },
  });

  route.patch('/software/:software_id/releases/:release_id', {
    operationId: 'updateRelease',
    summary: 'Update the values of a release that are sent; a file replaces the previous one',
    session: 'software.write',
    upload: true,
    edits: 'release',
    input: unread(withFile(parameterSchema(changeShape, 'update'))),
    data: ReleaseRecord,
    async handler({ request, params, actor, executing: execute }) {
      const versioned = { ...services, execute };
      return present(await updateRelease(versioned, request, namedRelease(params), changeShape, actor));
    },
  });

  route.delete('/software/:software_id/releases/:release_id', {
    operationId: 'deleteRelease',
    summary: 'Delete a release and its file',
    description: 'To withdraw a release and keep its record, set its status to yanked.',
    session: 'software.delete',
    handler: async ({ params, actor }) => unwrap(await removeRelease(services, namedRelease(params), actor)),
  });

  route.get('/software/:software_id/releases/:release_id/file', {
    operationId: 'downloadRelease',
    summary: 'Download the file of a release, whatever its status',
    description: 'Not counted: the counts are of downloads by customers.',
    session: 'software.write',
    data: 'file',
    handler: ({ request, reply, params, actor }) =>
      sendFile(request, reply, artifacts, async () => {
        const { file } = unwrap(await findOwnRelease(store.read, namedRelease(params), actor));
        if (!file) throw refuse('record_not_found', { kind: 'release', named: params.release_id });
        return { file, begin: async () => {} };
      }),
  });
}
