import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { CsvFault, readCsv } from '../../../app/batches/csv-reader.ts';
import { type Mapping, mappedColumns, readDefaults } from '../../../app/batches/import-file.ts';
import { type ImportLine, importLicenses } from '../../../app/batches/import-licenses.ts';
import { IMPORTED } from '../../../app/batches/import-shape.ts';
import { type Columns, type Header, licenseLines, readHeader } from '../../../app/batches/license-csv.ts';
import { type PreviewedLine, previewImport } from '../../../app/batches/preview-import.ts';
import { collectRejected, type LineFault, type Rejected } from '../../../app/batches/rejected-lines.ts';
import { flag, isObject, parameterName } from '../../../domain/fields.ts';
import { metaObject, NO_NOTES } from '../../../domain/licenses/license-notes.ts';
import { snakeCased } from '../../../domain/names.ts';
import { inWords } from '../../../words/problems.ts';
import { invalid, refuse, unwrap } from '../../errors.ts';
import { unread } from '../../input.ts';
import type { Parameters } from '../../parameters.ts';
import { withStreamedFile } from '../../releases/streamed-file.ts';
import type { Services } from '../../services.ts';
import { adminRouter, nullable } from '../route.ts';
import { answerLines, type Lines } from './lines.ts';

/**
 * Limits of a file, in bytes and lines, because the preview keeps all its license keys in memory. The command line has no
 * such limits.
 */
const IMPORT_MAX = 50 * 1024 ** 2;
const LINES_MAX = 1_000_000;
/** Maximum number of files that this process reads at the same time. */
const CONCURRENT_MAX = 3;

const text = { type: 'string' };
const fileForm = {
  type: 'object',
  required: ['file'],
  properties: {
    mapping: {
      ...text,
      description: `JSON: the parameter of each column by its name, one of ${IMPORTED.join(', ')}, or ''; guessed by default`,
    },
    defaults: { ...text, description: 'JSON: values for empty cells, by parameter' },
    delimiter: { ...text, description: 'Between cells; by default the most frequent one in the first line' },
    file: { ...text, format: 'binary', description: 'CSV in UTF-8, behind all other fields' },
  },
};

const FileColumns = Type.Object({
  delimiter: Type.String(),
  columns: Type.Array(
    Type.Object({
      name: Type.String(),
      /** The parameter that the column holds; null for a column that is ignored. */
      parameter: nullable(Type.String()),
    }),
  ),
});

const REJECTED =
  'Rejected lines come before the result, in parts {"faults":[[{"parameter","reason","code","args"},…],…],"lines":[[line,fault],…]}: ' +
  'fault is an index into the faults of the first part; parameter is null if the whole line is wrong.';

function presentFirst({ line, license }: PreviewedLine) {
  if (license === null) return { line, license };
  const { key, row: _, notes, ...values } = license;
  const { note, tags, meta } = notes ?? NO_NOTES;
  return { line, license: { license_key: key, ...snakeCased(values), note, tags, meta: metaObject(meta) } };
}

const presentFault = ({ field, problem }: LineFault) => ({
  parameter: field && parameterName(field),
  reason: inWords(problem),
  ...problem,
});

async function tellRejected({ tell }: Lines, rejected: Rejected): Promise<void> {
  for (const { faults, lines } of rejected.parts())
    await tell({ faults: faults.map((some) => some.map(presentFault)), lines });
}

