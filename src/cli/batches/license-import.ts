import { CsvFault, readCsv } from '../../app/batches/csv-reader.ts';
import { type ImportReport, importLicenses } from '../../app/batches/import-licenses.ts';
import { IMPORTED } from '../../app/batches/import-shape.ts';
import {
  type Columns,
  duplicateOf,
  guessColumns,
  type Header,
  licenseLines,
  parameterOf,
  readHeader,
} from '../../app/batches/license-csv.ts';
import { COLUMNS } from '../../app/batches/license-export.ts';
import type { LineFault } from '../../app/batches/rejected-lines.ts';
import { bad, type Field, optional, parameterName } from '../../domain/fields.ts';
import { LICENSE_DEFAULTS } from '../../domain/licenses/license.ts';
import { CSV_FAULTS, inWords } from '../../words/problems.ts';
import { define } from '../define.ts';
import { Failure } from '../failure.ts';
import { flagsOf, parametersOf, toggle } from '../flags.ts';
import { interruptible } from '../interrupt.ts';
import { licenseFlags } from '../licenses/license-flags.ts';
import { creating, OWNER } from '../open.ts';
import { answer, note } from '../output.ts';
import { showProgress } from '../progress.ts';
import type { Run } from '../run.ts';
import { openSource } from '../source.ts';
import { counted, grouped, printable } from '../table.ts';

const { licenseKey: _key, ...defaultFlags } = licenseFlags;
const delimiterField: Field<string> = {
  schema: { type: 'string' },
  read(value) {
    if (value === 'tab' || value === '\\t') return { ok: true, value: '\t' };
    return /^[^"\r\n]$/u.test(String(value)) ? { ok: true, value: String(value) } : bad('not_delimiter');
  },
};
const KNOWN = new Set<string>([...IMPORTED, ...COLUMNS, '']);
/** Parameters whose columns must not be ignored: the licenses would have no end, no limit, or no customer. */
const NEEDED = new Set(['expires_at', 'valid_for', 'activations_limit', 'customer_email']);
/** Maximum number of rejected lines in the text output; --json lists all. */
const SHOWN_MAX = 50;

export const licenseImport = define({
  name: 'import',
  description: 'Import licenses from a CSV file: all of them, or none',
  argument: ['<file>', 'File to read; - for standard input'],
  flags: {
    skipBad: toggle('Import the good lines of a file that has bad ones'),
    ...flagsOf(
      { delimiter: optional(delimiterField) },
      { delimiter: ['character', 'Character between cells, or tab (default: as in the first line)'] },
    ),
    ...defaultFlags,
  },
  defaults: LICENSE_DEFAULTS,
  notes: `The first line names the columns. Only license_key is required:
  ${IMPORTED.join(', ')}
The flags of the same names give values for empty cells. expires_at may be "never", even if
valid_for is set. Other columns are ignored. The file is refused if the name of one resembles
expires_at, valid_for, activations_limit or customer_email, such as expires, seats or email. The
file is UTF-8, with cells separated by commas, semicolons or tabs and quoted with "double quotes".`,
  examples: {
    'A file that was exported': 'latchkey license import licenses.csv',
    'A list of keys under the heading license_key, for a product and three devices each':
      'latchkey license import keys.csv --product-id 7 --activations-limit 3',
    'From another program': 'zcat licenses.csv.gz | latchkey license import - --skip-bad',
  },
  action: ({ run, values }, file) =>
    interruptible(run, 'nothing was imported', (signal) =>
      importFile(run, file, { skipBad: values.skipBad === true, delimiter: values.delimiter }, signal),
    ),
});

async function importFile(
  run: Run,
  file: string,
  { skipBad, delimiter }: { skipBad: boolean; delimiter: string | null },
  signal: AbortSignal,
): Promise<void> {
  const defaults = { ...LICENSE_DEFAULTS, ...parametersOf(defaultFlags, run.given) };
  const source = await openSource(run.io.stdin, file, signal);
  try {
    const records = readCsv(source.stream, delimiter);
    const header = await readHeader(records);
    const columns = columnsOf(header);
    const ignored = header.names.map((name) => name.toLowerCase()).filter((name) => !KNOWN.has(name));
    if (ignored.length > 0)
      note(run, `These columns are unknown and are ignored: ${ignored.map(printable).join(', ')}.`);
    const onProgress = (read: number) => showProgress(run, 'lines', source.part(), read);
    await creating(run, async (service) => {
      const lines = licenseLines(records, columns, signal);
      const report = await importLicenses(service, lines, { skipBad, defaults, onProgress }, OWNER);
      if (!report.done) throw refusedLines(report);
      if (report.owesNotes)
        note(run, 'The database was away. A running server writes the missing notes within two hours.');
      answer(run, shownReport(report), () => reportWords(report));
    });
  } catch (error) {
    throw error instanceof CsvFault ? badCsv(error.line, CSV_FAULTS[error.fault]) : error;
  } finally {
    source.stream.destroy();
  }
}

/**
 * Returns the columns of a file.
 * @throws Failure if the license key is not among them, a column appears twice, or an unknown name resembles one of NEEDED
 */
function columnsOf(header: Header): Columns {
  const { line, names } = header;
  const columns = names.map(parameterOf);
  if (!columns.includes('license_key')) {
    const found = names.join(' | ').toLowerCase().slice(0, 200);
    throw badCsv(line, `it must name the columns, license_key among them; it reads: ${found}`);
  }
  const duplicate = duplicateOf(columns);
  if (duplicate) throw badCsv(line, `the column ${duplicate} appears twice`);
  const guessed = guessColumns(header);
  const at = guessed.findIndex((name, i) => name !== columns[i] && NEEDED.has(String(name)));
  if (at >= 0)
    throw badCsv(line, `"${names[at]}" looks like ${guessed[at]}. Rename it, or remove the column`);
  return columns;
}

const badCsv = (line: number, fault: string): Failure =>
  new Failure(1, 'bad_csv', `Line ${line}: ${printable(fault)}. Nothing was imported.`, { line });

const faultsInWords = (faults: readonly LineFault[]): string =>
  faults
    .map(({ field, problem }) =>
      [...(field === null ? [] : [parameterName(field)]), inWords(problem)].join(' '),
    )
    .join(' ');

const shownReport = ({ imported, read, rejected }: ImportReport) => ({
  imported,
  read,
  rejected: rejected.map(({ line, faults }) => ({ line, reason: faultsInWords(faults) })),
});

function refusedLines(report: ImportReport): Failure {
  const { read, rejected } = report;
  const message = [
    `${grouped(rejected.length)} of ${counted(read, 'license')} ${rejected.length === 1 ? 'was' : 'were'} rejected, so nothing was imported:`,
    ...rejectedWords(report),
    'Correct these lines, or import the other lines with --skip-bad.',
  ];
  return new Failure(1, 'lines_rejected', message.join('\n'), shownReport(report));
}

function reportWords(report: ImportReport): string {
  const imported = `Imported ${counted(report.imported, 'license')}.`;
  if (report.rejected.length === 0) return imported;
  return [imported, `Skipped ${grouped(report.rejected.length)}:`, ...rejectedWords(report)].join('\n');
}

function rejectedWords({ rejected }: ImportReport): string[] {
  const lines = rejected
    .slice(0, SHOWN_MAX)
    .map(({ line, faults }) => `  line ${line}: ${printable(faultsInWords(faults))}`);
  const more = rejected.length - lines.length;
  return more > 0 ? [...lines, `  and ${grouped(more)} more; --json lists them all`] : lines;
}
