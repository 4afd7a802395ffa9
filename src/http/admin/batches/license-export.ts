import { Readable } from 'node:stream';
import { stringify } from 'csv-stringify/sync';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { CAST, COLUMNS, cellsOf } from '../../../app/batches/license-export.ts';
import { type Datetime, toDatetime } from '../../../domain/datetime.ts';
import { listOf, oneOf, optional, parameterName, reference, required } from '../../../domain/fields.ts';
import { maskedKey } from '../../../domain/license.ts';
import { type LicenseSearch, licenseSearch, licenseSearchShape } from '../../../domain/license-search.ts';
import type { Reads } from '../../../store/store.ts';
import { parameterSchema } from '../../parameter-schema.ts';
import { consoleActorOf } from '../../people/session.ts';
import { createInput } from '../../requests.ts';
import type { Services } from '../../services.ts';
import { adminSchema } from '../route-schema.ts';

const columns = optional(listOf(oneOf(COLUMNS), COLUMNS.length, 'Columns in their order; all when not sent'));
/** As many as can be selected in the list. */
const SELECTED_MAX = 10_000;
const foundShape = { ...licenseSearchShape, columns };
const selectedShape = { ids: required(listOf(reference(), SELECTED_MAX, 'Ids of licenses')), columns };
type Columns = readonly (typeof COLUMNS)[number][];

/** Licenses that are in memory at a time. */
const CHUNK = 500;

const about = {
  description:
    'A key that begins with = + - @, a tab or a line break gets an apostrophe before it, since a spreadsheet would run ' +
    'it; an import takes that off again.',
  tags: ['Licenses'],
  data: 'file' as const,
};

export function licenseExportRoutes(app: FastifyInstance, { store, execute, clock }: Services): void {
  /** @param search the text that was looked for */
  const send = async (
    request: FastifyRequest,
    reply: FastifyReply,
    asked: { filter: LicenseSearch; columns: Columns | null; search: string | null },
  ) => {
    const { filter, search } = asked;
    const columns = asked.columns ?? COLUMNS;
    const now = toDatetime(clock());
    const counting = { before: null, limit: 1, counted: true };
    const { total, totalIsMore } = await store.read.licenses.search(filter, counting);
    const told = { filter: toldOf(filter, search), columns, count: totalIsMore ? null : total };
    await execute('record-license-export', told, consoleActorOf(request));
    reply
      .type('text/csv; charset=utf-8')
      .header('cache-control', 'no-store')
      .header('content-disposition', `attachment; filename="licenses-${now.slice(0, 10)}.csv"`);
    return reply.send(Readable.from(csvOf(store.read, filter, columns, now)));
  };

  app.get('/licenses/export', {
    exposeHeadRoute: false,
    config: { session: 'licenses.keys' },
    schema: adminSchema({
      ...about,
      operationId: 'exportLicenses',
      summary: 'Take licenses away as CSV, newest first; that it was done is recorded',
      query: parameterSchema(foundShape, 'query'),
    }),
    handler: async (request, reply) => {
      const { columns, ...search } = createInput(foundShape, request);
      const filter = licenseSearch(search, toDatetime(clock()));
      return send(request, reply, { filter, columns, search: search.search });
    },
  });

  app.post('/licenses/export', {
    config: { session: 'licenses.keys' },
    schema: adminSchema({
      ...about,
      operationId: 'exportSelectedLicenses',
      summary: 'Take those of some ids away as CSV, as exportLicenses does; ids that are gone are left out',
      body: parameterSchema(selectedShape, 'create'),
    }),
    handler: async (request, reply) => {
      const { ids, columns } = createInput(selectedShape, request);
      return send(request, reply, { filter: { ids: [...new Set(ids)] }, columns, search: null });
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
  const ids = filter.ids?.toSorted((one, other) => other - one);
  const pieces = ids
    ? Array.from({ length: Math.ceil(ids.length / CHUNK) }, (_, i) => ({
        ...filter,
        ids: ids.slice(i * CHUNK, (i + 1) * CHUNK),
      }))
    : [filter];
  for (const piece of pieces) {
    for (let before: number | null = null; ; ) {
      const found = await licenses.search(piece, { before, limit: CHUNK, counted: false });
      if (found.items.length > 0)
        yield stringify(
          found.items.map((license) => cellsOf(license, now, columns)),
          { cast: CAST },
        );
      if (found.next === null) break;
      before = found.next;
    }
  }
}
