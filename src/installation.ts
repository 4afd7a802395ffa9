import { isDeepStrictEqual } from 'node:util';
import { hashCredential } from './app/credentials.ts';
import { findArchives } from './archive/folder.ts';
import { backupFolder } from './cli/backup-folder.ts';
import { type Config, flagOf, SETTINGS, type SettingName } from './config.ts';
import type { Installation, ShownBackups, ShownSetting } from './http/installation.ts';
import type { Service } from './service.ts';
import { MIGRATIONS } from './store/migrations/index.ts';
import { VERSION } from './version.ts';

/** What the console tells of a service that runs with these settings. */
export const describeInstallation = (
  config: Config,
  { database }: Pick<Service, 'database'>,
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
  settings: (Object.keys(SETTINGS) as SettingName[]).map((name) => shown(name, config[name])),
  configuredKey: config.consumerKey === null ? null : hashCredential(config.consumerKey),
  masterKeyIsFile: config.masterKey === null,
  backups: async () => lookAtBackups(config),
});

function shown(name: SettingName, value: Config[SettingName]): ShownSetting {
  const { env, meaning, fallback, value: usual, ...about } = SETTINGS[name];
  const isSecret = 'secret' in about;
  return {
    variable: env,
    flag: `--${flagOf(name)}`,
    meaning,
    fallback,
    isSecret,
    isSet: !isDeepStrictEqual(value, usual),
    value: isSecret ? null : inWords(value),
  };
}

/** As it would be set. An address may hold a password. */
function inWords(value: Config[SettingName]): string | null {
  if (value === null || value === '') return null;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  const text = Array.isArray(value) ? value.join(',') || 'none' : String(value);
  return text.replace(/\/\/[^/@\s]*@/g, '//…@');
}

function lookAtBackups(config: Config): ShownBackups {
  const folder = backupFolder(config);
  const about = { folder, everyHours: config.backupHours };
  try {
    const now = Date.now();
    const newest = findArchives(folder).find(({ when }) => when <= now);
    return {
      ...about,
      newest: newest ? { begunAt: newest.when, bytes: newest.bytes } : null,
      problem: null,
    };
  } catch (error) {
    return { ...about, newest: null, problem: (error as Error).message };
  }
}
