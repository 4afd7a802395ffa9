import type { Command } from 'commander';
import { CsvFault, readCsv } from '../../app/batches/csv-reader.ts';
import { type ImportReport, importLicenses } from '../../app/batches/import-licenses.ts';
import {
  type Columns,
  duplicateOf,
  type Header,
  IMPORTED,
  licenseLines,
  parameterOf,
  readHeader,
} from '../../app/batches/license-csv.ts';
import { COLUMNS } from '../../app/batches/license-export.ts';
import type { LineFault } from '../../app/batches/rejected-lines.ts';
import { parameterName } from '../../domain/fields.ts';
import { LICENSE_DEFAULTS, licenseShape } from '../../domain/license.ts';
import { CSV_FAULTS, inWords } from '../../words/problems.ts';
import { Failure } from '../failure.ts';
import { addShapeFlags, parametersOf, readFlags } from '../flags.ts';
import { addExamples, addNotes } from '../help.ts';
import { interruptible } from '../interrupt.ts';
import { LICENSE_MEANINGS } from '../licenses/license-flags.ts';
import { changing, OWNER } from '../open.ts';
import { answer, note } from '../output.ts';
import { createProgress } from '../progress.ts';
import type { Run } from '../run.ts';
import { addCommonFlags, type Given } from '../settings.ts';
import { openSource } from '../source.ts';
import { counted, grouped, printable } from '../table.ts';

const { licenseKey: _key, ...defaultShape } = licenseShape;
const KNOWN = new Set<string>([...IMPORTED, ...COLUMNS, '']);
/** Rejected lines that are shown; --json has all of them. */
const SHOWN_MAX = 50;

export function addImport(license: Command, run: Run): void {
  const command = license
    .command('import')
    .description('Import licenses from a CSV file: all of them, or none')
    .argument('<file>', 'The file; - for standard input')
    .option('--skip-bad', 'Import the good lines of a file that has bad ones')
    .option(
      '--delimiter <character>',
      'Between cells: a character, or tab (default: as the first line has it)',
    );
  addShapeFlags(command, defaultShape, LICENSE_MEANINGS);
  addCommonFlags(command);
  addNotes(command, NOTES);
  addExamples(command, [
    ['What was exported', 'latchkey license import licenses.csv'],
    [
      'A bare list of keys under the word license_key, for a product and three devices each',
      'latchkey license import keys.csv --product-id 7 --activations-limit 3',
    ],
    ['From another program', 'zcat licenses.csv.gz | latchkey license import - --skip-bad'],
  ]);
  command.action((file: string, given: Given) =>
    interruptible(run, 'nothing was imported', (signal) => importFile(run, file, given, signal)),
  );
}

const NOTES = `The first line names the columns; of these only license_key must be there:
  ${IMPORTED.join(', ')}
The flags of these names give values for what a line leaves empty. expires_at may be
"never", where valid_for is set all the same. Other columns are ignored. The file is
UTF-8, its cells divided by commas, semicolons or tabs, quoted with "double quotes".`;

async function importFile(run: Run, file: string, given: Given, signal: AbortSignal): Promise<void> {
  readFlags(defaultShape, given, LICENSE_DEFAULTS);
  const defaults = { ...LICENSE_DEFAULTS, ...parametersOf(defaultShape, given) };
  const source = await openSource(run.io.stdin, file, signal);
  const progress = createProgress('lines', run.io.stderr);
  try {
    const records = readCsv(source.stream, delimiterOf(given));
    const header = await readHeader(records);
    const columns = columnsOf(header);
    const ignored = ignoredOf(header).map(printable);
    if (ignored.length > 0) {
      note(run, `Columns that say nothing of a license are ignored: ${ignored.join(', ')}.`);
    }
    const options = {
      skipBad: given.skipBad === true,
      defaults,
      onProgress: (read: number) => progress.update(source.part(), read),
    };
    await changing(run, async (service) => {
      const report = await importLicenses(service, licenseLines(records, columns, signal), options, OWNER);
      progress.end();
      if (!report.done) throw refusedLines(report);
      answer(run, shownReport(report), () => reportWords(report));
    });
  } catch (error) {
    throw error instanceof CsvFault ? badCsv(error.line, CSV_FAULTS[error.fault]) : error;
  } finally {
    progress.end();
    source.stream.destroy();
  }
}

function delimiterOf({ delimiter }: Given): string | null {
  if (delimiter === undefined) return null;
  if (delimiter === 'tab' || delimiter === '\\t') return '\t';
  if (typeof delimiter === 'string' && /^[^"\r\n]$/u.test(delimiter)) return delimiter;
  throw new Failure(2, 'invalid_value', '--delimiter must be one character, other than a quote, or "tab".');
}

/** The columns of a file, of which one must be the key. @throws Failure */
function columnsOf({ line, names }: Header): Columns {
  const columns = names.map(parameterOf);
  if (!columns.includes('license_key')) {
    const found = names.join(' | ').toLowerCase().slice(0, 200);
    throw badCsv(line, `it must name the columns, license_key among them; it reads: ${found}`);
  }
  const twice = duplicateOf(columns);
  if (twice) throw badCsv(line, `the column ${twice} is there twice`);
  return columns;
}

/** Columns that neither an import reads nor an export writes. */
const ignoredOf = ({ names }: Header): string[] =>
  names.map((name) => name.toLowerCase()).filter((name) => !KNOWN.has(name));

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
    `${grouped(rejected.length)} of ${counted(read, 'license')} ${rejected.length === 1 ? 'was' : 'were'} rejected, so none was imported:`,
    ...rejectedWords(report),
    'Correct these lines, or import the others with --skip-bad.',
  ];
  return new Failure(1, 'lines_rejected', message.join('\n'), shownReport(report));
}

function reportWords(report: ImportReport): string {
  const imported = `Imported ${counted(report.imported, 'license')}.`;
  if (report.rejected.length === 0) return imported;
  return [imported, `Left out ${grouped(report.rejected.length)}:`, ...rejectedWords(report)].join('\n');
}

function rejectedWords({ rejected }: ImportReport): string[] {
  const lines = rejected
    .slice(0, SHOWN_MAX)
    .map(({ line, faults }) => `  line ${line}: ${printable(faultsInWords(faults))}`);
  const more = rejected.length - lines.length;
  return more > 0 ? [...lines, `  and ${grouped(more)} more; --json lists them all`] : lines;
}
