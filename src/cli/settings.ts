import type { Command } from 'commander';
import {
  type Config,
  flagOf,
  type Loaded,
  loadConfig,
  SETTINGS,
  type SettingName,
} from '../config/config.ts';
import { Failure } from './failure.ts';
import type { Run } from './run.ts';

/** All settings that have a flag. Secrets have none: any user who lists processes can read their command lines. */
export const FLAGS = (Object.keys(SETTINGS) as SettingName[]).filter((name) => !('secret' in SETTINGS[name]));
/** For a command that opens the data directory and does not serve. */
export const LOCAL: readonly SettingName[] = ['dataDir', 'logLevel'];
/** For a command that writes or removes release files: they are where a server with these settings looks for them. */
export const STORAGE: readonly SettingName[] = [...LOCAL, 's3Bucket', 's3Endpoint', 's3Region', 's3Prefix'];
/** For a command that looks for backups. */
export const BACKUPS: readonly SettingName[] = [...LOCAL, 'backupDir'];

export function addSettings(command: Command, names: readonly SettingName[]): void {
  for (const name of names) {
    const { env, meaning, fallback } = SETTINGS[name];
    command.option(`--${flagOf(name)} <value>`, `${meaning} (default: ${fallback}; also ${env})`);
  }
}

/** Reads the settings from the flags, then from the environment. */
export function readSettings({ io, given }: Run): Loaded {
  const flags: Partial<Record<SettingName, string>> = Object.fromEntries(
    FLAGS.flatMap((name) => (typeof given[name] === 'string' ? [[name, given[name]]] : [])),
  );
  const empty = FLAGS.find((name) => flags[name] === '');
  // An empty value counts as absent: the command would use the default, for example another data directory.
  if (empty) return { ok: false, problem: `--${flagOf(empty)} must not be empty` };
  return loadConfig(io.env, flags);
}

/** @throws Failure if a setting is invalid */
export function settingsOf(run: Run): { config: Config; warnings: string[] } {
  const loaded = readSettings(run);
  if (loaded.ok) return loaded;
  // The problem begins with the name of the flag, which is wrong usage, or of the variable, which is not.
  const isFlag = loaded.problem.startsWith('--');
  throw new Failure(isFlag ? 2 : 3, isFlag ? 'invalid_value' : 'configuration', `${loaded.problem}.`);
}
