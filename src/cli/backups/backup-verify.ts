import { resolve } from 'node:path';
import { metaIn } from '../../app/backups/copied-rows.ts';
import { type Backup, openBackup } from '../../app/backups/open-backup.ts';
import { type Verified, verifyBackup } from '../../app/backups/verify-backup.ts';
import { ArchiveDamaged } from '../../archive/archive.ts';
import type { Config } from '../../config/config.ts';
import { findArchives, findMasterKey, keyOpener, openArchive } from '../../installation/backing-up.ts';
import { backupFolder } from '../../installation/service.ts';
import { Failure } from '../failure.ts';
import { answer } from '../output.ts';
import type { Run } from '../run.ts';
import { type Given, settingsOf } from '../settings.ts';
import { counted, grouped, printable } from '../table.ts';
import { createProgresses } from './backup-progress.ts';
import { pathGiven } from './path-given.ts';

interface Report {
  file: string;
  ok: boolean;
  problems: string[];
  begunAt: string | null;
  verified: Verified | null;
  /** Why no license key was opened; null where they were. */
  keysNotOpened: string | null;
}

/** `backup verify` */
export async function verify(
  run: Run,
  files: readonly string[],
  given: Given,
  signal: AbortSignal,
): Promise<void> {
  const { config } = settingsOf(run);
  const reports: Report[] = [];
  for (const file of files.length > 0 ? files : [newestOf(config)])
    reports.push(await verifyOne(run, config, resolve(file), given, signal));
  const ok = reports.every((one) => one.ok);
  answer(run, { ok, backups: reports.map(shown) }, () => reports.map(words).join('\n'));
  if (!ok) run.exitCode = 1;
}

function newestOf(config: Config): string {
  const folder = backupFolder(config);
  const [newest] = findArchives(folder);
  if (newest) return newest.path;
  throw new Failure(
    1,
    'no_backup',
    `There are no backups in ${printable(folder)}: name one, or its folder with --backup-dir.`,
  );
}

async function verifyOne(
  run: Run,
  config: Config,
  file: string,
  given: Given,
  signal: AbortSignal,
): Promise<Report> {
  const progress = createProgresses(run);
  const keyFile = pathGiven(given, 'masterKeyFile');
  const masterKey = findMasterKey(config, keyFile);
  try {
    const archive = await openArchive(file);
    try {
      const backup = await openBackup(archive);
      const opens = masterKey && keyOpener(masterKey, await metaOf(backup));
      const verified = await verifyBackup(backup, { signal, onProgress: progress.update }, opens);
      const isWrong = masterKey !== null && !opens;
      // One that was named for it must be the right one.
      if (isWrong && keyFile)
        verified.problems.push(`${keyFile} is not the master key that it was made with`);
      return {
        ...{ file, ok: verified.problems.length === 0, problems: verified.problems, verified },
        begunAt: backup.head.begun_at,
        keysNotOpened: opens
          ? null
          : isWrong
            ? 'the master key at hand is another one'
            : 'there is no master key at hand',
      };
    } finally {
      progress.end();
      await archive.close();
    }
  } catch (error) {
    if (!(error instanceof ArchiveDamaged)) throw error;
    return {
      ...{ file, ok: false, problems: [error.message], verified: null, begunAt: null },
      keysNotOpened: 'the backup is damaged',
    };
  }
}

/** Empty where it cannot be read, which is told with all else that is wrong. */
function metaOf({ source }: Backup): Promise<Map<string, string>> {
  return metaIn(source).catch((error) => {
    if (error instanceof ArchiveDamaged) return new Map();
    throw error;
  });
}

const shown = ({ file, ok, problems, begunAt, verified, keysNotOpened }: Report) => ({
  file,
  ok,
  problems,
  begun_at: begunAt,
  tables: verified?.tables ?? null,
  artifacts: verified?.files ?? null,
  license_keys: { opened: verified?.openedKeys ?? null, not_opened: keysNotOpened },
});

function words({ file, ok, problems, begunAt, verified, keysNotOpened }: Report): string {
  const path = printable(file);
  if (!ok) return [`${path} is damaged:`, ...problems.map((one) => `  ${printable(one)}`)].join('\n');
  const rows = verified?.tables.reduce((sum, one) => sum + one.rows, 0) ?? 0;
  const files = verified?.files
    ? `${counted(verified.files.count, 'file')} of releases (${grouped(verified.files.bytes)} bytes)`
    : 'made without the files of releases';
  const keys = keysNotOpened
    ? `License keys were not opened: ${keysNotOpened}.`
    : `${counted(verified?.openedKeys ?? 0, 'license key')} opened.`;
  return `${path} is whole: begun ${begunAt}, ${counted(rows, 'row')}, ${files}. ${keys}`;
}
