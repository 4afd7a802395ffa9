import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type, { type Static } from 'typebox';
import { CsvFault, readCsv } from '../../app/csv-reader.ts';
import { type Mapping, mappedColumns, readDefaults } from '../../app/import-file.ts';
import { type ImportLine, importLicenses } from '../../app/import-licenses.ts';
import { type Columns, type Header, IMPORTED, licenseLines, readHeader } from '../../app/license-csv.ts';
import { type ImportPreview, previewImport } from '../../app/preview-import.ts';
import { flag } from '../../domain/fields.ts';
import { invalid, unavailable, unwrap } from '../errors.ts';
import type { Parameters } from '../parameters.ts';
import type { Services } from '../services.ts';
import { consoleActorOf } from '../session.ts';
import { withStreamedFile } from '../streamed-file.ts';
import { answerLines } from './lines.ts';
import { adminSchema, nullable } from './route-schema.ts';

const tags = ['Imports'];

/** Bytes of a file, and lines of it: the preview holds its keys. The command line has no such limits. */
const IMPORT_MAX = 50 * 1024 ** 2;
const LINES_MAX = 1_000_000;
/** Files read at a time. */
const AT_ONCE = 3;
/** Rejected lines that a report names. */
const REJECTED_TOLD = 1_000;

const text = { type: 'string' };
const form = {
  type: 'object',
  required: ['file'],
  properties: {
    mapping: {
      ...text,
      description: `JSON: the parameter of each column by its name, of ${IMPORTED.join(', ')}, or ''; guessed when not sent`,
    },
    defaults: { ...text, description: 'JSON: values for what lines leave empty, by parameter' },
    delimiter: { ...text, description: 'Between cells; what the first line has most of when not sent' },
    file: { ...text, format: 'binary', description: 'CSV in UTF-8; after all other fields' },
  },
};

const Rejected = Type.Object({ line: Type.Integer(), reason: Type.String() });
const Preview = Type.Object({
  delimiter: Type.String(),
  columns: Type.Array(
    Type.Object({
      name: Type.String(),
      /** What it is taken for; null for one that is passed over. */
      parameter: nullable(Type.String()),
    }),
  ),
  /** Whether lines were read: not where no column is the license key. */
  checked: Type.Boolean(),
  lines: Type.Integer(),
  good: Type.Integer(),
  /** The first lines as they would be read; license is null where the line is rejected. */
  rows: Type.Array(
    Type.Object({
      line: Type.Integer(),
      license: nullable(
        Type.Object({
          license_key: Type.String(),
          status: Type.Integer(),
          expires_at: nullable(Type.String()),
          valid_for: Type.Integer(),
          activations_limit: Type.Integer(),
          order_id: nullable(Type.Integer()),
          product_id: nullable(Type.Integer()),
          user_id: nullable(Type.Integer()),
        }),
      ),
    }),
  ),
  rejected: Type.Array(Rejected),
  rejected_total: Type.Integer(),
  /** Whether there are more rejected lines than told. */
  truncated: Type.Boolean(),
});

const NOT_READ: ImportPreview = { read: 0, good: 0, rejected: [], rejectedTotal: 0, first: [] };

const presentPreview = (
  { names }: Header,
  columns: Columns,
  delimiter: string,
  { read, good, rejected, rejectedTotal, first }: ImportPreview,
): Static<typeof Preview> => ({
  delimiter,
  columns: names.map((name, i) => ({ name, parameter: columns[i] ?? null })),
  checked: columns.includes('license_key'),
  lines: read,
  good,
  rows: first.map(({ line, license }) => ({
    line,
    license: license && {
      license_key: license.key,
      status: license.status,
      expires_at: license.expiresAt,
      valid_for: license.validFor,
      activations_limit: license.activationsLimit,
      order_id: license.orderId,
      product_id: license.productId,
      user_id: license.userId,
    },
  })),
  rejected,
  rejected_total: rejectedTotal,
  truncated: rejectedTotal > rejected.length,
});

