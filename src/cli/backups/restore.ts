import { resolve } from 'node:path';
import type { Command } from 'commander';
import { type Config, SETTINGS } from '../../config/config.ts';
import type { RestoredBackup } from '../../installation/restoring.ts';
import { CopyRefused } from '../../store/backups/copy.ts';
import { copyFailure } from '../failure.ts';
import { addExamples, addNotes } from '../help.ts';
import { answer } from '../output.ts';
import type { Run } from '../run.ts';
import { addStorageFlags, type Given, settingsOf } from '../settings.ts';
import { counted, printable } from '../table.ts';
import { rowsIn, stagedIn } from './backup.ts';
import { pathGiven } from './path-given.ts';
import { watched } from './watched.ts';

const NOTES = `Restores to the place of the settings: the data directory, or the database of LATCHKEY_DATABASE_URL,
whichever the backup was made from. Either must be empty. The files of releases go into the data
directory, or to S3. Nothing is changed before the master key is known to be that of the backup: in
the data directory, as LATCHKEY_MASTER_KEY, or in --master-key-file, which is copied into the data
directory. All rows come in one transaction, are read back and compared; when anything fails,
nothing is left. An older backup is brought up to date. Let no server run on the place.`;

export function addRestore(program: Command, run: Run): void {
  const command = program
    .command('restore')
    .description('Restore a backup to an empty data directory or database')
    .argument('<file>', 'The backup')
    .option('--master-key-file <path>', 'A copy of the master.key that the backup was made with');
  addStorageFlags(command);
  addNotes(command, NOTES);
  addExamples(command, [
    [
      'Into a new data directory',
      'latchkey restore latchkey-20260101T000000Z.tar --data-dir ./restored --master-key-file /media/key/master.key',
    ],
    [
      'Into an empty PostgreSQL database',
      'LATCHKEY_DATABASE_URL=postgres://… latchkey restore latchkey-20260101T000000Z.tar',
    ],
  ]);
  command.action((file: string, given: Given) => restore(run, resolve(file), given));
}

async function restore(run: Run, file: string, given: Given): Promise<void> {
  const { config } = settingsOf(run);
  const keyFile = pathGiven(given, 'masterKeyFile');
  const { restoreFile } = await import('../../installation/restoring.ts');
  const restored = await watched(run, 'nothing was restored', (watch) =>
    restoreFile(config, file, keyFile, watch),
  ).catch((error) => {
    throw error instanceof CopyRefused ? copyFailure('Nothing was restored', error) : error;
  });
  const { head, tables, files, migrated, leftOut, to, madeMasterKey } = restored;
  const next = nextSteps(config, restored);
  const value = {
    ...{ file, to, tables, artifacts: files, migrated, left_out: leftOut },
    ...{ made_master_key: madeMasterKey, next },
  };
  answer(run, value, () =>
    [
      `Restored ${printable(file)}, begun ${head.begun_at}, to ${printable(to)}: ${rowsIn(tables)}${files ? ` and ${counted(files.count, 'file')} of releases` : ''}; counts and checksums agree.`,
      ...(migrated.length > 0 ? [`Migrations applied: ${migrated.join(', ')}.`] : []),
      'Next:',
      ...next.map((step, i) => `  ${i + 1}. ${step}`),
    ].join('\n'),
  );
}

/** What to do after a restore, in sentences. */
function nextSteps(config: Config, restored: RestoredBackup): string[] {
  const { manifest, files, tables, madeMasterKey, leftOut, isRotating } = restored;
  const lacksFiles = !files && tables.some(({ name, rows }) => name === 'artifacts' && rows > 0);
  const settings =
    config.databaseUrl === null
      ? `${SETTINGS.dataDir.env}=${printable(resolve(config.dataDir))}`
      : `the same ${SETTINGS.databaseUrl.env}`;
  const steps: [isNeeded: unknown, step: string][] = [
    [
      lacksFiles,
      'The backup was made without the files of releases: put them back yourself; "latchkey doctor" names the releases that lack theirs.',
    ],
    [
      madeMasterKey,
      `The master key was copied to ${printable(madeMasterKey ?? '')}: keep a copy apart from the backups.`,
    ],
    [leftOut > 0, `${stagedIn(leftOut)} are not in it: run those again.`],
    [
      isRotating,
      'The backup was made during a rotation of the master key. Finish it: latchkey master-key rotate. It needs the new key, in master.key, in master.key.next beside it, or in LATCHKEY_NEXT_MASTER_KEY. Until then either key opens everything.',
    ],
    [true, 'Users of the console sign in again. Make new links for those who have yet to set a password.'],
    [true, `Check it: latchkey doctor. Then start the server with ${settings}.`],
    [
      true,
      `Changes after ${manifest.read_at} are missing: licenses and API keys made or revoked since, activations, deactivations.`,
    ],
  ];
  return steps.flatMap(([isNeeded, step]) => (isNeeded ? [step] : []));
}
