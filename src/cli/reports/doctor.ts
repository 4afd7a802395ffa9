import { type Datetime, toDatetime, toMilliseconds } from '../../domain/datetime.ts';
import { diskSpace } from '../../installation/disk-space.ts';
import { define } from '../define.ts';
import { toggle } from '../flags.ts';
import { answer, explained } from '../output.ts';
import type { Run } from '../run.ts';
import { FLAGS, readSettings } from '../settings.ts';
import { counted } from '../table.ts';
import { type Check, type Checks, fail, ok, warn, words } from './doctor-check.ts';
import { checkDatabaseFile, checkDatabaseServer } from './doctor-database.ts';
import {
  checkBackups,
  checkDirectory,
  checkDisk,
  checkFilesLimit,
  checkFirstStart,
  checkMasterKey,
  lookForMasterKey,
} from './doctor-files.ts';
import {
  checkApiKeys,
  checkAudit,
  checkCounts,
  checkEncryption,
  checkEndpoints,
  checkStorage,
} from './doctor-records.ts';
import { checkSigningKeys } from './doctor-signing-keys.ts';

export const doctor = define({
  name: 'doctor',
  description: 'Look for faults in the settings, files and database; changes nothing without --fix',
  flags: {
    fix: toggle(
      'Remove leftovers of interrupted uploads, correct totals, and re-encrypt license keys that are still encrypted under a retired key',
    ),
  },
  settings: FLAGS,
  notes:
    'The exit code is 1 if a check fails, and 0 if there are at most warnings.\nIt can run while the server runs. Reading a large database takes a while.',
  examples: {
    'With the settings of this shell': 'latchkey doctor',
    'Remove the leftovers of a crash': 'latchkey doctor --fix',
    'Only faults and warnings, in a script':
      'latchkey doctor --json | jq \'.checks[] | select(.status != "ok")\'',
  },
  async action({ run, values }) {
    const examined = Object.entries(await examine(run, values.fix === true));
    const checks = examined.map(([name, check]) => ({ name, ...check }));
    const count = (status: Check['status']) => checks.filter((check) => check.status === status).length;
    const [faults, warnings] = [count('fail'), count('warn')];
    const summary =
      faults + warnings === 0
        ? 'No problems found.'
        : `${counted(faults, 'fault')}, ${counted(warnings, 'warning')}.`;
    answer(run, { ok: faults === 0, checks }, () => explained(run, ...examined.map(words), '', summary));
    if (faults > 0) run.exitCode = 1;
  },
});

const ROTATED = warn(
  'a rotation has made LATCHKEY_NEXT_MASTER_KEY the key of the database',
  'Set LATCHKEY_MASTER_KEY to it, and unset LATCHKEY_NEXT_MASTER_KEY.',
);

/** Runs all checks that are possible, in the order in which a start of the server needs them. */
async function examine(run: Run, fix: boolean): Promise<Checks> {
  const loaded = readSettings(run);
  if (!loaded.ok) {
    const advice = 'Correct it and run doctor again: the other checks need it.';
    return { Settings: fail(`${loaded.problem}.`, advice) };
  }
  const { config, warnings } = loaded;
  const now = toDatetime(Date.now());
  const directory = checkDirectory(config.dataDir);
  const firstStart = checkFirstStart(config.dataDir);
  const first = {
    Settings:
      warnings.length === 0
        ? ok('all are valid')
        : warn(`${warnings.join('; ')}.`, 'Follow each warning. Correct a misspelled variable, or unset it.'),
    'Data directory': directory,
    ...(firstStart && { 'First start': firstStart }),
  };
  const hasDirectory = directory.status !== 'fail';
  const isFile = config.databaseUrl === null;
  const filesLimit = checkFilesLimit();
  // Only a PostgreSQL database can be checked without the directory.
  if (!hasDirectory && isFile) return { ...first, Clock: checkClock(now, null) };
  const key = lookForMasterKey(config);
  const inspect = (masterKey: Uint8Array | null) =>
    isFile ? checkDatabaseFile(config.dataDir, masterKey) : checkDatabaseServer(config, masterKey);
  const given = await inspect(key.masterKey);
  // A start tries the next key, too.
  const next =
    given.found?.masterKey === 'differs' && config.nextMasterKey && (await inspect(config.nextMasterKey));
  const takesNext = next && next.found?.masterKey === 'fits';
  const { checks, found, exists } = takesNext ? next : given;
  const isMigrated = found !== null && found.missing.length === 0;
  // A damaged database, or one of another version, does not say which files it needs.
  const isSound = isMigrated && checks.Database.status !== 'fail';
  return {
    ...first,
    ...(hasDirectory && { 'Disk space': checkDisk(await diskSpace(config.dataDir)) }),
    ...(filesLimit && { 'Open files': filesLimit }),
    'Master key': takesNext ? ROTATED : checkMasterKey(key, found, exists),
    ...(found?.masterKey === 'fits' && { Encryption: await checkEncryption(config, found, fix) }),
    ...checks,
    ...(isSound && hasDirectory && (await checkStorage(config, found, fix))),
    ...(isSound && { Totals: await checkCounts(config, found.counts, fix) }),
    ...(found?.signingKeys && { 'Signing keys': await checkSigningKeys(found.signingKeys, now) }),
    ...(isSound && found.audit && { 'Audit trail': await checkAudit(found.audit) }),
    Backups: await checkBackups(config),
    Clock: checkClock(now, found?.newest ?? null),
    ...(isMigrated && { 'API keys': checkApiKeys(found.apiKeys, config, now) }),
    ...(found && found.endpoints.length > 0 && { 'Event endpoints': checkEndpoints(found.endpoints) }),
  };
}

/** The clocks of machines that share a database may differ by this much. */
const SLACK_MS = 5 * 60_000;
const FIRST_SANE = '2025-01-01 00:00:00';
const LAST_SANE = '2100-01-01 00:00:00';

/** Checks that the clock is plausible. @param newest when the newest record was created */
export function checkClock(now: Datetime, newest: Datetime | null): Check {
  const advice = 'Set it, preferably with NTP: license expiry depends on it.';
  if (now < FIRST_SANE || now > LAST_SANE) return fail(`it says ${now} UTC`, advice);
  if (newest !== null && toMilliseconds(newest) > toMilliseconds(now) + SLACK_MS)
    return fail(`it says ${now} UTC, but a record was created at ${newest}`, advice);
  return ok(`${now} UTC`);
}
