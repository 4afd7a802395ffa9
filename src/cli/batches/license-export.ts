import { open, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { stringify } from 'csv-stringify';
import { CAST, COLUMNS, cellsOf } from '../../app/batches/license-export.ts';
import { toDatetime } from '../../domain/datetime.ts';
import type { License, LicenseFilter } from '../../domain/license.ts';
import type { Service } from '../../installation/service.ts';
import { Failure } from '../failure.ts';
import { addShapeFlags } from '../flags.ts';
import { addExamples, addNotes } from '../help.ts';
import { interruptible } from '../interrupt.ts';
import { FILTER_MEANINGS, filterOf, filterShape } from '../licenses/license-flags.ts';
import { reading } from '../open.ts';
import { isJson, note } from '../output.ts';
import { presentLicense } from '../present.ts';
import { createProgress } from '../progress.ts';
import type { Run } from '../run.ts';
import { addCommonFlags, type Given } from '../settings.ts';
import { counted, printable } from '../table.ts';

/** Licenses read at a time. */
const CHUNK = 1_000;

export function addExport(license: Command, run: Run): void {
  const command = license
    .command('export')
    .description('Export licenses as CSV, or as JSON lines with --json')
    .argument('[file]', 'The file to write, which only you may read; standard output where none is given')
    .option('--force', 'Write over a file that exists');
  addShapeFlags(command, filterShape, FILTER_MEANINGS);
  addCommonFlags(command);
  addNotes(command, NOTES);
  addExamples(command, [
    ['All licenses', 'latchkey license export licenses.csv'],
    [
      'Those of a product, to another program',
      'latchkey license export --product-id 7 | gzip > licenses.csv.gz',
    ],
    ['Their keys alone', "latchkey license export --json | jq -r '.license_key'"],
  ]);
  command.action((file: string | undefined, given: Given) => {
    const filter = filterOf(given);
    return interruptible(run, 'the export is not whole', (signal) =>
      reading(run, (service) => exportTo(run, service, filter, file ?? '-', signal)),
    );
  });
}

const NOTES = `Oldest first. "latchkey license import" makes the same licenses of the file. A key that begins with
= + - @, a tab or a line break gets an apostrophe before it, because a spreadsheet would
run it as a formula; the import takes that off again, and --json has keys as they are. A spreadsheet
may still take a key for a number: import the file there with the column license_key as text.`;

async function exportTo(
  run: Run,
  service: Service,
  filter: LicenseFilter,
  file: string,
  signal: AbortSignal,
): Promise<void> {
  const target = await openTarget(run, file);
  // Nothing is drawn over data that a terminal shows.
  const progress = file === '-' && run.io.stdout.isTTY ? null : createProgress('licenses', run.io.stderr);
  let count = 0;
  async function* licenses(): AsyncGenerator<License> {
    for await (const license of walk(service, filter)) {
      signal.throwIfAborted();
      progress?.update(null, ++count);
      yield license;
    }
  }
  try {
    const now = toDatetime(service.clock());
    await (isJson(run)
      ? pipeline(jsonLines(service, licenses(), now), target.stream, { end: target.ends })
      : pipeline(cells(licenses(), now), csv(), target.stream, { end: target.ends }));
  } catch (error) {
    await target.undo();
    throw error;
  } finally {
    progress?.end();
  }
  if (file !== '-') note(run, `Exported ${counted(count, 'license')} to ${printable(file)}.`);
}

async function* walk({ store }: Service, filter: LicenseFilter): AsyncGenerator<License> {
  for (let last = 0; ; ) {
    const some = await store.read.licenses.after(last, CHUNK, filter);
    yield* some;
    const end = some.at(-1);
    if (!end || some.length < CHUNK) return;
    last = end.id;
  }
}

async function* cells(licenses: AsyncIterable<License>, now: string): AsyncGenerator<unknown[]> {
  for await (const license of licenses) yield cellsOf(license, now);
}

async function* jsonLines(
  { store }: Service,
  licenses: AsyncIterable<License>,
  now: string,
): AsyncGenerator<string> {
  for await (const license of licenses) {
    yield `${JSON.stringify(presentLicense(license, store.read.licenses.hashOf(license.key), now))}\n`;
  }
}

const csv = () =>
  stringify({
    header: true,
    columns: [...COLUMNS],
    cast: CAST,
  });

interface Target {
  stream: NodeJS.WritableStream;
  /** Whether the stream ends with the export. */
  ends: boolean;
  /** Removes what was written, where this export has made the file. */
  undo(): Promise<void>;
}

async function openTarget({ io, given }: Run, file: string): Promise<Target> {
  const force = given.force === true;
  if (file === '-') return { stream: io.stdout, ends: false, undo: async () => {} };
  try {
    // License keys in clear: for the owner's eyes.
    const handle = await open(file, force ? 'w' : 'wx', 0o600);
    const undo = async () => (force ? undefined : rm(file, { force: true }));
    return { stream: handle.createWriteStream(), ends: true, undo };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new Failure(1, 'file_exists', `${printable(file)} exists already; --force writes over it.`);
  }
}