export function importRoutes(app: FastifyInstance, services: Services): void {
  const route = adminRouter(app, 'Imports');
  const session = 'licenses.import';

  route.post('/imports/columns', {
    operationId: 'listImportColumns',
    summary: 'List the columns of a CSV file and the parameters that they hold',
    description: 'Reads the first line only, so the beginning of the file is enough.',
    session,
    upload: true,
    input: unread(fileForm),
    data: FileColumns,
    handler: ({ request }) =>
      withCsv(request, async ({ header, columns, delimiter }) => ({
        delimiter,
        columns: header.names.map((name, i) => ({ name, parameter: columns[i] ?? null })),
      })),
  });

  route.post('/imports/preview', {
    operationId: 'previewImport',
    summary: 'Preview the import of a CSV file; nothing is written',
    description:
      'Progress is in bytes of the file. The result is {"lines","good","rows":[{"line","license"}],"rejected_total"}: ' +
      `rows are the first lines as the import would read them, with null as the license of a rejected line. ${REJECTED}`,
    session,
    upload: true,
    input: unread(fileForm),
    data: 'lines',
    handler: ({ request, reply }) =>
      answerLines(request, reply, (lines) =>
        withCsv(request, async (file) => {
          const onProgress = () => lines.progress(file.bytesRead(), null);
          const options = { defaults: file.defaults, onProgress };
          const preview = await previewImport(services, keyedLines(file, lines.signal), options);
          await tellRejected(lines, preview.rejected);
          return {
            lines: preview.read,
            good: preview.good,
            rows: preview.first.map(presentFirst),
            rejected_total: preview.rejected.total(),
          };
        }),
      ),
  });

  route.post('/imports', {
    operationId: 'importLicenses',
    summary: 'Import licenses from a CSV file: all of them or none',
    description:
      'The result is {"done","read","imported","rejected_total"}. A single bad line refuses the file, unless skip_bad is set. ' +
      `If the client disconnects before the last step, nothing is imported. ${REJECTED}`,
    session,
    upload: true,
    input: unread({ ...fileForm, properties: { ...fileForm.properties, skip_bad: flag.schema } }),
    data: 'lines',
    handler: ({ request, reply, actor }) =>
      answerLines(request, reply, (lines) =>
        withCsv(request, async (file) => {
          const skipBad = flag.read(file.fields.skip_bad ?? false);
          if (!skipBad.ok) throw refuse('invalid', { fields: { skipBad: skipBad.problem } });
          const onProgress = (read: number) => {
            lines.signal.throwIfAborted();
            lines.progress(read, null);
          };
          const options = { skipBad: skipBad.value, defaults: file.defaults, onProgress, keysInMemory: true };
          const keyed = keyedLines(file, lines.signal);
          const { rejected, owesNotes, ...report } = await importLicenses(services, keyed, options, actor);
          if (owesNotes)
            request.log.warn('the database was away: notes of an import will follow within two hours');
          const collected = collectRejected();
          for (const line of rejected) collected.add(line);
          await tellRejected(lines, collected);
          return { ...report, rejected_total: rejected.length };
        }),
      ),
  });
}

/** Returns the lines of a file. @throws 422 if no column holds the license key */
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
  /** Bytes read so far. */
  bytesRead(): number;
  lines(signal: AbortSignal): AsyncGenerator<ImportLine>;
}

let reading = 0;

/**
 * Reads a CSV file while it arrives, and passes it to `use`.
 * @throws 413, 422, and 503 while too many other files are being read
 */
async function withCsv<T>(request: FastifyRequest, use: (file: CsvFile) => Promise<T>): Promise<T> {
  if (reading >= CONCURRENT_MAX) throw refuse('unavailable');
  reading++;
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
      // Bytes that are not UTF-8 were replaced. Say so now, not when the user has mapped the columns.
      if (header.names.some((name) => name.includes('\ufffd'))) throw new CsvFault(header.line, 'not_utf8');
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
    reading--;
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
    if (isObject(parsed)) {
      const values = Object.values(parsed);
      if (values.every((one) => one === null || ['string', 'number'].includes(typeof one))) return parsed;
    }
  } catch {}
  throw invalid(name, 'not_json_values');
}

function delimiterOf({ delimiter }: Parameters): string | null {
  if (delimiter === undefined || delimiter === '') return null;
  if (typeof delimiter === 'string' && /^[^"\r\n]$/u.test(delimiter)) return delimiter;
  throw invalid('delimiter', 'not_delimiter');
}
