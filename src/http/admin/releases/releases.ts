import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type, { type Static } from 'typebox';
import { checkVersion, findOwnRelease, searchReleases } from '../../../app/releases/releases.ts';
import { findOwnSoftware } from '../../../app/releases/software.ts';
import { removeRelease, replaceRelease, storeRelease } from '../../../app/releases/uploads.ts';
import { integer, oneOf, optional } from '../../../domain/fields.ts';
import {
  CHANNELS,
  RELEASE_STATUSES,
  type Release,
  releaseShape,
  yankShape,
} from '../../../domain/release.ts';
import { version } from '../../../domain/version.ts';
import { refuse, unwrap } from '../../errors.ts';
import { parameterSchema } from '../../parameter-schema.ts';
import { parametersOf } from '../../parameters.ts';
import { consoleActorOf } from '../../people/session.ts';
import { presenter } from '../../presenter.ts';
import { sendFile } from '../../releases/download.ts';
import { checkNewRelease } from '../../releases/new-release.ts';
import { withUpload } from '../../releases/upload.ts';
import { createInput, updateInput } from '../../requests.ts';
import type { Services } from '../../services.ts';
import { adminSchema, nullable, pageOf } from '../route-schema.ts';

const tags = ['Releases'];
const softwarePath = { software_id: Type.Integer() };
const path = { ...softwarePath, release_id: Type.Integer() };
type OfSoftware = { Params: { software_id: string } };
type ById = { Params: { software_id: string; release_id: string } };

const ReleaseRecord = Type.Object({
  id: Type.Integer(),
  software_id: Type.Integer(),
  version: Type.String(),
  channel: Type.Enum(CHANNELS),
  status: Type.Enum(RELEASE_STATUSES),
  /** Null where nobody said why, and in one that is not yanked. */
  yank_reason: nullable(Type.String()),
  changelog: nullable(Type.String()),
  upgrade_notice: nullable(Type.String()),
  /** Percentage of activations that it is offered to. */
  rollout: Type.Integer(),
  /** Null only in one that was never published. */
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
});

const presentFields = presenter(ReleaseRecord);
const present = ({ file, ...release }: Release): Static<typeof ReleaseRecord> =>
  presentFields({
    ...release,
    file: file && { name: file.name, type: file.type, size: file.size, sha256: file.sha256 },
  });

const LIMIT = 50;
/** Releases are listed by version, and so a page begins behind one, whether there is a release of it or not. */
const pageShape = {
  channel: optional(oneOf(CHANNELS, 'Only releases of this channel; all when not sent')),
  limit: optional(integer({ min: 1, max: 200, description: `Records on a page; ${LIMIT} when not sent` })),
  before: optional({
    ...version,
    schema: { ...version.schema, description: 'The `next` of the page before: a version' },
  }),
};
const changeShape = { ...releaseShape, ...yankShape };

/** The body of a form with a file. */
const withFile = (schema: Record<string, unknown>) => ({
  ...schema,
  properties: { ...(schema.properties as object), file: { type: 'string', format: 'binary' } },
});

