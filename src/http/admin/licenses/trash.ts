import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { inSteps } from '../../../app/discarding.ts';
import { restoreAll } from '../../../app/licenses/trash.ts';
import { addDays, toDatetime } from '../../../domain/datetime.ts';
import { MAX_REFERENCE, optional, required, text } from '../../../domain/fields.ts';
import type { TrashedLicense } from '../../../domain/licenses/license.ts';
import { someLicenses } from '../../../domain/licenses/license-bulk.ts';
import { unwrap } from '../../errors.ts';
import { create } from '../../input.ts';
import { mayAlso } from '../../people/session.ts';
import type { Services } from '../../services.ts';
import { By, namedEntries, OF_AUDITORS } from '../audit/audit.ts';
import { pageOf, pageQuery } from '../paging.ts';
import { adminRouter, idOf, nullable } from '../route.ts';
import { LicenseRecord, presentLicense } from './license-records.ts';

const TrashedRecord = Type.Object({
  ...LicenseRecord.properties,
  deleted_at: Type.String(),
  /** Null if the audit trail has no entry for the deletion. */
  deleted_by: nullable(By),
  /** When the license is removed permanently. */
  removed_at: Type.String(),
});
const Ids = Type.Array(Type.Integer());
const NEWEST = { above: 0, upTo: MAX_REFERENCE, limit: 1_000 };

const listShape = { licenseKey: optional(text({ max: 255, description: 'A whole key' })) };

export function trashRoutes(app: FastifyInstance, services: Services): void {
  const { store, clock, installation } = services;
  const route = adminRouter(app, 'Trash');
  const present = (request: FastifyRequest, license: TrashedLicense) => ({
    ...presentLicense(request, license, toDatetime(clock()), store.read.licenses),
    deletedAt: license.deletedAt,
    removedAt: addDays(license.deletedAt, installation.trashDays) ?? license.deletedAt,
  });
  /** Returns who deleted each license, by its id. */
  async function deleters(request: FastifyRequest, licenses: readonly TrashedLicense[]) {
    if (licenses.length === 0) return new Map();
    const filter = { action: ['license.delete'], licenseIds: licenses.map(({ id }) => id) } as const;
    const rest = { subject: null, apiKeyId: null, userId: null, from: null, to: null };
    const entries = await store.read.audit.list({ ...filter, ...rest }, NEWEST);
    const named = await namedEntries(store, entries);
    const hidden = mayAlso(request, 'audit.read') ? null : OF_AUDITORS;
    // The newest entry comes first, and counts: a license may have been deleted and restored before.
    return new Map(named.toReversed().map((entry) => [entry.subjectId, { ...entry, ...hidden }]));
  }

  route.get('/trash', {
    operationId: 'listTrash',
    summary: 'List deleted licenses, the last deleted first',
    description:
      'Only users who may read the audit trail see the origin and the API key of who deleted a license.',
    session: 'records.read',
    input: pageQuery(listShape),
    data: pageOf(TrashedRecord),
    async handler({ request, input: { page, filter } }) {
      const { items, next, total } = await store.read.trash.list(page.before, page.limit, filter.licenseKey);
      const by = await deleters(request, items);
      const shown = items.map((one) => ({ ...present(request, one), deletedBy: by.get(one.id) ?? null }));
      return { items: shown, next, total, totalIsMore: false };
    },
  });

  route.post('/trash/restore', {
    operationId: 'restoreLicenses',
    summary: 'Restore deleted licenses with their activations, by the ids that they had',
    session: 'licenses.delete',
    input: create({ ids: required(someLicenses) }),
    data: Type.Object({
      restored: Ids,
      /** Ids that are no longer in the trash. */
      gone: Ids,
      /** Ids that stay in the trash, because another license has the same key or id. */
      taken: Ids,
    }),
    handler: async ({ input, actor, executing }) => unwrap(await restoreAll(executing, input.ids, actor)),
  });

  route.delete('/trash/:license_id', {
    operationId: 'removeLicense',
    summary: 'Remove a deleted license and its activations for good',
    session: 'licenses.delete',
    handler: ({ params, execute }) =>
      inSteps(() => execute('remove-license', { id: idOf(params.license_id, 'license') })),
  });
}
