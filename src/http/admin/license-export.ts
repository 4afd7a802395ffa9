import { Readable } from 'node:stream';
import { stringify } from 'csv-stringify/sync';
import type { FastifyInstance } from 'fastify';
import { CAST, COLUMNS, cellsOf } from '../../app/license-columns.ts';
import { type Datetime, toDatetime } from '../../domain/datetime.ts';
import { listOf, oneOf, optional, parameterName } from '../../domain/fields.ts';
import { maskedKey } from '../../domain/license.ts';
import { type LicenseSearch, licenseSearch, licenseSearchShape } from '../../domain/license-search.ts';
import type { Reads } from '../../store/store.ts';
import { parameterSchema } from '../parameter-schema.ts';
import { createInput } from '../requests.ts';
import type { Services } from '../services.ts';
import { consoleActorOf } from '../session.ts';
import { adminSchema } from './route-schema.ts';

const exportShape = {
  ...licenseSearchShape,
  columns: optional(listOf(oneOf(COLUMNS), COLUMNS.length, 'Columns in their order; all when not sent')),
};
type Columns = readonly (typeof COLUMNS)[number][];

/** Licenses of one line of the answer, which are in memory at a time. */
const CHUNK = 500;

export function licenseExportRoutes(app: FastifyInstance, { store, execute, clock }: Services): void {
  app.get('/licenses/export', {
    exposeHeadRoute: false,
    config: { session: 'licenses.keys' },
    schema: adminSchema({
      operationId: 'exportLicenses',
      summary: 'Take licenses away as CSV, newest first; that it was done is recorded',
      description:
        'Keys are written byte for byte, so that an import makes the same licenses: a spreadsheet may run one that ' +
        'begins with = + - or @.',
      tags: ['Licenses'],
      query: parameterSchema(exportShape, 'query'),
      data: 'file',
    }),
    handler: async (request, reply) => {
      const { columns: asked, ...search } = createInput(exportShape, request);
      const columns = asked ?? COLUMNS;
      const now = toDatetime(clock());
      const filter = licenseSearch(search, now);
      const { total, totalIsMore } = await store.read.licenses.search(filter, {
        ...{ before: null, limit: 1, counted: true },
      });
      const about = { filter: toldOf(filter, search.search), columns, count: totalIsMore ? null : total };
      await execute('record-license-export', about, consoleActorOf(request));
      reply
        .type('text/csv; charset=utf-8')
        .header('cache-control', 'no-store')
        .header('content-disposition', `attachment; filename="licenses-${now.slice(0, 10)}.csv"`);
      return reply.send(Readable.from(csvOf(store.read, filter, columns, now)));
    },
  });
}

/** A filter as the audit trail tells of it: a text that was looked for may be a key, and ids may be many. */
function toldOf({ terms: _, ids, ...filter }: LicenseSearch, search: string | null): Record<string, unknown> {
  return {
    ...Object.fromEntries(Object.entries(filter).map(([name, value]) => [parameterName(name), value])),
    ...(ids && { ids: ids.length }),
    ...(search !== null && { search: maskedKey(search) }),
  };
}

async function* csvOf(
  { licenses }: Reads,
  filter: LicenseSearch,
  columns: Columns,
  now: Datetime,
): AsyncGenerator<string> {
  yield stringify([[...columns]]);
  for (let before: number | null = null; ; ) {
    const found = await licenses.search(filter, { before, limit: CHUNK, counted: false });
    if (found.items.length > 0)
      yield stringify(
        found.items.map((license) => cellsOf(license, now, columns)),
        { cast: CAST },
      );
    if (found.next === null) return;
    before = found.next;
  }
}
