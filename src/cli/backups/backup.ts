import { resolve } from 'node:path';
import type { Command } from 'commander';
import { integer, optional } from '../../domain/fields.ts';
import type { CheckedBackup } from '../../installation/backing-up.ts';
import { backupFolder } from '../../installation/service.ts';
import { Failure } from '../failure.ts';
import { readFlags } from '../flags.ts';
import { addExamples, addNotes } from '../help.ts';
import { answer } from '../output.ts';
import type { Run } from '../run.ts';
import { addBackupFlags, addStorageFlags, type Given, settingsOf } from '../settings.ts';
import { counted, grouped, printable, table } from '../table.ts';
import { pathGiven } from './path-given.ts';
import { watched } from './watched.ts';

// Loaded on demand: no other command needs it.
const backingUp = () => import('../../installation/backing-up.ts');

const NOTES = `A backup is one tar file: the rows of the database as of one moment, and the files of all releases.
It is taken while the servers run, from SQLite or PostgreSQL, and can be restored to either. It is
read back and compared before it gets its name. docs/backups.md describes the format, and how to
read it without Latchkey.
The master key is not in it, and no license in it can be read without that. Keep both, apart from
each other.`;

export function addBackup(program: Command, run: Run): void {
  const command = program
    .command('backup')
    .description('Back everything up, while the server runs; verify and list backups')
    // Otherwise a flag after "verify" would belong to this command.
    .enablePositionalOptions()
    .option(
      '--to <path>',
      'A file that ends in .tar, or a folder, for a name made of the time (default: LATCHKEY_BACKUP_DIR, or backups in the data directory)',
    )
    .option('--keep <n>', 'Then remove all but the newest n backups of the folder')
    .option('--without-artifacts', 'Leave the files of releases out');
  addStorageFlags(command);
  addNotes(command, NOTES);
  addExamples(command, [
    ['Into the folder of the settings', 'latchkey backup'],
    ['Every night from cron, for two weeks', 'latchkey backup --to /mnt/backups/latchkey --keep 14'],
    ['Is the newest one whole?', 'latchkey backup verify'],
    [
      'Into an empty data directory',
      'latchkey restore latchkey-20260101T000000Z.tar --data-dir ./restored --master-key-file /media/key/master.key',
    ],
  ]);
  command.action((given: Given) => make(run, given));
  addVerify(command, run);
  addList(command, run);
}

const keepShape = { keep: optional(integer({ min: 1, max: 10_000 })) };

async function make(run: Run, given: Given): Promise<void> {
  const { config } = settingsOf(run);
  const { keep } = readFlags(keepShape, given);
  const to = pathGiven(given, 'to') ?? backupFolder(config);
  const { backUpTo } = await backingUp();
  const { file, database, made, removed, seconds } = await watched(run, 'no backup was made', (watch) =>
    backUpTo(config, to, { keep, withFiles: !given.withoutArtifacts }, watch),
  );
  const { tables, files } = made.verified;
  const leftOut = made.manifest.tables.reduce((sum, one) => sum + one.left_out, 0);
  const value = {
    ...{ file, bytes: made.bytes, ...made.head, read_at: made.manifest.read_at, tables, artifacts: files },
    ...{ left_out: leftOut, removed, seconds: Number(seconds.toFixed(1)) },
  };
  answer(run, value, () =>
    [
      `Backed up ${printable(database)} in ${seconds.toFixed(1)} s: ${rowsIn(tables)} and ${files ? counted(files.count, 'file') : 'no files'} of releases, all read back.`,
      `${printable(file)} (${grouped(made.bytes)} bytes)`,
      ...(leftOut > 0 ? [`${stagedIn(leftOut)} were left out.`] : []),
      ...removed.map((path) => `Removed ${printable(path)}.`),
      'The master key is not in it, and it cannot be read without: keep both, apart from each other.',
    ].join('\n'),
  );
}

export const rowsIn = (tables: readonly { rows: number }[]): string =>
  counted(
    tables.reduce((sum, { rows }) => sum + rows, 0),
    'row',
  );
export const stagedIn = (leftOut: number): string =>
  `${counted(leftOut, 'license')} of unfinished imports or generations`;

