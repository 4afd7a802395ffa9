import type { Command } from 'commander';
import { addExamples, addNotes } from '../help.ts';
import { interruptible } from '../interrupt.ts';
import type { Run } from '../run.ts';
import { addBackupFlags, addStorageFlags, type Given } from '../settings.ts';

// What each does is loaded when it is wanted: no other command needs it, nor the server.

const NOTES = `A backup is one file, a tar: the rows of the database as of one moment and the files of all releases
as they were then, taken while the servers run, from SQLite as from PostgreSQL; it can be restored
to either. It is read back and compared before it gets its name. docs/backups.md says what is in it,
and how to read it without Latchkey.
The master key is not in it: without that, no license in it can be read. Keep both, apart from each
other.`;

export function addBackup(program: Command, run: Run): void {
  const command = program
    .command('backup')
    .description('Back everything up, while the server runs; check and list backups')
    // Else a flag behind "verify" would be taken for one of this command.
    .enablePositionalOptions()
    .option(
      '--to <path>',
      'A file that ends in .tar, or a folder, for a name made of the time (default: LATCHKEY_BACKUP_DIR, or backups in the data directory)',
    )
    .option('--keep <n>', 'Remove all but the newest n backups of the folder, when this one is done')
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
  command.action((given: Given) =>
    interruptible(run, 'no backup was made', async (signal) =>
      (await import('./backup-make.ts')).make(run, given, signal),
    ),
  );
  addBackupVerify(command, run);
  addBackupList(command, run);
}

const VERIFY_NOTES = `All of it is read: whether anything was cut off, changed, added or exchanged, by checksums; how many
rows there are, and whether what they refer to is there; and the file of each release. With the
master key at hand (LATCHKEY_MASTER_KEY, master.key in the data directory, or --master-key-file)
every license key is opened, too. It needs no database.
The exit code is 1 where anything is wrong.`;

function addBackupVerify(parent: Command, run: Run): void {
  const command = parent
    .command('verify')
    .description('Check backups: those that are named, or else the newest in the folder of the settings')
    .argument('[files...]', 'Backups')
    .option('--master-key-file <path>', 'A copy of the master.key that the backup was made with');
  addBackupFlags(command);
  addNotes(command, VERIFY_NOTES);
  addExamples(command, [
    ['The newest', 'latchkey backup verify'],
    [
      'With the master key from where that is kept',
      'latchkey backup verify --master-key-file /media/key/master.key',
    ],
  ]);
  command.action((files: string[], given: Given) =>
    interruptible(run, 'not all was checked', async (signal) =>
      (await import('./backup-verify.ts')).verify(run, files, given, signal),
    ),
  );
}

function addBackupList(parent: Command, run: Run): void {
  const command = parent
    .command('list')
    .description(
      'List the backups in the folder of the settings, newest first; they are looked at, not read',
    );
  addBackupFlags(command);
  addExamples(command, [['All that there are', 'latchkey backup list']]);
  command.action(async () => (await import('./backup-list.ts')).list(run));
}
