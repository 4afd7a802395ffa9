import type { FastifyInstance } from 'fastify';
import Type, { type Static } from 'typebox';
import { downloadDays } from '../../../app/releases/download-days.ts';
import { findSoftware, listSoftware } from '../../../app/releases/software.ts';
import { removeSoftware } from '../../../app/releases/uploads.ts';
import { toDatetime } from '../../../domain/datetime.ts';
import { downloadFilterShape } from '../../../domain/download.ts';
import { softwareShape } from '../../../domain/software.ts';
import { unwrap } from '../../errors.ts';
import { parameterSchema } from '../../parameter-schema.ts';
import { consoleActorOf } from '../../people/session.ts';
import { presenter } from '../../presenter.ts';
import { createInput, updateInput } from '../../requests.ts';
import type { Services } from '../../services.ts';
import { adminPageOf, nextOf, pageQuery } from '../paging.ts';
import { adminSchema, nullable, pageOf } from '../route-schema.ts';

const tags = ['Software'];
const path = { software_id: Type.Integer() };
type ById = { Params: { software_id: string } };

const Pictures = nullable(Type.Record(Type.String(), Type.String()));

const SoftwareRecord = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  slug: Type.String(),
  type: Type.String(),
  url: nullable(Type.String()),
  product_ids: Type.Array(Type.Integer()),
  access: Type.Union([Type.Literal('licensed'), Type.Literal('public')]),
  tested: nullable(Type.String()),
  requires: nullable(Type.String()),
  requires_php: nullable(Type.String()),
  icons: Pictures,
  banners: Pictures,
  created_at: Type.String(),
  updated_at: nullable(Type.String()),
});

const present = presenter(SoftwareRecord);

const Downloads = Type.Object({
  /** First and last day, YYYY-MM-DD in UTC. */
  from: Type.String(),
  to: Type.String(),
  total: Type.Integer(),
  /** Every day between them, those without downloads, too. */
  days: Type.Array(Type.Object({ day: Type.String(), downloads: Type.Integer() })),
  /** By release, the most downloaded first; at most a hundred. */
  releases: Type.Array(
    Type.Object({ release_id: Type.Integer(), version: Type.String(), downloads: Type.Integer() }),
  ),
});

export function softwareRoutes(app: FastifyInstance, services: Services): void {
  const { store, execute, clock } = services;

  app.get('/software', {
    config: { session: 'records.read' },
    schema: adminSchema({
      operationId: 'listSoftware',
      summary: 'List software, newest first',
      tags,
      query: pageQuery(),
      data: pageOf(SoftwareRecord),
    }),
    handler: async (request) => {
      const page = adminPageOf(request);
      const listed = await listSoftware(store.read, { ...page, offset: 0 }, consoleActorOf(request));
      return {
        items: listed.items.map(present),
        next: nextOf(listed),
        total: listed.total,
        total_is_more: false,
      };
    },
  });

  app.get<ById>('/software/:software_id', {
    config: { session: 'records.read' },
    schema: adminSchema({
      operationId: 'getSoftware',
      summary: 'Get software',
      tags,
      path,
      data: SoftwareRecord,
    }),
    handler: async (request) =>
      present(unwrap(await findSoftware(store.read, request.params.software_id, consoleActorOf(request)))),
  });

  app.post('/software', {
    config: { session: 'software.write' },
    schema: adminSchema({
      operationId: 'createSoftware',
      summary: 'Create software',
      tags,
      body: parameterSchema(softwareShape, 'create'),
      data: SoftwareRecord,
    }),
    handler: async (request) => {
      const input = createInput(softwareShape, request);
      return present(unwrap(await execute('create-software', input, consoleActorOf(request))));
    },
  });

  app.patch<ById>('/software/:software_id', {
    config: { session: 'software.write' },
    schema: adminSchema({
      operationId: 'updateSoftware',
      summary: 'Change what is sent of software',
      tags,
      path,
      body: parameterSchema(softwareShape, 'update'),
      data: SoftwareRecord,
    }),
    handler: async (request) => {
      const input = { named: request.params.software_id, changes: updateInput(softwareShape, request) };
      return present(unwrap(await execute('update-software', input, consoleActorOf(request))));
    },
  });

  app.delete<ById>('/software/:software_id', {
    config: { session: 'software.delete' },
    schema: adminSchema({
      operationId: 'deleteSoftware',
      summary: 'Delete software, its releases and their files',
      tags,
      path,
      data: Type.Object({}),
    }),
    handler: async (request) => {
      unwrap(await removeSoftware(services, request.params.software_id, consoleActorOf(request)));
      return {};
    },
  });

  app.get<ById>('/software/:software_id/downloads', {
    config: { session: 'records.read' },
    schema: adminSchema({
      operationId: 'countDownloads',
      summary: 'Count downloads by day and by release',
      description: 'The last 30 days (UTC) where no others are asked for, at most two years.',
      tags,
      path,
      query: parameterSchema(downloadFilterShape, 'query'),
      data: Downloads,
    }),
    handler: async (request): Promise<Static<typeof Downloads>> => {
      const filter = createInput(downloadFilterShape, request);
      const today = toDatetime(clock()).slice(0, 10);
      const named = request.params.software_id;
      const counts = unwrap(await downloadDays(store.read, named, filter, today, consoleActorOf(request)));
      const releases = counts.releases.map(({ releaseId, ...one }) => ({ release_id: releaseId, ...one }));
      return { ...counts, releases };
    },
  });
}
