import { resolve } from 'node:path';
import { SETTINGS } from '../../config/config.ts';
import { integer, optional } from '../../domain/fields.ts';
import type { CheckedBackup } from '../../installation/backing-up.ts';
import { refuseForeignDirectory } from '../../installation/data-directory.ts';
import { backupFolder } from '../../installation/service.ts';
import { CopyRefused } from '../../store/backups/copy.ts';
import { define } from '../define.ts';
import { copyFailure, Failure } from '../failure.ts';
import { flagsOf, path, toggle } from '../flags.ts';
import { answer } from '../output.ts';
import type { Run } from '../run.ts';
import { BACKUPS, STORAGE, settingsOf } from '../settings.ts';
import { counted, grouped, printable, table } from '../table.ts';
import { watched } from './watched.ts';

// Loaded on demand: no other command needs it.
const backingUp = () => import('../../installation/backing-up.ts');

/** Flags of a command that opens a backup. */
export const masterKeyFlags = flagsOf(
  { masterKeyFile: path },
  { masterKeyFile: ['file', 'A copy of the master.key that the backup was made with'] },
);

const verify = define({
  name: 'verify',
  description: 'Verify the given backups, or the newest one in the backup folder',
  argument: ['[files...]', 'Backups'],
  flags: masterKeyFlags,
  settings: BACKUPS,
  notes: `Reads the whole backup and checks its checksums, the number of rows, the references between rows,
and the file of each release. If the master key is available (LATCHKEY_MASTER_KEY, master.key in the
data directory, or --master-key-file), it decrypts every license key. It needs no database. The exit
code is 1 if anything is wrong.`,
  examples: {
    'The newest': 'latchkey backup verify',
    'With a master key': 'latchkey backup verify --master-key-file /media/key/master.key',
  },
  action: ({ run, values }, files) => verifyFiles(run, files, values.masterKeyFile),
});

async function verifyFiles(run: Run, files: readonly string[], keyFile: string | null): Promise<void> {
  const config = settingsOf(run);
  const folder = backupFolder(config);
  const { checkBackup, findArchives } = await backingUp();
  const newest = files.length > 0 ? undefined : findArchives(folder).find(({ when }) => when <= Date.now());
  const paths = newest ? [newest.path] : files;
  if (paths.length === 0) {
    const message = `There are no backups in ${printable(folder)}. Name a backup, or set the folder with --backup-dir.`;
    throw new Failure(1, 'no_backup', message);
  }
  const found: (CheckedBackup & { file: string })[] = [];
  for (const file of paths.map((path) => resolve(path))) {
    const checked = await watched(run, 'not all backups were verified', (watch) =>
      checkBackup(config, file, keyFile, watch),
    );
    found.push({ file, ...checked });
  }
  const ok = found.every(({ problems }) => problems.length === 0);
  const backups = found.map(({ file, head, problems, verified, keysNotOpened }) => ({
    file,
    ok: problems.length === 0,
    problems,
    begun_at: head?.begun_at ?? null,
    tables: verified?.tables ?? null,
    artifacts: verified?.files ?? null,
    license_keys: { opened: verified?.openedKeys ?? null, not_opened: keysNotOpened },
  }));
  answer(run, { ok, backups }, () => found.map(verifyWords));
  if (!ok) run.exitCode = 1;
}

function verifyWords({ file, problems, head, verified, keysNotOpened }: CheckedBackup & { file: string }) {
  const path = printable(file);
  if (problems.length > 0 || !verified) {
    const found = verified?.problems.length === 0 ? 'could not be verified' : 'is damaged';
    return [`${path} ${found}:`, ...problems.map((one) => `  ${printable(one)}`)].join('\n');
  }
  const files = verified.files
    ? `${counted(verified.files.count, 'release file')} (${grouped(verified.files.bytes)} bytes)`
    : 'no release files';
  const keys = keysNotOpened
    ? `License keys were not opened: ${keysNotOpened}.`
    : `${counted(verified.openedKeys ?? 0, 'license key')} opened.`;
  return `${path} is intact: begun ${head?.begun_at}, ${rowsIn(verified.tables)}, ${files}. ${keys}`;
}

