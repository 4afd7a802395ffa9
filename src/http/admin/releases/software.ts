import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { downloadDays } from '../../../app/releases/download-days.ts';
import { listProducts, PRODUCT_SOURCES } from '../../../app/releases/products.ts';
import { findSoftware, listSoftware } from '../../../app/releases/software.ts';
import { removeSoftware } from '../../../app/releases/uploads.ts';
import { toDatetime } from '../../../domain/datetime.ts';
import { downloadFilterShape } from '../../../domain/releases/download.ts';
import { ACCESSES, softwareShape } from '../../../domain/releases/software.ts';
import { record } from '../../docs/components.ts';
import { unwrap } from '../../errors.ts';
import { create, query, update } from '../../input.ts';
import { mayAlso } from '../../people/session.ts';
import type { Services } from '../../services.ts';
import { pageById, pageOf, pageQuery } from '../paging.ts';
import { adminRouter, etag, nullable, withEtag } from '../route.ts';

const Pictures = nullable(Type.Record(Type.String(), Type.String()));

const SoftwareRecord = record('Software', {
  id: Type.Integer(),
  name: Type.String(),
  slug: Type.String(),
  type: Type.String(),
  url: nullable(Type.String()),
  product_ids: Type.Array(Type.Integer()),
  access: Type.Enum(ACCESSES),
  tested: nullable(Type.String()),
  requires: nullable(Type.String()),
  requires_php: nullable(Type.String()),
  icons: Pictures,
  banners: Pictures,
  created_at: Type.String(),
  updated_at: nullable(Type.String()),
  etag,
});

const ListedSoftware = Type.Object({
  ...SoftwareRecord.properties,
  /** The highest published version, of the stable channel if that has any. */
  latest_version: nullable(Type.String()),
  /** Activations that hold a seat. */
  active_installs: Type.Integer(),
  /** Whether there are more than `active_installs`. */
  active_installs_is_more: Type.Boolean(),
});

const Downloads = Type.Object({
  /** The first and the last day, YYYY-MM-DD in UTC. */
  from: Type.String(),
  to: Type.String(),
  total: Type.Integer(),
  /** Every day of the period, including days without downloads. */
  days: Type.Array(Type.Object({ day: Type.String(), downloads: Type.Integer() })),
  /** At most 100 releases, the most downloaded first. */
  releases: Type.Array(
    Type.Object({ release_id: Type.Integer(), version: Type.String(), downloads: Type.Integer() }),
  ),
});

const Products = Type.Object({
  items: Type.Array(
    Type.Object({
      id: Type.Integer(),
      /** The names of at most three software records that cover the product. */
      names: Type.Array(Type.String()),
      /** The kinds of record that name the product. */
      sources: Type.Array(Type.Enum(PRODUCT_SOURCES)),
    }),
  ),
  /** Whether there are more products than `items` lists. */
  is_more: Type.Boolean(),
});

export function softwareRoutes(app: FastifyInstance, services: Services): void {
  const { store, clock } = services;
  const present = withEtag('software', store);
  const route = adminRouter(app, 'Software');

  route.get('/software', {
    operationId: 'listSoftware',
    summary: 'List software, newest first',
    session: 'records.read',
    input: pageQuery(),
    data: pageOf(ListedSoftware),
    async handler({ input: { page }, actor }) {
      const listed = await listSoftware(store.read, page, actor);
      const ids = listed.items.map(({ id }) => id);
      const figures = await store.read.software.figures(ids, toDatetime(clock()));
      const of = new Map(figures.map((one) => [one.id, one]));
      const items = listed.items.map((software) => {
        const { latestVersion = null, activeInstalls = 0, isMore = false } = of.get(software.id) ?? {};
        return { ...present(software), latestVersion, activeInstalls, activeInstallsIsMore: isMore };
      });
      return pageById(items, listed);
    },
  });

  route.get('/software/:software_id', {
    operationId: 'getSoftware',
    summary: 'Get software',
    session: 'records.read',
    data: SoftwareRecord,
    handler: async ({ params, actor }) =>
      present(unwrap(await findSoftware(store.read, params.software_id, actor))),
  });

  route.post('/software', {
    operationId: 'createSoftware',
    summary: 'Create software',
    session: 'software.write',
    repeatable: true,
    input: create(softwareShape),
    data: SoftwareRecord,
    handler: async ({ input, execute }) => present(await execute('create-software', input)),
  });

  route.patch('/software/:software_id', {
    operationId: 'updateSoftware',
    summary: 'Update the values of software that are sent',
    session: 'software.write',
    edits: 'software',
    input: update(softwareShape),
    data: SoftwareRecord,
    handler: async ({ params, input: changes, execute }) =>
      present(await execute('update-software', { named: params.software_id, changes })),
  });

  route.delete('/software/:software_id', {
    operationId: 'deleteSoftware',
    summary: 'Delete software, its releases and their files',
    session: 'software.delete',
    handler: async ({ params, actor }) => unwrap(await removeSoftware(services, params.software_id, actor)),
  });

  route.get('/software/:software_id/downloads', {
    operationId: 'countDownloads',
    summary: 'Count downloads by day and by release',
    description: 'Covers the last 30 days (UTC) by default, and two years at most.',
    session: 'records.read',
    input: query(downloadFilterShape),
    data: Downloads,
    async handler({ params, input, actor }) {
      const today = toDatetime(clock()).slice(0, 10);
      return unwrap(await downloadDays(store.read, params.software_id, input, today, actor));
    },
  });

  adminRouter(app, 'Products').get('/products', {
    operationId: 'listProducts',
    summary: 'List the products that licenses, software and API keys name',
    description:
      'Lowest id first, at most the first 200 of each source. Products of API keys are listed for users who manage API keys.',
    session: 'records.read',
    data: Products,
    handler: ({ request }) => listProducts(store.read, mayAlso(request, 'api_keys.manage')),
  });
}
