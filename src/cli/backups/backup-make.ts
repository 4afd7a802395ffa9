import type { MadeBackup } from '../../app/backups/make-backup.ts';
import { integer, optional } from '../../domain/fields.ts';
import { type Backed, backUpTo } from '../../installation/backing-up.ts';
import { backupFolder } from '../../installation/service.ts';
import { readFlags } from '../flags.ts';
import { answer, note } from '../output.ts';
import type { Run } from '../run.ts';
import { type Given, settingsOf } from '../settings.ts';
import { counted, grouped, printable, table } from '../table.ts';
import { createProgresses } from './backup-progress.ts';
import { pathGiven } from './path-given.ts';

const keepShape = { keep: optional(integer({ min: 1, max: 10_000 })) };

/** `backup` */
export async function make(run: Run, given: Given, signal: AbortSignal): Promise<void> {
  const { config } = settingsOf(run);
  const { keep } = readFlags(keepShape, given);
  const to = pathGiven(given, 'to') ?? backupFolder(config);
  const progress = createProgresses(run);
  const options = { keep, withFiles: !given.withoutArtifacts };
  const backed = await backUpTo(config, to, options, { signal, onProgress: progress.update }).finally(
    progress.end,
  );
  const leftOut = leftOutOf(backed.made);
  if (leftOut > 0)
    note(run, `${counted(leftOut, 'license')} of imports or generations that are not done were left out.`);
  answer(run, shown(backed), () => words(backed));
}

const leftOutOf = ({ manifest }: MadeBackup): number =>
  manifest.tables.reduce((sum, one) => sum + one.left_out, 0);

const shown = ({ file, made, removed, seconds }: Backed) => ({
  file,
  bytes: made.bytes,
  ...made.head,
  read_at: made.manifest.read_at,
  tables: made.verified.tables,
  artifacts: made.verified.files,
  left_out: leftOutOf(made),
  removed,
  seconds: Number(seconds.toFixed(1)),
});

function words({ file, database, made, removed, seconds }: Backed): string {
  const { verified, bytes } = made;
  const { tables, files } = verified;
  const rows = tables.reduce((sum, one) => sum + one.rows, 0);
  return [
    table(
      ['TABLE', 'ROWS', 'SHA-256'],
      tables.map((one) => [one.name, grouped(one.rows), one.sha256]),
    ),
    '',
    `Backed up ${printable(database)} in ${seconds.toFixed(1)} s: ${counted(rows, 'row')}, ${files ? counted(files.count, 'file') : 'no files'} of releases; all was read back.`,
    `${printable(file)} (${grouped(bytes)} bytes)`,
    ...(files ? [] : ['The files of releases were left out.']),
    ...removed.map((path) => `Removed ${printable(path)}.`),
    'The master key is not in it. Without that it cannot be read: keep both, apart from each other.',
  ].join('\n');
}
