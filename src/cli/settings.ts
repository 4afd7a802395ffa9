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
import type { Given, Run } from './run.ts';

/** Secrets get no flag: whoever may list the processes of the machine reads their command lines. */
const FLAGS = (Object.keys(SETTINGS) as SettingName[]).filter((name) => !('secret' in SETTINGS[name]));
/** What a command needs that opens the data directory and serves nobody. */
const LOCAL: readonly SettingName[] = ['dataDir', 'logLevel'];
/** Where the files of releases are: a server that was started with these flags looks for them there. */
const STORAGE: readonly SettingName[] = ['s3Bucket', 's3Endpoint', 's3Region', 's3Prefix'];

export type { Given } from './run.ts';

function addFlags(command: Command, names: readonly SettingName[]): Command {
  for (const name of names) {
    const { env, meaning, fallback } = SETTINGS[name];
    command.option(`--${flagOf(name)} <value>`, `${meaning} (default: ${fallback}; also ${env})`);
  }
  return command;
}

/** A flag for every setting. */
export const addAllSettings = (command: Command): Command => addFlags(command, FLAGS);

/** The flags that every command has. */
export const addCommonFlags = (command: Command): Command =>
  addFlags(command, LOCAL).option('--json', 'Answer in JSON, for scripts');

/** And those of a command that puts or removes files of releases. */
export const addStorageFlags = (command: Command): Command => addFlags(addCommonFlags(command), STORAGE);

/** Those of a command that looks for backups. */
export const addBackupFlags = (command: Command): Command => addFlags(addCommonFlags(command), ['backupDir']);

const textsOf = (given: Given): [SettingName, string][] =>
  FLAGS.flatMap((name) => (typeof given[name] === 'string' ? [[name, given[name]]] : []));

/** The settings of the environment and, above them, those of the flags. */
export function readSettings({ io, given }: Run): Loaded {
  const flags: Partial<Record<SettingName, string>> = Object.fromEntries(textsOf(given));
  const empty = FLAGS.find((name) => flags[name] === '');
  // It would count as not given, and the default, another data directory say, be taken for it.
  if (empty) return { ok: false, problem: `--${flagOf(empty)} must not be empty` };
  return loadConfig(io.env, flags);
}

/** @throws Failure where a setting is bad */
export function settingsOf(run: Run): { config: Config; warnings: string[] } {
  const loaded = readSettings(run);
  if (loaded.ok) return loaded;
  // The problem begins with the name of what is bad: a flag is a wrong use of this command, a variable is not.
  const isFlag = loaded.problem.startsWith('--');
  throw new Failure(isFlag ? 2 : 3, isFlag ? 'invalid_value' : 'configuration', `${loaded.problem}.`);
}
