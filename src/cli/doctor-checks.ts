import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Config } from '../config.ts';
import { type ApiKey, isUsable } from '../domain/api-key.ts';
import { addDays, type Datetime, toDatetime, toMilliseconds } from '../domain/datetime.ts';
import { type Inspection, StoreUnavailable } from '../store/store.ts';
import { type Check, fail, ok, warn } from './doctor-check.ts';
import { checkStorage } from './doctor-storage.ts';
import type { Host } from './host.ts';
import { type Given, readSettings } from './settings.ts';
import { counted } from './table.ts';

/**
 * Everything that is looked at, in the order in which a start meets it. What cannot be told is left out.
 * @param fix removes what crashes have left; where false, nothing is changed
 */
export async function examine(host: Host, given: Given, fix: boolean): Promise<Check[]> {
  const loaded = readSettings(given);
  if (!loaded.ok) {
    return [fail('Settings', `${loaded.problem}.`, 'Mend it and look again: the other checks need it.')];
  }
  const { config, warnings } = loaded;
  const clock = toDatetime(Date.now());
  const settings =
    warnings.length === 0
      ? ok('Settings', 'all are valid')
      : warn('Settings', `${warnings.join('; ')}.`, 'Correct the names, or unset these variables.');
  const directory = checkDirectory(config.dataDir);
  if (directory.status === 'fail') return [settings, directory, checkClock(clock, null)];

  const disk = await statfs(config.dataDir);
  const file = resolve(host.databaseFile(config.dataDir));
  const { check: masterKeyCheck, masterKey } = checkMasterKey(host, config, existsSync(file));
  const { checks, found } = await checkDatabase(host, file, masterKey);
  // Of a database that is damaged, or that another version must migrate, nobody can tell which files it needs.
  const isSound = found?.faults.length === 0 && found.missing.length === 0;
  return [
    settings,
    directory,
    checkDisk(disk.bavail * disk.bsize, disk.blocks * disk.bsize),
    found?.masterKeyFits === false ? WRONG_MASTER_KEY : masterKeyCheck,
    ...checks,
    ...(isSound ? await checkStorage(host, config, found, fix) : []),
    checkClock(clock, found?.newest ?? null),
    ...(found && found.missing.length === 0 ? [checkApiKeys(found.apiKeys, config, clock)] : []),
  ];
}

const errorCode = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error);
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

/** @param free bytes that this user may still write, of `total` */
export function checkDisk(free: number, total: number): Check {
  const name = 'Disk space';
  const message = `${free >= GIB ? `${(free / GIB).toFixed(1)} GiB` : `${Math.floor(free / MIB)} MiB`} free (${Math.floor((free / total) * 100)} %)`;
  const advice = 'Free some: a full disk refuses every change.';
  if (free < 100 * MIB) return fail(name, message, advice);
  return free < GIB || free / total < 0.1 ? warn(name, message, advice) : ok(name, message);
}

function checkMasterKey(
  host: Host,
  config: Config,
  hasDatabase: boolean,
): { check: Check; masterKey: Uint8Array | null } {
  const name = 'Master key';
  if (config.masterKey)
    return { check: ok(name, 'given by LATCHKEY_MASTER_KEY'), masterKey: config.masterKey };
  const file = resolve(host.masterKeyFile(config.dataDir));
  const restore = `Put ${file} back from your backup, or set LATCHKEY_MASTER_KEY.`;
  try {
    const masterKey = host.readMasterKey(config.dataDir);
    if (!masterKey) {
      const check = hasDatabase
        ? fail(name, `${file} does not exist`, restore)
        : warn(name, `${file} does not exist yet`, 'It is made together with the database.');
      return { check, masterKey };
    }
    const check = isOpenToOthers(file)
      ? warn(name, `${file} may be read by other users of this machine`, `Close it: chmod 600 ${file}`)
      : ok(name, file);
    return { check, masterKey };
  } catch (error) {
    const message = host.isSetupFault(error as Error)
      ? (error as Error).message
      : `${file} cannot be read by this user (${errorCode(error)})`;
    return { check: fail(name, message, restore), masterKey: null };
  }
}

