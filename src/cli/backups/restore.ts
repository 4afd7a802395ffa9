import { resolve } from 'node:path';
import { type Config, SETTINGS } from '../../config/config.ts';
import type { RestoredBackup } from '../../installation/restoring.ts';
import { CopyRefused } from '../../store/backups/copy.ts';
import { StoreUnavailable } from '../../store/store.ts';
import { define } from '../define.ts';
import { copyFailure, Failure, foreseen, SEE_DOCTOR } from '../failure.ts';
import { answer } from '../output.ts';
import { STORAGE, settingsOf } from '../settings.ts';
import { counted, printable } from '../table.ts';
import { countRows, masterKeyFlags, numbered, rowsIn, stagedIn } from './backup.ts';
import { watched } from './watched.ts';

/** What to do about a target that is not empty. */
const NOT_EMPTY =
  ' Stop the server and move its data directory away, or name an empty target (--data-dir, LATCHKEY_DATABASE_URL, LATCHKEY_S3_PREFIX).';

export const restore = define({
  name: 'restore',
  description: 'Restore a backup to an empty data directory or database',
  argument: ['<file>', 'The backup'],
  flags: masterKeyFlags,
  settings: STORAGE,
  notes: `Restores to the data directory of the settings, or to the database of LATCHKEY_DATABASE_URL, whichever
engine the backup was made from. The target must be empty. Release files go into the data directory,
or to S3. Nothing is changed until the master key is found to be the right one: in the data
directory, as LATCHKEY_MASTER_KEY, or in --master-key-file, which is copied into the data directory.
All rows are written in one transaction, read back and compared; if anything fails, nothing remains.
An older backup is migrated. No server may run on the target.`,
  examples: {
    'Into a new data directory':
      'latchkey restore latchkey-20260101T000000Z.tar --data-dir ./restored --master-key-file /media/key/master.key',
    'Into an empty PostgreSQL database':
      'LATCHKEY_DATABASE_URL=postgres://… latchkey restore latchkey-20260101T000000Z.tar',
  },
  async action({ run, values }, name) {
    const config = settingsOf(run);
    const file = resolve(name);
    const { restoreFile } = await import('../../installation/restoring.ts');
    const restored = await watched(run, 'nothing was restored', (watch) =>
      restoreFile(config, file, values.masterKeyFile, watch),
    ).catch((error) => {
      throw failedRestore(error);
    });
    const { head, tables, files, migrated, leftOut, to, madeMasterKey } = restored;
    const next = nextSteps(config, restored);
    const value = {
      file,
      to,
      rows: countRows(tables),
      tables,
      artifacts: files,
      migrated,
      left_out: leftOut,
      made_master_key: madeMasterKey,
      next,
    };
    const andFiles = files ? ` and ${counted(files.count, 'release file')}` : '';
    answer(run, value, () => [
      `Restored ${printable(file)}, begun ${head.begun_at}, to ${printable(to)}: ${rowsIn(tables)}${andFiles}; counts and checksums agree.`,
      ...(migrated.length > 0 ? [`Migrations applied: ${migrated.join(', ')}.`] : []),
      ...numbered(next),
    ]);
  },
});

/** Adds to an error that nothing was restored. After an error of PostgreSQL it is unknown whether it has committed. */
function failedRestore(error: unknown): unknown {
  if (error instanceof CopyRefused)
    return copyFailure('Nothing was restored', error, error.code === 'target_not_empty' ? NOT_EMPTY : '');
  if (error instanceof Failure || error instanceof StoreUnavailable) return error;
  const failure = foreseen(error);
  if (!failure) return error;
  const { exitCode, code, message, details } = failure;
  return new Failure(exitCode, code, `Nothing was restored. ${message.replace(SEE_DOCTOR, '')}`, details);
}

/** What to do after a restore, in sentences. */
function nextSteps(config: Config, restored: RestoredBackup): string[] {
  const { manifest, files, tables, madeMasterKey, leftOut, isRotating } = restored;
  const has = (table: string) => tables.some(({ name, rows }) => name === table && rows > 0);
  const settings =
    config.databaseUrl === null
      ? `${SETTINGS.dataDir.env}=${printable(resolve(config.dataDir))}`
      : `the same ${SETTINGS.databaseUrl.env}`;
  const steps: [isNeeded: unknown, step: string][] = [
    [
      !files && has('artifacts'),
      'The backup does not contain release files: put them back yourself. "latchkey doctor" names the releases that lack theirs.',
    ],
    [
      madeMasterKey,
      `The master key was copied to ${printable(madeMasterKey ?? '')}. Keep a copy apart from the backups.`,
    ],
    [leftOut > 0, `${stagedIn(leftOut)} are not in the backup: run those again.`],
    [
      isRotating,
      'The backup was made during a rotation of the master key. Finish the rotation: latchkey master-key rotate. It needs the new key, in master.key, in master.key.next beside it, or in LATCHKEY_NEXT_MASTER_KEY. Until then either key opens the database.',
    ],
    [
      true,
      'Console users must sign in again: their sessions and links are not restored. Make new links for users who have not set a password.',
    ],
    [
      has('event_endpoints'),
      'If this is a trial beside the running service, stop the event endpoints, or their receivers get events twice: latchkey event-endpoint update ID --enabled no, for each ID in latchkey event-endpoint list.',
    ],
    [true, `Check the result: latchkey doctor. Then start the server with ${settings}.`],
    [
      true,
      `Changes after ${manifest.read_at} are missing: new licenses, new and revoked API keys, activations, deactivations. If a signing key or root key was revoked since then, revoke it again, or programs that know of it refuse all leases (docs/operate/signing-keys.md).`,
    ],
  ];
  return steps.flatMap(([isNeeded, step]) => (isNeeded ? [step] : []));
}
