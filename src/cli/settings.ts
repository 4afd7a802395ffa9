import type { Command } from 'commander';
import {
  CONFIG_FILE,
  type Config,
  flagOf,
  type Loaded,
  loadConfig,
  SETTINGS,
  type SettingName,
} from '../config/config.ts';
import { Failure } from './failure.ts';
import { Flag } from './flags.ts';
import { note } from './output.ts';
import type { Run } from './run.ts';
import { printable } from './table.ts';

/** All settings that have a flag. Secrets have none: any user who lists processes can read their command lines. */
export const FLAGS = (Object.keys(SETTINGS) as SettingName[]).filter((name) => !('secret' in SETTINGS[name]));
/** The variables of the settings that have no flag. */
export const SECRETS = Object.values(SETTINGS).flatMap((setting) =>
  'secret' in setting ? [setting.env] : [],
);
/** Settings of a command that opens the data directory and does not serve. */
export const LOCAL: readonly SettingName[] = ['dataDir', 'logLevel'];
/**
 * Settings of a command that writes or removes release files. A server with the same settings looks for them in the same
 * place.
 */
export const STORAGE: readonly SettingName[] = [...LOCAL, 's3Bucket', 's3Endpoint', 's3Region', 's3Prefix'];
/** Settings of a command that looks for backups. */
export const BACKUPS: readonly SettingName[] = [...LOCAL, 'backupDir'];

/** Adds the flags of settings, and --config. @param names empty for a command that reads no settings */
export function addSettings(command: Command, names: readonly SettingName[]): void {
  if (names.length === 0) return;
  for (const name of names) {
    const { env, values, meaning, fallback } = SETTINGS[name];
    const flag = `--${flagOf(name)} <${values.placeholder}>`;
    command.addOption(new Flag(flag, `${meaning} (default: ${fallback}; also ${env})`, values.choices));
  }
  command.option(
    '--config <file>',
    `File of settings, in lines like LATCHKEY_PORT=8080 (also ${CONFIG_FILE})`,
  );
}

/** Reads the settings, once in each run. */
export function readSettings(run: Run): Loaded {
  run.settings ??= load(run);
  return run.settings;
}

function load({ io, given }: Run): Loaded {
  const flags: Partial<Record<SettingName, string>> = Object.fromEntries(
    FLAGS.flatMap((name) => (typeof given[name] === 'string' ? [[name, given[name]]] : [])),
  );
  const empty = [...FLAGS, 'config' as const].find((name) => given[name] === '');
  // An empty value counts as absent: the command would use the default, for example another data directory.
  if (empty)
    return { ok: false, problem: `--${empty === 'config' ? empty : flagOf(empty)} must not be empty` };
  return loadConfig(io.env, flags, given.config as string | undefined);
}

/** Returns valid settings, and notes warnings about them. @throws Failure */
export function settingsOf(run: Run): Config {
  const isFirst = run.settings === undefined;
  const { config, warnings } = validSettings(run);
  if (isFirst) for (const warning of warnings) note(run, printable(`Warning: ${warning}.`));
  return config;
}

/** Returns valid settings, and warnings about them. @throws Failure */
export function validSettings(run: Run): { config: Config; warnings: string[] } {
  const loaded = readSettings(run);
  if (loaded.ok) return loaded;
  // The problem begins with a flag, which is wrong usage, or with the name of a variable or a file, which is not.
  const isFlag = loaded.problem.startsWith('--');
  throw new Failure(isFlag ? 2 : 3, isFlag ? 'invalid_value' : 'configuration', `${loaded.problem}.`);
}