export function importRoutes(app: FastifyInstance, services: Services): void {
  app.post('/imports/preview', {
    config: { session: 'licenses.import', upload: true },
    schema: adminSchema({
      operationId: 'previewImport',
      summary: 'See what an import of a CSV file would do; nothing is written',
      tags,
      body: form,
      data: Preview,
    }),
    handler: (request) =>
      withCsv(request, async ({ header, columns, delimiter, defaults, lines }) => {
        const isKeyed = columns.includes('license_key');
        const preview = isKeyed ? await previewImport(services, lines(), { defaults }) : NOT_READ;
        return presentPreview(header, columns, delimiter, preview);
      }),
  });

  app.post('/imports', {
    config: { session: 'licenses.import', upload: true },
    schema: adminSchema({
      operationId: 'importLicenses',
      summary: 'Import licenses from a CSV file: all of them or none',
      description:
        'The result is {"done","read","imported","rejected":[{"line","reason"}],"rejected_total"}. One bad line refuses the ' +
        'file, but for skip_bad. Where the client goes away before the last step, nothing is imported.',
      tags,
      body: { ...form, properties: { ...form.properties, skip_bad: flag.schema } },
      data: 'lines',
    }),
    handler: (request, reply) => {
      const actor = consoleActorOf(request);
      return answerLines(request, reply, ({ progress, signal }) =>
        withCsv(request, async ({ fields, columns, defaults, lines }) => {
          if (!columns.includes('license_key'))
            throw invalid({ mapping: 'must say which column is license_key.' });
          const skipBad = flag.read(fields.skip_bad ?? false);
          if (!skipBad.ok) throw invalid({ skip_bad: skipBad.reason });
          const onProgress = (read: number) => {
            signal.throwIfAborted();
            progress(read, null);
          };
          const options = { skipBad: skipBad.value, defaults, onProgress, keysInMemory: true };
          const { rejected, ...report } = await importLicenses(services, lines(signal), options, actor);
          return {
            ...report,
            rejected: rejected.slice(0, REJECTED_TOLD),
            rejected_total: rejected.length,
          };
        }),
      );
    },
  });
}

/** A CSV file whose first line has been read. */
interface CsvFile {
  fields: Parameters;
  header: Header;
  columns: Columns;
  delimiter: string;
  defaults: Record<string, unknown>;
  lines(signal?: AbortSignal): AsyncGenerator<ImportLine>;
}

let underWay = 0;

/** @throws 413, 422, and 503 where too many files are being read */
async function withCsv<T>(request: FastifyRequest, use: (file: CsvFile) => Promise<T>): Promise<T> {
  if (underWay >= AT_ONCE) throw unavailable();
  underWay++;
  try {
    return await withStreamedFile(request, IMPORT_MAX, async ({ fields, content }) => {
      const defaults = unwrap(readDefaults(objectOf(fields, 'defaults') ?? {}));
      const mapping = objectOf(fields, 'mapping') as Mapping | null;
      let delimiter = delimiterOf(fields);
      const records = readCsv(content, delimiter, (found) => {
        delimiter = found;
      });
      const header = await readHeader(records);
      const columns = unwrap(mappedColumns(header, mapping));
      const lines = (signal: AbortSignal = new AbortController().signal) =>
        bounded(licenseLines(records, columns, signal));
      return use({ fields, header, columns, delimiter: delimiter ?? ',', defaults, lines });
    });
  } catch (error) {
    throw error instanceof CsvFault ? invalid({ file: `cannot be read. ${error.message}` }) : error;
  } finally {
    underWay--;
  }
}

async function* bounded(lines: AsyncGenerator<ImportLine>): AsyncGenerator<ImportLine> {
  let read = 0;
  for await (const line of lines) {
    if (++read > LINES_MAX) {
      const told = LINES_MAX.toLocaleString('en');
      throw invalid({
        file: `has more than ${told} lines: divide it, or import it with "latchkey license import".`,
      });
    }
    yield line;
  }
}

function objectOf(fields: Parameters, name: string): Record<string, unknown> | null {
  const value = fields[name];
  if (value === undefined || value === '') return null;
  try {
    const parsed: unknown = JSON.parse(value as string);
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) {
      const values = Object.values(parsed);
      if (values.every((one) => one === null || ['string', 'number'].includes(typeof one)))
        return parsed as Record<string, unknown>;
    }
  } catch {}
  throw invalid({ [name]: 'must be a JSON object of texts and numbers.' });
}

function delimiterOf({ delimiter }: Parameters): string | null {
  if (delimiter === undefined || delimiter === '') return null;
  if (typeof delimiter === 'string' && /^[^"\r\n]$/u.test(delimiter)) return delimiter;
  throw invalid({ delimiter: 'must be one character other than a quote.' });
}
