import { type FileHandle, open, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { stringify } from 'csv-stringify';
import { COLUMNS, CSV_OPTIONS, cellsOfSome, withNotes } from '../../app/batches/license-export.ts';
import { toDatetime } from '../../domain/datetime.ts';
import { flag, optional } from '../../domain/fields.ts';
import { type License, type LicenseFilter, licenseFilterOf } from '../../domain/licenses/license.ts';
import type { Service } from '../../installation/service.ts';
import { define } from '../define.ts';
import { Failure } from '../failure.ts';
import { flagsOf } from '../flags.ts';
import { interruptible } from '../interrupt.ts';
import { filterFlags } from '../licenses/license-flags.ts';
import { opening } from '../open.ts';
import { isJson, note } from '../output.ts';
import { presentLicense, presentNotes } from '../present.ts';
import { createProgress } from '../progress.ts';
import type { Run } from '../run.ts';
import { counted, printable } from '../table.ts';

/** Licenses to read at a time. */
const CHUNK = 1_000;

export const licenseExport = define({
  name: 'export',
  description: 'Export licenses as CSV, or as JSON lines with --json',
  argument: ['[file]', 'File to write, readable only by you (default: standard output)'],
  flags: {
    ...flagsOf({ force: optional(flag) }, { force: ['', 'Overwrite an existing file'] }),
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
  service: Service,
  filter: LicenseFilter,
  file: string,
  force: boolean,
  signal: AbortSignal,
): Promise<void> {
  const target = await openTarget(run, file, force);
  // No progress bar over data in the same terminal.
  const progress = file === '-' && run.io.stdout.isTTY ? null : createProgress('licenses', run.io.stderr);
  let count = 0;
  async function* licenses(): AsyncGenerator<License[]> {
    for await (const some of allLicenses(service, filter)) {
      signal.throwIfAborted();
      count += some.length;
      progress?.update(null, count);
      yield some;
    }
  }
  const now = toDatetime(service.clock());
  async function* cells(): AsyncGenerator<unknown[]> {
    for await (const some of licenses()) yield* await cellsOfSome(service.store.read, some, now);
  }
  async function* jsonLines(): AsyncGenerator<string> {
    const { hashOf } = service.store.read.licenses;
    for await (const some of licenses())
      for (const { license, notes } of await withNotes(service.store.read, some))
        yield `${JSON.stringify({ ...presentLicense(license, hashOf(license.key), now), ...presentNotes(notes) })}\n`;
  }
  try {
    const end = { end: target.ends };
    await (isJson(run)
      ? pipeline(jsonLines, target.stream, end)
      : pipeline(
          cells,
          stringify({ header: true, columns: [...COLUMNS], ...CSV_OPTIONS }),
          target.stream,
          end,
        ));
  } catch (error) {
    await target.undo();
    throw error;
  } finally {
    progress?.end();
  }
  if (file !== '-') note(run, `Exported ${counted(count, 'license')} to ${printable(file)}.`);
}

async function* allLicenses({ store }: Service, filter: LicenseFilter): AsyncGenerator<License[]> {
  for (let last = 0; ; ) {
    const chunk = await store.read.licenses.after(last, CHUNK, filter);
    yield chunk;
    const end = chunk.at(-1);
    if (!end || chunk.length < CHUNK) return;
    last = end.id;
  }
}

interface Target {
  stream: NodeJS.WritableStream;
  /** Whether to end the stream after the export. */
  ends: boolean;
  /** Removes the file if this export created it. */
  undo(): Promise<void>;
}

async function openTarget({ io }: Run, file: string, force: boolean): Promise<Target> {
  if (file === '-') return { stream: io.stdout, ends: false, undo: async () => {} };
  try {
    // License keys in clear: readable only by the owner.
    const handle = await open(file, force ? 'a' : 'wx', 0o600);
    if (force) await takeOver(handle);
    const undo = async () => (force ? undefined : rm(file, { force: true }));
    return { stream: handle.createWriteStream(), ends: true, undo };
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
