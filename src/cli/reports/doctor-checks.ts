import type { Config } from '../../config/config.ts';
import { type ApiKey, isUsable } from '../../domain/api-key.ts';
import { addDays, type Datetime, toDatetime, toMilliseconds } from '../../domain/datetime.ts';
import { diskSpace } from '../../installation/disk-space.ts';
import type { Run } from '../run.ts';
import { readSettings } from '../settings.ts';
import { counted } from '../table.ts';
import { checkAudit } from './doctor-audit.ts';
import { checkBackups } from './doctor-backups.ts';
import { type Check, fail, ok, warn } from './doctor-check.ts';
import { checkCounts } from './doctor-counts.ts';
import {
  checkDirectory,
  checkDisk,
  checkFilesLimit,
  checkMasterKey,
  filesLimit,
  findMasterKey,
} from './doctor-files.ts';
import { checkServer } from './doctor-postgres.ts';
import { checkRotation } from './doctor-rotation.ts';
import { checkFile } from './doctor-sqlite.ts';
import { checkStorage } from './doctor-storage.ts';

/**
 * Everything that is looked at, in the order in which a start meets it. What cannot be told is left out.
 * @param fix removes what crashes have left, and counts anew what was miscounted; where false, nothing is changed
 */
export async function examine(run: Run, fix: boolean): Promise<Check[]> {
  const loaded = readSettings(run);
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
  const hasDirectory = directory.status !== 'fail';
  const isFile = config.databaseUrl === null;
  const limit = filesLimit();
  // On PostgreSQL the database can be looked at without it.
  if (!hasDirectory && isFile) return [settings, directory, checkClock(clock, null)];

  const key = findMasterKey(config);
  const { checks, found, exists } = await (isFile
    ? checkFile(config.dataDir, key.masterKey)
    : checkServer(config, key.masterKey));
  // Of a database that is damaged, or that another version must migrate, nobody can tell which files it needs.
  const isSound = found !== null && found.missing.length === 0 && checks[0]?.status !== 'fail';
  return [
    settings,
    directory,
    ...(hasDirectory ? [checkDisk(await diskSpace(config.dataDir))] : []),
    ...(limit === null ? [] : [checkFilesLimit(limit)]),
    checkMasterKey(key, found, exists),
    ...(found?.masterKey === 'fits' ? [await checkRotation(config, found, fix)] : []),
    ...checks,
    ...(isSound && hasDirectory ? await checkStorage(config, found, fix) : []),
    ...(isSound ? [await checkCounts(config, found.counts, fix)] : []),
    ...(isSound && found.audit ? [await checkAudit(found.audit)] : []),
    ...(await checkBackups(config)),
    checkClock(clock, found?.newest ?? null),
    ...(found && found.missing.length === 0 ? [checkApiKeys(found.apiKeys, config, clock)] : []),
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
