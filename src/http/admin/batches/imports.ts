import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { CsvFault, readCsv } from '../../../app/batches/csv-reader.ts';
import { type Mapping, mappedColumns, readDefaults } from '../../../app/batches/import-file.ts';
import { type ImportLine, importLicenses } from '../../../app/batches/import-licenses.ts';
import {
  type Columns,
  type Header,
  IMPORTED,
  licenseLines,
  readHeader,
} from '../../../app/batches/license-csv.ts';
import { type PreviewedLine, previewImport } from '../../../app/batches/preview-import.ts';
import { collectRejected, type LineFault, type Rejected } from '../../../app/batches/rejected-lines.ts';
import { flag, parameterName } from '../../../domain/fields.ts';
import { inWords } from '../../../words/problems.ts';
import { invalid, refuse, unwrap } from '../../errors.ts';
import type { Parameters } from '../../parameters.ts';
import { consoleActorOf } from '../../people/session.ts';
import { withStreamedFile } from '../../releases/streamed-file.ts';
import type { Services } from '../../services.ts';
import { adminSchema, nullable } from '../route-schema.ts';
import { answerLines, type Lines } from './lines.ts';

const tags = ['Imports'];

/** Bytes of a file, and lines of it: the preview holds its keys. The command line has no such limits. */
const IMPORT_MAX = 50 * 1024 ** 2;
const LINES_MAX = 1_000_000;
/** Files read at a time. */
const AT_ONCE = 3;

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

const FileColumns = Type.Object({
  delimiter: Type.String(),
  columns: Type.Array(
    Type.Object({
      name: Type.String(),
      /** What it is taken for; null for one that is passed over. */
      parameter: nullable(Type.String()),
    }),
  ),
});

const REJECTED =
  'Lines that are rejected come before the result, in parts {"faults":[[{"parameter","reason","code","args"},…],…],"lines":[[line,why],…]}: ' +
  'why is the place among the faults of the first part; parameter is null where the line as a whole is wrong.';

const presentFirst = ({ line, license }: PreviewedLine) => ({
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
});

const presentFault = ({ field, problem }: LineFault) => ({
  parameter: field && parameterName(field),
  reason: inWords(problem),
  ...problem,
});

/** Tells of rejected lines. */
async function tellRejected({ tell }: Lines, rejected: Rejected): Promise<void> {
  for (const { faults, lines } of rejected.parts())
    await tell({ faults: faults.map((some) => some.map(presentFault)), lines });
}

export function importRoutes(app: FastifyInstance, services: Services): void {
  app.post('/imports/columns', {
    config: { session: 'licenses.import', upload: true },
    schema: adminSchema({
      operationId: 'listImportColumns',
      summary:
        'See what the columns of a CSV file are; no line below their names is read, so its beginning is enough',
      tags,
      body: form,
      data: FileColumns,
    }),
    handler: (request) =>
      withCsv(request, async ({ header, columns, delimiter }) => ({
        delimiter,
        columns: header.names.map((name, i) => ({ name, parameter: columns[i] ?? null })),
      })),
  });

  app.post('/imports/preview', {
    config: { session: 'licenses.import', upload: true },
    schema: adminSchema({
      operationId: 'previewImport',
      summary: 'See what an import of a CSV file would do; nothing is written',
      description:
        'Progress is told in bytes of the file. The result is {"lines","good","rows":[{"line","license"}],"rejected_total"}: ' +
        `rows are the first lines as they would be read, where license is null of one that is rejected. ${REJECTED}`,
      tags,
      body: form,
      data: 'lines',
    }),
    handler: (request, reply) =>
      answerLines(request, reply, (told) =>
        withCsv(request, async (file) => {
          const onProgress = () => told.progress(file.bytesRead(), null);
          const options = { defaults: file.defaults, onProgress };
          const preview = await previewImport(services, keyedLines(file, told.signal), options);
          await tellRejected(told, preview.rejected);
          return {
            lines: preview.read,
            good: preview.good,
            rows: preview.first.map(presentFirst),
            rejected_total: preview.rejected.total(),
          };
        }),
      ),
  });

  app.post('/imports', {
    config: { session: 'licenses.import', upload: true },
    schema: adminSchema({
      operationId: 'importLicenses',
      summary: 'Import licenses from a CSV file: all of them or none',
      description:
        'The result is {"done","read","imported","rejected_total"}. One bad line refuses the file, but for skip_bad. Where ' +
        `the client goes away before the last step, nothing is imported. ${REJECTED}`,
      tags,
      body: { ...form, properties: { ...form.properties, skip_bad: flag.schema } },
      data: 'lines',
    }),
    handler: (request, reply) => {
      const actor = consoleActorOf(request);
      return answerLines(request, reply, (told) =>
        withCsv(request, async (file) => {
          const skipBad = flag.read(file.fields.skip_bad ?? false);
          if (!skipBad.ok) throw refuse('invalid', { fields: { skipBad: skipBad.problem } });
          const onProgress = (read: number) => {
            told.signal.throwIfAborted();
            told.progress(read, null);
          };
          const options = { skipBad: skipBad.value, defaults: file.defaults, onProgress, keysInMemory: true };
          const lines = keyedLines(file, told.signal);
          const { rejected, ...report } = await importLicenses(services, lines, options, actor);
          const gathered = collectRejected();
          for (const line of rejected) gathered.add(line);
          await tellRejected(told, gathered);
          return { ...report, rejected_total: rejected.length };
        }),
      );
    },
  });
}

