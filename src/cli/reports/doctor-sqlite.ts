import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { databaseFile, inspectFile } from '../../installation/engines.ts';
import type { FileInspection } from '../../store/backups/inspection.ts';
import { StoreUnavailable } from '../../store/store.ts';
import { type Check, fail, ok, warn } from './doctor-check.ts';
import { type CheckedDatabase, checkMigrations } from './doctor-database.ts';
import { errorCode } from './doctor-files.ts';

/** The database in a data directory. */
export async function checkFile(dataDir: string, masterKey: Uint8Array | null): Promise<CheckedDatabase> {
  const name = 'Database';
  const path = resolve(databaseFile(dataDir));
  const exists = existsSync(path);
  const failed = (message: string, advice: string) => ({
    checks: [fail(name, message, advice)],
    found: null,
    exists,
  });
  try {
    const about = statSync(path, { throwIfNoEntry: false });
    if (!about)
      return failed(`${path} does not exist`, 'Start the server or run "latchkey migrate" to make it.');
    if (about.size === 0)
      return failed(`${path} is empty`, `${RESTORE} If it has never held anything, remove it.`);
    accessSync(path, constants.R_OK | constants.W_OK);
    const found = await inspectFile(path, masterKey);
    return { checks: databaseChecks(path, found), found, exists };
  } catch (error) {
    if (error instanceof StoreUnavailable || PERMISSION.has(errorCode(error))) {
      const message = `${path} cannot be opened: ${(error as Error).message}`;
      return failed(message, 'Run latchkey as the user who owns it and the folder that it is in.');
    }
    return failed(`${path} cannot be read: ${(error as Error).message}`, RESTORE);
  }
}

const PERMISSION = new Set(['EACCES', 'EPERM', 'EROFS']);
const RESTORE = 'Stop the server and restore the database from a backup.';

function databaseChecks(path: string, { faults, missing, concurrent, locked }: FileInspection): Check[] {
  const name = 'Database';
  return [
    faults.length > 0
      ? fail(name, `${path} is damaged: ${faults.join('; ')}`, RESTORE)
      : ok(name, `${path} is sound`),
    checkMigrations(missing),
    concurrent
      ? ok('Journal', 'WAL: reading and writing go on beside each other')
      : warn(
          'Journal',
          'not WAL: reading and writing wait for each other',
          'Restart the server: it sets this.',
        ),
    locked
      ? fail(
          'Lock',
          'another program has held the database for over 2 seconds',
          'Wait where it is a large import or a backup; else find it with "fuser" and end it.',
        )
      : ok('Lock', 'free'),
  ];
}