const WRONG_MASTER_KEY = fail(
  'Master key',
  'this is not the key that the database was made with: no license can be read',
  'Put the right master.key back from your backup, or set LATCHKEY_MASTER_KEY to it.',
);

async function checkDatabase(
  host: Host,
  path: string,
  masterKey: Uint8Array | null,
): Promise<{ checks: Check[]; found: Inspection | null }> {
  const name = 'Database';
  const failed = (message: string, advice: string) => ({
    checks: [fail(name, message, advice)],
    found: null,
  });
  try {
    if (!statSync(path, { throwIfNoEntry: false })) {
      return failed(`${path} does not exist`, 'Start the server or run "latchkey migrate" to make it.');
    }
    accessSync(path, constants.R_OK | constants.W_OK);
    const found = await host.inspect(path, masterKey);
    return { checks: databaseChecks(path, found), found };
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

function databaseChecks(path: string, { faults, missing, concurrent, locked }: Inspection): Check[] {
  const name = 'Database';
  return [
    faults.length > 0
      ? fail(name, `${path} is damaged: ${faults.join('; ')}`, RESTORE)
      : ok(name, `${path} is sound`),
    missing.length > 0
      ? fail(
          'Migrations',
          `missing: ${missing.join(', ')}`,
          'Run "latchkey migrate"; a start of the server does it too.',
        )
      : ok('Migrations', 'none is missing'),
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

/** Clocks of machines that share a database differ by less than this. */
const SLACK_MS = 5 * 60_000;
const FIRST_SANE = '2025-01-01 00:00:00';
const LAST_SANE = '2100-01-01 00:00:00';

/** @param newest when the newest record was made */
export function checkClock(now: Datetime, newest: Datetime | null): Check {
  const name = 'Clock';
  const advice = 'Set it, best by NTP: licenses expire by it.';
  if (now < FIRST_SANE || now > LAST_SANE) return fail(name, `it says ${now} UTC`, advice);
  if (newest !== null && toMilliseconds(newest) > toMilliseconds(now) + SLACK_MS) {
    return fail(name, `it says ${now} UTC, but a record was made at ${newest}`, advice);
  }
  return ok(name, `${now} UTC`);
}

const SOON_DAYS = 30;
const isFull = ({ permission, endpoints, products }: ApiKey): boolean =>
  permission === 'read_write' && endpoints === null && products === null;

export function checkApiKeys(
  apiKeys: readonly ApiKey[],
  { consumerKey }: Pick<Config, 'consumerKey'>,
  now: Datetime,
): Check {
  const name = 'API keys';
  const usable = apiKeys.filter((one) => isUsable(one, now));
  if (usable.length === 0) {
    if (apiKeys.length === 0)
      return warn(name, 'there is none yet', 'The next start of the server makes one.');
    const isNew = consumerKey !== null && apiKeys.every((one) => one.keyEnding !== consumerKey.slice(-7));
    return isNew
      ? warn(
          name,
          'none can be used yet',
          'The next start of the server makes that of LATCHKEY_CONSUMER_KEY.',
        )
      : fail(name, 'all are expired or revoked', 'Make one: latchkey api-key create');
  }
  const soon = addDays(now, SOON_DAYS);
  const lasting = usable.some(
    (one) => isFull(one) && (one.expiresAt === null || soon === null || one.expiresAt > soon),
  );
  const ending = usable.filter(
    (one) => isFull(one) && one.expiresAt !== null && soon !== null && one.expiresAt <= soon,
  );
  const [first] = ending;
  if (!first) return ok(name, `${counted(usable.length, 'can be', 'can be')} used`);
  return warn(
    name,
    `${ending.map(({ id, expiresAt }) => `key ${id} with full permission expires at ${expiresAt} UTC`).join('; ')}`,
    lasting ? 'Use another in its stead.' : 'Make another in time: latchkey api-key create',
  );
}