const VERIFY_NOTES = `Reads all of a backup: checksums, so that nothing was cut off, changed, added or exchanged; the
number of rows, and that what they refer to is there; and the file of each release. With the master
key at hand (LATCHKEY_MASTER_KEY, master.key in the data directory, or --master-key-file) it opens
every license key. It needs no database. The exit code is 1 when anything is wrong.`;

function addVerify(parent: Command, run: Run): void {
  const command = parent
    .command('verify')
    .description('Verify the named backups, or the newest in the folder of the settings')
    .argument('[files...]', 'Backups')
    .option('--master-key-file <path>', 'A copy of the master.key that the backup was made with');
  addBackupFlags(command);
  addNotes(command, VERIFY_NOTES);
  addExamples(command, [
    ['The newest', 'latchkey backup verify'],
    ['With a master key', 'latchkey backup verify --master-key-file /media/key/master.key'],
  ]);
  command.action((files: string[], given: Given) => verify(run, files, given));
}

async function verify(run: Run, files: readonly string[], given: Given): Promise<void> {
  const { config } = settingsOf(run);
  const keyFile = pathGiven(given, 'masterKeyFile');
  const folder = backupFolder(config);
  const { checkBackup, findArchives } = await backingUp();
  const paths =
    files.length > 0
      ? files
      : findArchives(folder)
          .slice(0, 1)
          .map(({ path }) => path);
  if (paths.length === 0) {
    const message = `There are no backups in ${printable(folder)}: name one, or its folder with --backup-dir.`;
    throw new Failure(1, 'no_backup', message);
  }
  const found: (CheckedBackup & { file: string })[] = [];
  for (const file of paths.map((path) => resolve(path))) {
    const checked = await watched(run, 'not everything was verified', (watch) =>
      checkBackup(config, file, keyFile, watch),
    );
    found.push({ file, ...checked });
  }
  const ok = found.every(({ problems }) => problems.length === 0);
  const backups = found.map(({ file, head, problems, verified, keysNotOpened }) => ({
    ...{ file, ok: problems.length === 0, problems, begun_at: head?.begun_at ?? null },
    ...{ tables: verified?.tables ?? null, artifacts: verified?.files ?? null },
    license_keys: { opened: verified?.openedKeys ?? null, not_opened: keysNotOpened },
  }));
  answer(run, { ok, backups }, () => found.map(verifyWords).join('\n'));
  if (!ok) run.exitCode = 1;
}

function verifyWords({ file, problems, head, verified, keysNotOpened }: CheckedBackup & { file: string }) {
  const path = printable(file);
  if (problems.length > 0 || !verified)
    return [`${path} is damaged:`, ...problems.map((one) => `  ${printable(one)}`)].join('\n');
  const files = verified.files
    ? `${counted(verified.files.count, 'file')} of releases (${grouped(verified.files.bytes)} bytes)`
    : 'made without the files of releases';
  const keys = keysNotOpened
    ? `License keys were not opened: ${keysNotOpened}.`
    : `${counted(verified.openedKeys ?? 0, 'license key')} opened.`;
  return `${path} is whole: begun ${head?.begun_at}, ${rowsIn(verified.tables)}, ${files}. ${keys}`;
}

function addList(parent: Command, run: Run): void {
  const command = parent
    .command('list')
    .description('List the backups in the folder of the settings, newest first, without verifying them');
  addBackupFlags(command);
  addExamples(command, [['All backups', 'latchkey backup list']]);
  command.action(() => list(run));
}

async function list(run: Run): Promise<void> {
  const folder = backupFolder(settingsOf(run).config);
  const { findArchives, readHeads } = await backingUp();
  const backups = (await readHeads(findArchives(folder))).map(({ path, begunAt, bytes, head, problem }) => ({
    ...{ file: path, begun_at: begunAt, bytes },
    ...{ engine: head?.engine ?? null, latchkey: head?.latchkey ?? null, problem },
  }));
  answer(run, { folder, backups }, () =>
    backups.length === 0
      ? `There are no backups in ${printable(folder)}.`
      : table(
          ['FILE', 'BEGUN', 'BYTES', 'ENGINE', 'VERSION', 'PROBLEM'],
          backups.map((one) => [
            ...[one.file, one.begun_at, grouped(one.bytes), one.engine, one.latchkey, one.problem],
          ]),
        ),
  );
}
