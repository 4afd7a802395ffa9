import { accessSync, constants, existsSync, lstatSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Config } from '../../config/config.ts';
import { HOUR_MS } from '../../domain/datetime.ts';
import { FIRST_START_FILE, isOpenToOthers, ownerNotice } from '../../installation/data-directory.ts';
import { type DiskSpace, diskStatus, sizeWords, writeFault } from '../../installation/disk-space.ts';
import {
  backupFolder,
  isOverdue,
  isSetupFault,
  masterKeyFile,
  readMasterKey,
} from '../../installation/service.ts';
import type { Inspection } from '../../store/backups/inspection.ts';
import { type Check, fail, ok, warn, warnIf } from './doctor-check.ts';

export const errorCode = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error);

/** What to do about a path that this user may not open. */
export const ACCESS_ADVICE =
  'Run latchkey as the user who owns it, or let this user read and write it (chown, chmod).';

const readOnly = (path: string): Check =>
  fail(
    `${path} is on a read-only file system`,
    'Mount it for writing. If it became read-only by itself, check the disk.',
  );

export function checkDirectory(dataDir: string): Check {
  const path = resolve(dataDir);
  let owner: number | undefined;
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    owner = stats?.uid;
    if (!stats) {
      if (lstatSync(path, { throwIfNoEntry: false }))
        return fail(
          `${path} is a link to ${readlinkSync(path)}, which does not exist`,
          'Mount or create it.',
        );
      return fail(
        `${path} does not exist`,
        'Start the server or run "latchkey migrate" to create it, or set LATCHKEY_DATA_DIR to the right one.',
      );
    }
    if (!stats.isDirectory()) return fail(`${path} is not a folder`, 'Set LATCHKEY_DATA_DIR to a folder.');
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    if (writeFault(path) === 'EROFS') return readOnly(path);
  } catch (error) {
    return errorCode(error) === 'EROFS'
      ? readOnly(path)
      : fail(
          `${path} cannot be read and written by this user (${errorCode(error)})`,
          owner === process.getuid?.() ? `Run "chmod u+rwx ${path}".` : ACCESS_ADVICE,
        );
  }
  const notice = ownerNotice(dataDir);
  if (notice !== null) return warn(notice, 'As root, doctor cannot check what that user may open.');
  return isOpenToOthers(statSync(path))
    ? warn(`other users of this machine can open ${path}`, `Close it: chmod 700 ${path}`)
    : ok(`${path}, accessible only to this user`);
}

/** Warns that the file with the secrets of a first start still exists. Returns null if it does not. */
export function checkFirstStart(dataDir: string): Check | null {
  const path = resolve(dataDir, FIRST_START_FILE);
  if (!existsSync(path)) return null;
  return warn(`${path} holds secrets that a start wrote`, 'Read it, then delete it.');
}

export function checkDisk(space: DiskSpace): Check {
  const { free, total } = space;
  const status = diskStatus(space);
  const message = `${sizeWords(free)} free (${Math.floor((free / total) * 100)} %)`;
  const advice = 'Free some space: on a full disk all changes are refused.';
  if (status === 'full') return fail(message, advice);
  return status === 'low' ? warn(message, advice) : ok(message);
}

/** Open files that are enough for a few hundred clients, uploads and downloads. */
const FILES_FEW = 1_024;

/** Checks how many files and connections a process may open. Returns null if the system does not say. */
export function checkFilesLimit(): Check | null {
  let limits: string;
  try {
    limits = readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return null;
  }
  const limit = /^Max open files +(\d+)/m.exec(limits)?.[1];
  if (limit === undefined) return null;
  return warnIf(
    Number(limit) < FILES_FEW,
    `at most ${limit} at once, including client connections`,
    'Raise the limit: "ulimit -n 65536" where the server is started, or LimitNOFILE=65536 in its systemd unit.',
  );
}