export function releaseRoutes(app: FastifyInstance, services: Services): void {
  const { store, artifacts } = services;

  app.get<OfSoftware>('/software/:software_id/releases', {
    config: { session: 'records.read' },
    schema: adminSchema({
      operationId: 'listReleases',
      summary: 'List the releases of software, highest version first',
      tags,
      path: softwarePath,
      query: parameterSchema(pageShape, 'query'),
      data: pageOf(ReleaseRecord, Type.String()),
    }),
    handler: async (request) => {
      const { limit, ...asked } = createInput(pageShape, request);
      const page = { ...asked, limit: limit ?? LIMIT };
      const named = request.params.software_id;
      const found = unwrap(await searchReleases(store.read, named, page, consoleActorOf(request)));
      const { items, next, total, totalIsMore } = found;
      return { items: items.map(present), next, total, total_is_more: totalIsMore };
    },
  });

  app.post<OfSoftware>('/software/:software_id/releases', {
    config: { session: 'software.write', upload: true },
    schema: adminSchema({
      operationId: 'createRelease',
      summary: 'Create a release and upload its file',
      description: 'Published at once, if not sent as a draft. Only a draft may do without a file.',
      tags,
      path: softwarePath,
      body: withFile(parameterSchema(releaseShape, 'create')),
      data: ReleaseRecord,
    }),
    handler: async (request) => {
      const actor = consoleActorOf(request);
      const { software_id: software } = request.params;
      // Before a large file is taken in for nothing.
      const { id } = unwrap(await findOwnSoftware(store.read, software, actor));
      return withUpload(request, artifacts, {
        check: async () => {
          if (parametersOf(request).version !== undefined) await checkNewRelease(request, store.read, id);
        },
        use: async (upload) => {
          const input = { software, input: createInput(releaseShape, request) };
          return present(unwrap(await storeRelease(services, input, upload, actor)));
        },
      });
    },
  });

  app.post<OfSoftware>('/software/:software_id/releases/check', {
    config: { session: 'software.write' },
    schema: adminSchema({
      operationId: 'checkRelease',
      summary: 'See whether a release could be created, before its file is sent; nothing is written',
      description: 'Browsers read no answer before they have sent a whole file.',
      tags,
      path: softwarePath,
      body: parameterSchema(releaseShape, 'create'),
      data: Type.Object({}),
    }),
    handler: async (request) => {
      const { software_id: software } = request.params;
      const { id } = unwrap(await findOwnSoftware(store.read, software, consoleActorOf(request)));
      await checkNewRelease(request, store.read, id);
      return {};
    },
  });

  app.patch<ById>('/software/:software_id/releases/:release_id', {
    config: { session: 'software.write', upload: true },
    schema: adminSchema({
      operationId: 'updateRelease',
      summary: 'Change what is sent of a release; a file takes the place of the one before',
      tags,
      path,
      body: withFile(parameterSchema(changeShape, 'update')),
      data: ReleaseRecord,
    }),
    handler: async (request) => {
      const actor = consoleActorOf(request);
      const named = namedIn(request);
      const release = unwrap(await findOwnRelease(store.read, named, actor));
      return withUpload(request, artifacts, {
        check: async () => {
          const { version } = updateInput(changeShape, request);
          unwrap(await checkVersion(store.read, release.softwareId, version, release.id));
        },
        use: async (upload) => {
          const input = { named, changes: updateInput(changeShape, request) };
          return present(unwrap(await replaceRelease(services, input, upload, actor)));
        },
      });
    },
  });

  app.delete<ById>('/software/:software_id/releases/:release_id', {
    config: { session: 'software.delete' },
    schema: adminSchema({
      operationId: 'deleteRelease',
      summary: 'Delete a release and its file',
      description: 'To withdraw one and keep its record, set its status to yanked.',
      tags,
      path,
      data: Type.Object({}),
    }),
    handler: async (request) => {
      unwrap(await removeRelease(services, namedIn(request), consoleActorOf(request)));
      return {};
    },
  });

  const handler = (request: FastifyRequest<ById>, reply: FastifyReply) =>
    sendFile(request, reply, artifacts, async () => {
      const named = namedIn(request);
      const { file } = unwrap(await findOwnRelease(store.read, named, consoleActorOf(request)));
      if (!file) throw refuse('release_not_found', { named: named.release });
      // Not one of those that are counted: they are what customers had.
      return { file, begin: async () => {} };
    });
  app.get<ById>('/software/:software_id/releases/:release_id/file', {
    config: { session: 'software.write' },
    exposeHeadRoute: false,
    schema: adminSchema({
      operationId: 'downloadRelease',
      summary: 'Download the file of a release, whatever its status; it is not counted',
      tags,
      path,
      data: 'file',
    }),
    handler,
  });
}

const namedIn = ({ params }: FastifyRequest<ById>) => ({
  software: params.software_id,
  release: params.release_id,
});
