import { isUtf8 } from 'node:buffer';
import type { Command } from 'commander';
import { type ImportLine, type ImportReport, importLicenses } from '../app/import-licenses.ts';
import { COLUMNS } from '../app/license-columns.ts';
import { parameterName } from '../domain/fields.ts';
import { licenseShape } from '../domain/license.ts';
import { badCsv, type CsvRecord, readCsv } from './csv-reader.ts';
import { Failure } from './failure.ts';
import { addShapeFlags, parametersOf, readFlags } from './flags.ts';
import { addExamples, addNotes } from './help.ts';
import type { Host } from './host.ts';
import { interruptible } from './interrupt.ts';
import { LICENSE_DEFAULTS, LICENSE_MEANINGS } from './license-flags.ts';
import { changing, OWNER, styleOf } from './open.ts';
import { answer, note } from './output.ts';
import { createProgress } from './progress.ts';
import { addCommonFlags, type Given } from './settings.ts';
import { openSource } from './source.ts';
import { counted, grouped, printable } from './table.ts';

const { licenseKey: _key, ...defaultShape } = licenseShape;
const READ = Object.keys(licenseShape).map(parameterName);
/** Rejected lines that are shown; --json has all of them. */
const SHOWN_MAX = 50;

export function addImport(license: Command, host: Host): void {
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
    interruptible('nothing was imported', (signal) => importFile(host, file, given, signal)),
  );
}

const NOTES = `The first line names the columns; of these only license_key must be there:
  ${READ.join(', ')}
The flags of these names give values for what a line leaves empty. expires_at may be
"never", where valid_for is set all the same. Other columns are ignored. The file is
UTF-8, its cells divided by commas, semicolons or tabs, quoted with "double quotes".`;

async function importFile(host: Host, file: string, given: Given, signal: AbortSignal): Promise<void> {
  readFlags(defaultShape, given, LICENSE_DEFAULTS);
  const defaults = { ...LICENSE_DEFAULTS, ...parametersOf(defaultShape, given) };
  const source = await openSource(file, signal);
  const progress = createProgress('lines');
  try {
    const records = readCsv(source.stream, delimiterOf(given));
    const header = await readHeader(records);
    if (header.ignored.length > 0) {
      note(
        styleOf(given),
        `Columns that say nothing of a license are ignored: ${header.ignored.join(', ')}.`,
      );
    }
    const options = {
      skipBad: given.skipBad === true,
      defaults,
      onProgress: (read: number) => progress.update(source.part(), read),
    };
    await changing(host, given, async (service) => {
      const report = await importLicenses(service, linesOf(records, header, signal), options, OWNER);
      progress.end();
      if (!report.done) throw refusedLines(report);
      answer(styleOf(given), shownReport(report), () => reportWords(report));
    });
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

interface Header {
  /** Column by column the parameter that its cells are; null for one that is passed over. */
  parameters: (string | null)[];
  /** Columns that neither an import reads nor an export writes. */
  ignored: string[];
}

async function readHeader(records: AsyncGenerator<CsvRecord>): Promise<Header> {
  const { value: first } = await records.next();
  if (!first) throw badCsv(1, 'the file is empty');
  const { line, cells }: CsvRecord = first;
  const names = cells.map((cell) => cell.toString('utf8').trim().toLowerCase());
  const parameters = names.map((name) => (READ.includes(name) ? name : null));
  if (!parameters.includes('license_key')) {
    const found = printable(names.join(' | ')).slice(0, 200);
    throw badCsv(line, `it must name the columns, license_key among them; it reads: ${found}`);
  }
  const twice = parameters.find((name, i) => name !== null && parameters.indexOf(name) !== i);
  if (twice) throw badCsv(line, `the column ${twice} is there twice`);
  const known = new Set<string>([...READ, ...COLUMNS, '']);
  return { parameters, ignored: names.filter((name) => !known.has(name)).map(printable) };
}

async function* linesOf(
  records: AsyncGenerator<CsvRecord>,
  { parameters }: Header,
  signal: AbortSignal,
): AsyncGenerator<ImportLine> {
  for await (const { line, cells } of records) {
    signal.throwIfAborted();
    yield { line, values: valuesOf(cells, parameters) };
  }
}

function valuesOf(cells: readonly Buffer[], parameters: readonly (string | null)[]): ImportLine['values'] {
  if (cells.length !== parameters.length) {
    return { unreadable: `has ${counted(cells.length, 'cell')}; the first line names ${parameters.length}.` };
  }
  const values: Record<string, string> = {};
  for (const [i, cell] of cells.entries()) {
    const name = parameters[i];
    if (!name) continue;
    if (!isUtf8(cell)) return { unreadable: `${name} is no text in UTF-8; save the file as "CSV UTF-8".` };
    values[name] = cell.toString('utf8');
  }
  return values;
}

const shownReport = ({ imported, read, rejected }: ImportReport) => ({ imported, read, rejected });

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
    .map(({ line, reason }) => `  line ${line}: ${printable(reason)}`);
  const more = rejected.length - lines.length;
  return more > 0 ? [...lines, `  and ${grouped(more)} more; --json lists them all`] : lines;
}
