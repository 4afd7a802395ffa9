import { Readable } from 'node:stream';
import { stringify } from 'csv-stringify/sync';
import type { FastifyInstance } from 'fastify';
import { COLUMNS, CSV_OPTIONS, cellsOfSome } from '../../../app/batches/license-export.ts';
import { type Datetime, toDatetime } from '../../../domain/datetime.ts';
import { listOf, oneOf, optional, reference, required } from '../../../domain/fields.ts';
import { maskedKey } from '../../../domain/licenses/license.ts';
import {
  type LicenseSearch,
  licenseSearch,
  licenseSearchShape,
} from '../../../domain/licenses/license-search.ts';
import { snakeCased } from '../../../domain/names.ts';
import type { Reads } from '../../../store/store.ts';
import type { Call } from '../../call.ts';
import { create, query } from '../../input.ts';
import type { Services } from '../../services.ts';
import { adminRouter } from '../route.ts';

const columns = optional(listOf(oneOf(COLUMNS), COLUMNS.length, 'Columns in their order; all by default'));
/** Maximum number of ids in an export: the limit of a selection in the console's list. */
const SELECTED_MAX = 10_000;
const foundShape = { ...licenseSearchShape, columns };
const selectedShape = { ids: required(listOf(reference(), SELECTED_MAX, 'Ids of licenses')), columns };
type Columns = readonly (typeof COLUMNS)[number][];

/** Licenses in memory at a time. */
const CHUNK = 500;

const shared = {
  description:
    'A key that begins with = + - @, a tab or a line break gets an apostrophe in front, because a spreadsheet would ' +
    'execute it. An import removes the apostrophe.',
  session: 'licenses.keys',
  data: 'file',
} as const;

export function licenseExportRoutes(app: FastifyInstance, { store, execute, clock }: Services): void {
  const route = adminRouter(app, 'Licenses');

  /** Records the export in the audit trail, then sends the licenses as CSV. @param text the search text */
  async function send(
    { reply, actor }: Call,
    filter: LicenseSearch,
    text: string | null,
    sent: Columns | null,
  ) {
    const columns = sent ?? COLUMNS;
    const now = toDatetime(clock());
    const counting = { before: null, limit: 1, counted: true };
    const { total, totalIsMore } = await store.read.licenses.search(filter, counting);
    const about = { filter: filterForAudit(filter, text), columns, count: totalIsMore ? null : total };
    await execute('record-license-export', about, actor);
    reply
      .type('text/csv; charset=utf-8')
      .header('content-disposition', `attachment; filename="licenses-${now.slice(0, 10)}.csv"`);
    return reply.send(Readable.from(csvOf(store.read, filter, columns, now)));
  }

  route.get('/licenses/export', {
    ...shared,
    operationId: 'exportLicenses',
    summary: 'Export licenses as CSV, newest first, and record that in the audit trail',
    input: query(foundShape),
    handler(call) {
      const { columns, ...search } = call.input;
      return send(call, licenseSearch(search, toDatetime(clock())), search.search, columns);
    },
  });

  route.post('/licenses/export', {
    ...shared,
    operationId: 'exportSelectedLicenses',
    summary: 'Export the licenses with these ids as CSV, as exportLicenses does; missing ids are skipped',
    input: create(selectedShape),
    handler: (call) => send(call, { ids: [...new Set(call.input.ids)] }, null, call.input.columns),
  });
}

/**
 * Returns the filter for the audit trail. Masks the search text, which may be a key, and counts the ids, which may be many.
 */
function filterForAudit(
  { terms: _, ids, ...filter }: LicenseSearch,
  text: string | null,
): Record<string, unknown> {
  return {
    ...snakeCased(filter),
    ...(ids && { ids: ids.length }),
    ...(text !== null && { search: maskedKey(text) }),
  };
}

async function* csvOf(
  reads: Reads,
  filter: LicenseSearch,
  columns: Columns,
  now: Datetime,
): AsyncGenerator<string> {
  // Without a byte order mark, Excel takes the file for Windows-1252.
  yield `\ufeff${stringify([[...columns]])}`;
  const ids = filter.ids?.toSorted((one, other) => other - one);
  const pieces = ids
    ? Array.from({ length: Math.ceil(ids.length / CHUNK) }, (_, i) => ({
        ...filter,
        ids: ids.slice(i * CHUNK, (i + 1) * CHUNK),
      }))
    : [filter];
  for (const piece of pieces) {
    for (let before: number | null = null; ; ) {
      const found = await reads.licenses.search(piece, { before, limit: CHUNK, counted: false });
      if (found.items.length > 0)
        yield stringify(await cellsOfSome(reads, found.items, now, columns), CSV_OPTIONS);
      if (found.next === null) break;
      before = found.next;
    }
  }
}
