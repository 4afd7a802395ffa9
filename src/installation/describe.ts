import { hashCredential } from '../app/api-keys/credentials.ts';
import { chainLag } from '../app/audit/audit-chain.ts';
import type { Health, Installation, ShownBackups, ShownSetting } from '../app/reports/installation.ts';
import { newestArchive } from '../archive/folder.ts';
import { type Config, flagOf, SETTINGS, type SettingName } from '../config/config.ts';
import { VERSION } from '../config/version.ts';
import { HOUR_MS } from '../domain/datetime.ts';
import { MIGRATIONS } from '../store/migrations/index.ts';
import { diskSpace, diskStatus, writeFault } from './disk-space.ts';
import { backupFolder, isOverdue, type Service } from './service.ts';

/** Describes a running service for the console. */
export const describeInstallation = (
  config: Config,
  { database, store }: Pick<Service, 'database' | 'store'>,
): Installation => ({
  version: VERSION,
  runtime: process.versions.node,
  database:
    config.databaseUrl === null
      ? { kind: 'sqlite', place: config.dataDir }
      : { kind: 'postgres', place: database.replace(/\/\/[^/@\s]*@/, '//') },
  storage:
    config.s3Bucket === null
      ? { kind: 'folder', place: config.dataDir }
      : { kind: 'bucket', place: config.s3Bucket },
  processes: config.workers,
  startedAt: Date.now() - Math.round(process.uptime() * 1_000),
  schema: MIGRATIONS.at(-1)?.name ?? '',
  apiPath: `/${config.restPrefix}/dlm/v1`,
  clientPath: config.clientApi === 'on' ? '/client/v1' : null,
  settings: (Object.keys(SETTINGS) as SettingName[]).map((name) =>
    shown(name, config[name], config.given.includes(name)),
  ),
  configuredKey: config.consumerKey === null ? null : hashCredential(config.consumerKey),
  trashDays: config.trashDays,
  masterKeyIsFile: config.masterKey === null,
  backups: async () => describeBackups(config),
  backUp: backingUp(config),
  health: () => checkHealth(config, store),
});

function shown(name: SettingName, value: Config[SettingName], isSet: boolean): ShownSetting {
  const { env, meaning, fallback, ...about } = SETTINGS[name];
  const isSecret = 'secret' in about;
  return {
    variable: env,
    flag: isSecret ? null : `--${flagOf(name)}`,
    meaning,
    fallback,
    isSecret,
    isSet,
    value: isSecret ? null : inWords(value),
  };
}

/** Formats a setting as text; null if it is not set. Settings whose address may contain a password are secret. */
function inWords(value: Config[SettingName]): string | null {
  if (value === null || value === '') return null;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return Array.isArray(value) ? value.join(',') || 'none' : String(value);
}

/** Returns a function that makes a backup, as the schedule does. */
function backingUp(config: Config): Installation['backUp'] {
  let isBusy = false;
  return async (signal, onProgress) => {
    if (isBusy) return null;
    isBusy = true;
    try {
      // Loaded on demand: most processes never make a backup.
      const { backUpTo } = await import('./backing-up.ts');
      const options = { keep: config.backupKeep, withFiles: true };
      const { file, made } = await backUpTo(config, `${backupFolder(config)}/`, options, {
        signal,
        onProgress,
      });
      return { file, bytes: made.bytes, problem: null };
    } catch (error) {
      if (signal.aborted) throw error;
      return { file: '', bytes: 0, problem: (error as Error).message };
    } finally {
      isBusy = false;
    }
  };
}

function describeBackups(config: Config): ShownBackups {
  const folder = backupFolder(config);
  const about = { folder, everyHours: config.backupHours };
  try {
    const found = newestArchive(folder, Date.now());
    const newest = found ? { begunAt: found.when, bytes: found.bytes } : null;
    return { ...about, newest, problem: null };
  } catch (error) {
    return { ...about, newest: null, problem: (error as Error).message };
  }
}

/** The audit trail is chained each second. An entry that waits this long shows that chaining has stopped. */
const UNCHAINED_MS = 60_000;

/** Runs the cheap checks. `latchkey doctor` runs more. */
async function checkHealth(config: Config, store: Service['store']): Promise<Health> {
  if (!(await store.ready())) return [{ check: 'database', isGood: false, amount: null }];
  const space = await diskSpace(config.dataDir);
  const isUsed = config.databaseUrl === null || config.s3Bucket === null;
  const isReadOnly = isUsed && writeFault(config.dataDir) !== null;
  const { everyHours, newest: backup, problem } = describeBackups(config);
  const hours = backup && (Date.now() - backup.begunAt) / HOUR_MS;
  const isLate = hours === null || isOverdue(hours, everyHours);
  // Another node, or the tools of PostgreSQL, may make the backups.
  const isElsewhere = config.databaseUrl !== null && everyHours === 0 && !backup && problem === null;
  const lag = await chainLag({ store, clock: Date.now });
  return [
    { check: 'database', isGood: true, amount: null },
    {
      check: 'disk',
      isGood: !isReadOnly && diskStatus(space) === 'ok',
      amount: isReadOnly ? null : space.free,
    },
    ...(isElsewhere
      ? []
      : [{ check: 'backups' as const, isGood: problem === null && !isLate, amount: hours }]),
    { check: 'audit', isGood: lag <= UNCHAINED_MS, amount: null },
  ];
}
