import { resolve } from 'node:path';
import { type Backup, openBackup } from '../../app/backups/open-backup.ts';
import { type Restored, restoreBackup } from '../../app/backups/restore-backup.ts';
import { type Config, SETTINGS } from '../../config/config.ts';
import { type OpenRestore, openArchive, openRestore } from '../../installation/backing-up.ts';
import { CopyRefused } from '../../store/backups/copy.ts';
import { copyFailure } from '../failure.ts';
import { answer } from '../output.ts';
import type { Run } from '../run.ts';
import { type Given, settingsOf } from '../settings.ts';
import { counted, grouped, printable, table } from '../table.ts';
import { createProgresses } from './backup-progress.ts';
import { pathGiven } from './path-given.ts';

/** `restore` */
export async function restore(run: Run, file: string, given: Given, signal: AbortSignal): Promise<void> {
  const { config } = settingsOf(run);
  const started = performance.now();
  const progress = createProgresses(run);
  const archive = await openArchive(file);
  try {
    const backup = await openBackup(archive);
    const opened = await openRestore(config, {
      migrations: backup.manifest.migrations,
      masterKeys: backup.manifest.master_keys,
      masterKeyFile: pathGiven(given, 'masterKeyFile'),
    });
    try {
      const restored = await restoreBackup(backup, opened.target, opened.artifacts, {
        signal,
        onProgress: progress.update,
      });
      progress.end();
      const seconds = (performance.now() - started) / 1000;
      const next = nextSteps(config, backup, opened, restored);
      answer(run, shown(file, opened, restored, next), () =>
        words(file, backup, opened, restored, next, seconds),
      );
    } finally {
      progress.end();
      await opened.close();
    }
  } catch (error) {
    throw error instanceof CopyRefused ? copyFailure('Nothing was restored', error) : error;
  } finally {
    await archive.close();
  }
}

const rowsOf = ({ tables }: Restored): number => tables.reduce((sum, { rows }) => sum + rows, 0);

const shown = (file: string, opened: OpenRestore, restored: Restored, next: readonly string[]) => ({
  file,
  to: opened.to,
  rows: rowsOf(restored),
  tables: restored.tables,
  artifacts: restored.files,
  migrated: restored.migrated,
  left_out: restored.leftOut,
  made_master_key: opened.madeMasterKey,
  next,
});

function words(
  file: string,
  { head }: Backup,
  { to }: OpenRestore,
  restored: Restored,
  next: readonly string[],
  seconds: number,
): string {
  const { files, migrated } = restored;
  return [
    table(
      ['TABLE', 'ROWS', 'SHA-256 OF BOTH SIDES'],
      restored.tables.map(({ name, rows, sha256 }) => [name, grouped(rows), sha256]),
    ),
    '',
    `Restored ${printable(file)}, begun ${head.begun_at}, to ${printable(to)} in ${seconds.toFixed(1)} s: ${counted(rowsOf(restored), 'row')}${files ? ` and ${counted(files.count, 'file')} of releases` : ''}; counts and checksums agree.`,
    ...(migrated.length > 0 ? [`Applied to it: ${migrated.join(', ')}.`] : []),
    'Next:',
    ...next.map((step, i) => `  ${i + 1}. ${step}`),
  ].join('\n');
}

/** What whoever has restored is to do, in sentences. */
function nextSteps(
  config: Config,
  { manifest }: Backup,
  { madeMasterKey }: OpenRestore,
  restored: Restored,
): string[] {
  const lacksFiles =
    restored.files === null && restored.tables.some(({ name, rows }) => name === 'artifacts' && rows > 0);
  return [
    ...(lacksFiles
      ? [
          'The backup was made without the files of releases: put them back yourself; "latchkey doctor" names the releases that lack theirs.',
        ]
      : []),
    ...(madeMasterKey
      ? [`The master key was copied to ${printable(madeMasterKey)}: keep a copy apart from the backups.`]
      : []),
    ...(restored.leftOut > 0
      ? [
          `${counted(restored.leftOut, 'license')} of imports or generations that were not done then are not in it: do those again.`,
        ]
      : []),
    ...(restored.isRotating
      ? [
          'The master key was being exchanged when the backup was made. Either key opens everything until that is done: latchkey master-key rotate. It needs the new one, as when it was begun: as master.key, as master.key.next beside it, or in LATCHKEY_NEXT_MASTER_KEY.',
        ]
      : []),
    'Whoever uses the console signs in again, and links that set a password are to be made anew.',
    `Look it over: latchkey doctor. Then start the server with ${whereOf(config)}.`,
    `What changed after ${manifest.read_at} is not there: licenses and API keys made or revoked since, activations, deactivations.`,
  ];
}

const whereOf = (config: Config): string =>
  config.databaseUrl === null
    ? `${SETTINGS.dataDir.env}=${printable(resolve(config.dataDir))}`
    : `the same ${SETTINGS.databaseUrl.env}`;