/** @throws 422 where no column is the license key */
function keyedLines({ columns, lines }: CsvFile, signal: AbortSignal): AsyncGenerator<ImportLine> {
  if (!columns.includes('license_key')) throw invalid('mapping', 'no_key_column');
  return lines(signal);
}

/** A CSV file whose first line has been read. */
interface CsvFile {
  fields: Parameters;
  header: Header;
  columns: Columns;
  delimiter: string;
  defaults: Record<string, unknown>;
  /** Bytes of it so far. */
  bytesRead(): number;
  lines(signal: AbortSignal): AsyncGenerator<ImportLine>;
}

let underWay = 0;

/** @throws 413, 422, and 503 where too many files are being read */
async function withCsv<T>(request: FastifyRequest, use: (file: CsvFile) => Promise<T>): Promise<T> {
  if (underWay >= AT_ONCE) throw refuse('unavailable');
  underWay++;
  try {
    return await withStreamedFile(request, IMPORT_MAX, async ({ fields, content }) => {
      const defaults = unwrap(readDefaults(objectOf(fields, 'defaults') ?? {}));
      const mapping = objectOf(fields, 'mapping') as Mapping | null;
      let delimiter = delimiterOf(fields);
      let bytes = 0;
      const counted = async function* () {
        for await (const chunk of content) {
          bytes += chunk.length;
          yield chunk;
        }
      };
      const records = readCsv(counted(), delimiter, (found) => {
        delimiter = found;
      });
      const header = await readHeader(records);
      const columns = unwrap(mappedColumns(header, mapping));
      const lines = (signal: AbortSignal) => bounded(licenseLines(records, columns, signal));
      const bytesRead = () => bytes;
      return use({ fields, header, columns, delimiter: delimiter ?? ',', defaults, bytesRead, lines });
    });
  } catch (error) {
    if (!(error instanceof CsvFault)) throw error;
    const { line, fault } = error;
    throw invalid('file', 'bad_csv', { line, fault });
  } finally {
    underWay--;
  }
}

async function* bounded(lines: AsyncGenerator<ImportLine>): AsyncGenerator<ImportLine> {
  let read = 0;
  for await (const line of lines) {
    if (++read > LINES_MAX) throw invalid('file', 'too_many_lines', { max: LINES_MAX });
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
  throw invalid(name, 'not_json_values');
}

function delimiterOf({ delimiter }: Parameters): string | null {
  if (delimiter === undefined || delimiter === '') return null;
  if (typeof delimiter === 'string' && /^[^"\r\n]$/u.test(delimiter)) return delimiter;
  throw invalid('delimiter', 'not_delimiter');
}