const list = define({
  name: 'list',
  description: 'List the backups in the backup folder, newest first, without verifying them',
  settings: BACKUPS,
  examples: { 'All backups': 'latchkey backup list' },
  async action({ run }) {
    const folder = backupFolder(settingsOf(run));
    const { findArchives, readHeads } = await backingUp();
    const backups = (await readHeads(findArchives(folder))).map(
      ({ path, begunAt, bytes, head, problem }) => ({
        file: path,
        begun_at: begunAt,
        bytes,
        engine: head?.engine ?? null,
        latchkey: head?.latchkey ?? null,
        problem,
      }),
    );
    answer(run, { folder, backups }, () =>
      backups.length === 0
        ? `There are no backups in ${printable(folder)}.`
        : table(backups, {
            FILE: 'file',
            BEGUN: 'begun_at',
            BYTES: ({ bytes }) => grouped(bytes),
            ENGINE: 'engine',
            VERSION: 'latchkey',
            PROBLEM: 'problem',
          }),
    );
  },
});

export const backup = define({
  name: 'backup',
  description: 'Back up everything while the server runs; verify and list backups',
  flags: {
    ...flagsOf(
      { to: path, keep: optional(integer({ min: 1, max: 10_000 })) },
      {
        to: [
          'path',
          'File that ends in .tar, or folder for a file named by the time (default: LATCHKEY_BACKUP_DIR, or backups in the data directory)',
        ],
        keep: [
          'n',
          'Afterwards, remove all but the newest n backups in the folder; backups without release files are counted separately',
        ],
      },
    ),
    withoutArtifacts: toggle(
      'Skip release files; the file is named latchkey-rows-…, and the schedule, doctor and metrics ignore it',
    ),
  },
  settings: STORAGE,
  notes: `A backup is one tar file: the rows of the database at one moment, and all release files. It is made
while the servers run, from SQLite or PostgreSQL, and can be restored to either. It is read back and
compared before it gets its name. docs/operate/backups.md describes the format, and how to read it without
Latchkey.
The backup does not contain the master key, and no license key in it can be read without that key.
Keep both, apart from each other.`,
  examples: {
    'Into the backup folder': 'latchkey backup',
    'Every night from cron, kept for two weeks': 'latchkey backup --to /mnt/backups/latchkey --keep 14',
    'Verify the newest backup': 'latchkey backup verify',
    'Restore into an empty data directory':
      'latchkey restore latchkey-20260101T000000Z.tar --data-dir ./restored --master-key-file /media/key/master.key',
  },
  subcommands: [verify, list],
  async action({ run, values: { to, keep, withoutArtifacts } }) {
    const config = settingsOf(run);
    if (to !== null && SETTINGS.backupDir.values.parse(to) === undefined) {
      const message = '--to must be a path on this machine. Copy the backup from there to where you keep it.';
      throw new Failure(2, 'invalid_value', message);
    }
    // The server must be able to read and remove what is in its own folder. A folder of the user's choice may be closed to it.
    if (to === null) refuseForeignDirectory(config.dataDir);
    const { backUpTo } = await backingUp();
    const options = { keep, withFiles: !withoutArtifacts };
    const { file, database, made, removed, seconds } = await watched(run, 'no backup was made', (watch) =>
      backUpTo(config, to ?? backupFolder(config), options, watch),
    ).catch((error) => {
      throw error instanceof CopyRefused ? copyFailure('No backup was made', error) : error;
    });
    const { tables, files } = made.verified;
    const leftOut = made.manifest.tables.reduce((sum, one) => sum + one.left_out, 0);
    const value = {
      file,
      bytes: made.bytes,
      ...made.head,
      read_at: made.manifest.read_at,
      tables,
      artifacts: files,
      left_out: leftOut,
      removed,
      seconds: Number(seconds.toFixed(1)),
    };
    answer(run, value, () => [
      `Backed up ${printable(database)} in ${seconds.toFixed(1)} s: ${rowsIn(tables)} and ${counted(files?.count ?? 0, 'release file')}, all read back.`,
      `${printable(file)} (${grouped(made.bytes)} bytes)`,
      ...(leftOut > 0 ? [`${stagedIn(leftOut)} were left out.`] : []),
      ...removed.map((path) => `Removed ${printable(path)}.`),
      'It does not contain the master key, and cannot be restored without it. Keep both, apart from each other.',
    ]);
  },
});

export const countRows = (tables: readonly { rows: number }[]): number =>
  tables.reduce((sum, { rows }) => sum + rows, 0);
export const rowsIn = (tables: readonly { rows: number }[]): string => counted(countRows(tables), 'row');
export const stagedIn = (leftOut: number): string =>
  `${counted(leftOut, 'license')} of unfinished imports or generations`;

/** Numbers the steps that follow a move or a restore. */
export const numbered = (steps: readonly string[]): string[] => [
  'Next:',
  ...steps.map((step, i) => `  ${i + 1}. ${step}`),
];
