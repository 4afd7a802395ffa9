import { resolve } from 'node:path';
import type { Command } from 'commander';
import { addExamples, addNotes } from '../help.ts';
import { interruptible } from '../interrupt.ts';
import type { Run } from '../run.ts';
import { addStorageFlags, type Given } from '../settings.ts';

const NOTES = `It goes where the settings say: into the data directory, or into the database of
LATCHKEY_DATABASE_URL, which must be empty, whichever of both the backup was made from; the files of
releases into the data directory, or to S3. Nothing is changed before the master key is known to be
the one of the backup: in the data directory, as LATCHKEY_MASTER_KEY, or in --master-key-file, which
is copied into the data directory. All rows come in one transaction, are read back and compared;
where anything fails, nothing is left. A backup of an earlier version is brought up to date. Let no
server run on what is restored to.`;

export function addRestore(program: Command, run: Run): void {
  const command = program
    .command('restore')
    .description('Put a backup into an empty data directory or database')
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
  command.action((file: string, given: Given) =>
    interruptible(run, 'nothing was restored', async (signal) =>
      (await import('./backup-restore.ts')).restore(run, resolve(file), given, signal),
    ),
  );
}
