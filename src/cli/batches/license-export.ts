import { type FileHandle, open, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { stringify } from 'csv-stringify/sync';
import { COLUMNS, CSV_OPTIONS, cellsOfSome, withNotes } from '../../app/batches/license-export.ts';
import { toDatetime } from '../../domain/datetime.ts';
import { type License, type LicenseFilter, licenseFilterOf } from '../../domain/licenses/license.ts';
import type { Service } from '../../installation/service.ts';
import { define } from '../define.ts';
import { Failure } from '../failure.ts';
import { toggle } from '../flags.ts';
import { interruptible } from '../interrupt.ts';
import { filterFlags } from '../licenses/license-flags.ts';
import { opening } from '../open.ts';
import { isJson, note } from '../output.ts';
import { presentLicense, presentNotes } from '../present.ts';
import { showProgress } from '../progress.ts';
import type { Run } from '../run.ts';
import { counted, printable } from '../table.ts';

/** Licenses to read at a time. */
const CHUNK = 1_000;

export const licenseExport = define({
  name: 'export',
  description: 'Export licenses as CSV, or as JSON lines with --json',
  argument: ['[file]', 'File to write, readable only by you (default: standard output)'],
  flags: {
    force: toggle('Overwrite an existing file'),
    ...filterFlags,
  },
  notes: `Oldest first. "latchkey license import" creates the same licenses from the file. A key that begins
with = + - @, a tab or a line break gets an apostrophe in front of it, because a spreadsheet would
run it as a formula. The import removes the apostrophe, and --json does not add it. A spreadsheet
may still read a key as a number: import the column license_key as text there. The import refuses
metadata that "latchkey move-in" took from a shop over its limits: 100 values of a license, of
10,000 characters each, and 1 MiB for a line.`,
  examples: {
    'All licenses': 'latchkey license export > licenses.csv',
    'The licenses of a product, to another program':
      'latchkey license export --product-id 7 | gzip > licenses.csv.gz',
    'Only the keys': "latchkey license export --json | jq -r '.license_key'",
  },
  action: ({ run, values: { force, ...filter } }, file = '-') =>
    interruptible(run, 'the export is incomplete', (signal) =>
      opening(run, (service) =>
        exportTo(run, service, licenseFilterOf(filter), file, force === true, signal),
      ),
    ),
});

async function exportTo(
  run: Run,
  { store: { read }, clock }: Service,
  filter: LicenseFilter,
  file: string,
  force: boolean,
  signal: AbortSignal,
): Promise<void> {
  const isFile = file !== '-';
  const target = isFile ? (await openTarget(file, force)).createWriteStream() : run.io.stdout;
  const now = toDatetime(clock());
  let count = 0;
  async function* licenses(): AsyncGenerator<License[]> {
    for (let last = 0; ; ) {
      const some = await read.licenses.after(last, CHUNK, filter);
      signal.throwIfAborted();
      count += some.length;
      // No progress over data in the same terminal.
      if (isFile || !run.io.stdout.isTTY) showProgress(run, 'licenses', null, count);
      yield some;
      const end = some.at(-1);
      if (!end || some.length < CHUNK) return;
      last = end.id;
    }
  }
  async function* csv(): AsyncGenerator<string> {
    yield stringify([[...COLUMNS]], CSV_OPTIONS);
    for await (const some of licenses()) yield stringify(await cellsOfSome(read, some, now), CSV_OPTIONS);
  }
  async function* jsonLines(): AsyncGenerator<string> {
    for await (const some of licenses())
      for (const { license, notes } of await withNotes(read, some)) {
        const hash = read.licenses.hashOf(license.key);
        yield `${JSON.stringify({ ...presentLicense(license, hash, now), ...presentNotes(notes) })}\n`;
      }
  }
  try {
    await pipeline(isJson(run) ? jsonLines : csv, target, { end: isFile });
  } catch (error) {
    if (isFile && !force) await rm(file, { force: true });
    throw error;
  }
  if (isFile) note(run, `Exported ${counted(count, 'license')} to ${printable(file)}.`);
}

async function openTarget(file: string, force: boolean): Promise<FileHandle> {
  try {
    // License keys in clear: readable only by the owner.
    const handle = await open(file, force ? 'a' : 'wx', 0o600);
    if (force) await takeOver(handle);
    return handle;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new Failure(1, 'file_exists', `${printable(file)} already exists. --force overwrites it.`);
  }
}

/** Empties an existing file that is to be overwritten, and closes it to others. Leaves a device such as /dev/null alone. */
async function takeOver(handle: FileHandle): Promise<void> {
  try {
    if (!(await handle.stat()).isFile()) return;
    await handle.chmod(0o600);
    await handle.truncate();
  } catch (error) {
    await handle.close();
    throw error;
  }
}