/** The master key that a start would find. */
export interface FoundMasterKey {
  masterKey: Uint8Array | null;
  /** Path of the master key file; null if the key comes from the environment. */
  file: string | null;
  /** Why the file cannot be read; null if it can. */
  problem: Check | null;
}

const restoreAdvice = (file: string): string =>
  `Restore ${file} from your backup, or set LATCHKEY_MASTER_KEY.`;

export function lookForMasterKey(config: Config): FoundMasterKey {
  if (config.masterKey) return { masterKey: config.masterKey, file: null, problem: null };
  const file = resolve(masterKeyFile(config.dataDir));
  try {
    return { masterKey: readMasterKey(config.dataDir), file, problem: null };
  } catch (error) {
    const problem = isSetupFault(error)
      ? fail((error as Error).message, restoreAdvice(file))
      : fail(`${file} cannot be read by this user (${errorCode(error)})`, ACCESS_ADVICE);
    return { masterKey: null, file, problem };
  }
}

/**
 * Checks that the master key can be read, and that it is the key of the database.
 * @param found null if the database cannot be read
 * @param hasDatabase whether a database exists that was created with a master key
 */
export function checkMasterKey(
  { masterKey, file, problem }: FoundMasterKey,
  found: Pick<Inspection, 'masterKey' | 'retiredAt'> | null,
  hasDatabase: boolean,
): Check {
  if (found?.masterKey === 'differs' && found.retiredAt !== null) {
    if (file !== null && existsSync(`${file}.next`)) {
      const message = `a rotation finished at ${found.retiredAt} UTC, but crashed before it moved the new key file into place`;
      return warn(message, `The next start moves ${file}.next into place.`);
    }
    return fail(
      `this key was retired at ${found.retiredAt} UTC: no license key can be read with it`,
      'Put the key that replaced it into master.key, or set LATCHKEY_MASTER_KEY to it.',
    );
  }
  if (found?.masterKey === 'differs') {
    return fail(
      'this is not the key of the database: no license key can be read',
      'Restore the right master.key from your backup, or set LATCHKEY_MASTER_KEY to it.',
    );
  }
  if (file === null) return ok('set by LATCHKEY_MASTER_KEY');
  if (problem) return problem;
  if (!masterKey) {
    return hasDatabase
      ? fail(`${file} does not exist`, restoreAdvice(file))
      : warn(`${file} does not exist yet`, 'It is created together with the database.');
  }
  return isOpenToOthers(statSync(file))
    ? warn(`other users of this machine can read ${file}`, `Close it: chmod 600 ${file}`)
    : ok(file);
}

/** Checks that the newest backup is recent and readable. None at all is no fault if the server makes none: others may. */
export async function checkBackups(config: Config): Promise<Check> {
  const { backupHours: hours } = config;
  const folder = backupFolder(config);
  const { newestBackup } = await import('../../installation/backing-up.ts');
  try {
    const newest = await newestBackup(folder);
    if (!newest) {
      const advice =
        'The server makes the first one when it starts. If it is running, its log says what failed.';
      return hours > 0
        ? warn(`there are none in ${folder}`, advice)
        : ok('the server makes none (LATCHKEY_BACKUP_HOURS is 0)');
    }
    if (newest.problem !== null) {
      const advice = 'See what is wrong: latchkey backup verify. Then make another one: latchkey backup';
      return warn(`the newest, ${newest.path}, cannot be read: ${newest.problem}`, advice);
    }
    const age = (Date.now() - newest.when) / HOUR_MS;
    return warnIf(
      isOverdue(age, hours),
      `the newest, ${newest.path}, was begun ${age.toFixed(1)} hours ago`,
      'A newer one was due: the log of the server says what failed. Make one now: latchkey backup',
    );
  } catch (error) {
    const advice =
      'Let the user of the server read and write it, or set LATCHKEY_BACKUP_DIR to another folder.';
    return warn(`${folder} cannot be read: ${(error as Error).message}`, advice);
  }
}
