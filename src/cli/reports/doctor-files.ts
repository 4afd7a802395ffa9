import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Config } from '../../config/config.ts';
import { type DiskSpace, diskStatus } from '../../installation/disk-space.ts';
import { isSetupFault, masterKeyFile, readMasterKey } from '../../installation/service.ts';
import type { Inspection } from '../../store/backups/inspection.ts';
import { type Check, fail, ok, warn } from './doctor-check.ts';

export const errorCode = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error);
const OTHERS = 0o077;
/** Windows keeps permissions elsewhere. */
const isOpenToOthers = (file: string): boolean =>
  process.platform !== 'win32' && (statSync(file).mode & OTHERS) !== 0;

export function checkDirectory(dataDir: string): Check {
  const name = 'Data directory';
  const path = resolve(dataDir);
  try {
    const about = statSync(path, { throwIfNoEntry: false });
    if (!about) {
      return fail(
        name,
        `${path} does not exist`,
        'Start the server or run "latchkey migrate" to make it; or set LATCHKEY_DATA_DIR to the right one.',
      );
    }
    if (!about.isDirectory()) return fail(name, `${path} is no folder`, 'Set LATCHKEY_DATA_DIR to a folder.');
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    return errorCode(error) === 'EROFS'
      ? fail(name, `${path} is on a read-only file system`, 'Mount it for writing.')
      : fail(
          name,
          `${path} cannot be read and written by this user (${errorCode(error)})`,
          `Run latchkey as the user who owns it, or give it to this one: chown -R ${process.getuid?.() ?? 'USER'} ${path}`,
        );
  }
  return isOpenToOthers(path)
    ? warn(name, `${path} is open to other users of this machine`, `Close it: chmod 700 ${path}`)
    : ok(name, `${path}, for this user alone`);
}

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

export function checkDisk(space: DiskSpace): Check {
  const { free, total } = space;
  const status = diskStatus(space);
  const name = 'Disk space';
  const message = `${free >= GIB ? `${(free / GIB).toFixed(1)} GiB` : `${Math.floor(free / MIB)} MiB`} free (${Math.floor((free / total) * 100)} %)`;
  const advice = 'Free some: a full disk refuses every change.';
  if (status === 'full') return fail(name, message, advice);
  return status === 'low' ? warn(name, message, advice) : ok(name, message);
}

/** Open files with which some hundred clients, uploads and downloads get on. */
const FILES_FEW = 1_024;

/** Files and connections that a process of this user may have open; null where the system does not tell. */
export function filesLimit(): number | null {
  try {
    const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return limit === undefined ? null : Number(limit);
  } catch {
    return null;
  }
}

export const checkFilesLimit = (limit: number): Check =>
  limit < FILES_FEW
    ? warn(
        'Open files',
        `at most ${limit} at once, connections of clients included`,
        `Raise it: "ulimit -n 65536" where the server is started, or LimitNOFILE=65536 in its systemd unit.`,
      )
    : ok('Open files', `at most ${limit} at once`);

/** The master key, as a start would find it. */
export interface FoundMasterKey {
  masterKey: Uint8Array | null;
  /** The file that it rests in; null where it was given by the environment. */
  file: string | null;
  /** Why the file cannot be read. */
  problem: string | null;
}

export function findMasterKey(config: Config): FoundMasterKey {
  if (config.masterKey) return { masterKey: config.masterKey, file: null, problem: null };
  const file = resolve(masterKeyFile(config.dataDir));
  try {
    return { masterKey: readMasterKey(config.dataDir), file, problem: null };
  } catch (error) {
    const problem = isSetupFault(error)
      ? (error as Error).message
      : `${file} cannot be read by this user (${errorCode(error)})`;
    return { masterKey: null, file, problem };
  }
}

/**
 * @param found what the database says of it; null where it cannot be asked
 * @param hasDatabase whether there is a database that was made with a master key
 */
export function checkMasterKey(
  { masterKey, file, problem }: FoundMasterKey,
  found: Pick<Inspection, 'masterKey' | 'retiredAt'> | null,
  hasDatabase: boolean,
): Check {
  const name = 'Master key';
  if (found?.masterKey === 'differs' && found.retiredAt !== null) {
    if (file !== null && existsSync(`${file}.next`)) {
      const message = `a rotation was done on ${found.retiredAt} UTC, but a crash kept the new key file from its place`;
      return warn(name, message, `The next start puts ${file}.next there.`);
    }
    return fail(
      name,
      `this key was retired on ${found.retiredAt} UTC: no license can be read with it`,
      'Put the one that took its place into master.key, or set LATCHKEY_MASTER_KEY to it.',
    );
  }
  if (found?.masterKey === 'differs') {
    return fail(
      name,
      'this is not the key that the database was made with: no license can be read',
      'Put the right master.key back from your backup, or set LATCHKEY_MASTER_KEY to it.',
    );
  }
  if (file === null) return ok(name, 'given by LATCHKEY_MASTER_KEY');
  const restore = `Put ${file} back from your backup, or set LATCHKEY_MASTER_KEY.`;
  if (problem) return fail(name, problem, restore);
  if (!masterKey) {
    return hasDatabase
      ? fail(name, `${file} does not exist`, restore)
      : warn(name, `${file} does not exist yet`, 'It is made together with the database.');
  }
  return isOpenToOthers(file)
    ? warn(name, `${file} may be read by other users of this machine`, `Close it: chmod 600 ${file}`)
    : ok(name, file);
}
