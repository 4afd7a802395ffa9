import { closestMatch } from 'leven';
import { InvalidSettings, isReadableByAll, readConfigFile, readSecretFile } from './config-file.ts';
import { type Config, SETTINGS, type SettingName } from './settings.ts';

export type { Config, SettingName } from './settings.ts';
export { SETTINGS } from './settings.ts';

export type Loaded = { ok: true; config: Config; warnings: string[] } | { ok: false; problem: string };
type Variables = Readonly<Record<string, string | undefined>>;

/** The variable that names the configuration file, as `--config` does. */
export const CONFIG_FILE = 'LATCHKEY_CONFIG';

/** Settings that must be set together. */
const TOGETHER: readonly (readonly [SettingName, SettingName])[] = [
  ['consumerKey', 'consumerSecret'],
  ['s3AccessKeyId', 's3SecretAccessKey'],
];

/** Returns the flag of a setting, without the dashes: `port` for LATCHKEY_PORT. */
export const flagOf = (name: SettingName): string =>
  SETTINGS[name].env.slice('LATCHKEY_'.length).toLowerCase().replaceAll('_', '-');

/** Returns the variable that names a file with the value of a secret; null for other settings. */
export const fileVariableOf = (name: SettingName): string | null =>
  'secret' in SETTINGS[name] ? `${SETTINGS[name].env}_FILE` : null;

const NAMES = Object.keys(SETTINGS) as SettingName[];
const VARIABLES = NAMES.flatMap((name) => [SETTINGS[name].env, fileVariableOf(name) ?? []].flat());

/**
 * Reads all settings: from flags, then environment variables, then the configuration file, then defaults. An empty value
 * counts as absent. An invalid value gives a problem in one line, which names the setting and never repeats a secret.
 * @param file the configuration file, if `--config` names it
 */
export function loadConfig(
  env: Variables,
  flags: Partial<Record<SettingName, string>> = {},
  file: string | undefined = env[CONFIG_FILE] || undefined,
): Loaded {
  const warnings = unknownVariables(env);
  try {
    return { ok: true, config: readConfig(env, flags, file, warnings), warnings };
  } catch (error) {
    if (error instanceof InvalidSettings) return { ok: false, problem: error.message };
    throw error;
  }
}

/** A value as text, and where it comes from, for messages. */
interface Given {
  text: string;
  source: string;
  /** Whether the source names a file that holds the text. */
  isFile?: true;
}

/** Reads all settings and checks them. @throws InvalidSettings */
function readConfig(
  env: Variables,
  flags: Partial<Record<SettingName, string>>,
  file: string | undefined,
  warnings: string[],
): Config {
  const inFile = file === undefined ? {} : readConfigFile(file, refusalOf);
  const open = NAMES.find((name) => 'secret' in SETTINGS[name] && inFile[SETTINGS[name].env]);
  if (file !== undefined && open && isReadableByAll(file))
    warnings.push(
      `${file} holds ${SETTINGS[open].env}, and every user of this machine can read it: close it (chmod o-r ${file})`,
    );
  const ofKubernetes = VARIABLES.filter((name) => name.endsWith('_PORT') && isAddress(env[name]));
  for (const name of ofKubernetes) {
    const service = name.slice(0, -'_PORT'.length).toLowerCase().replaceAll('_', '-');
    warnings.push(
      `${name} is an address that Kubernetes has set for a service named ${service}; it is ignored`,
    );
  }
  const variables = { ...env, ...Object.fromEntries(ofKubernetes.map((name) => [name, undefined])) };
  const config: Record<string, unknown> = {};
  const given = new Map<SettingName, Given>();
  for (const name of NAMES) {
    const { values, value, ...about } = SETTINGS[name];
    const found = flags[name]
      ? { text: flags[name], source: `--${flagOf(name)}` }
      : (givenIn(variables, name, '') ?? givenIn(inFile, name, ` in ${file}`));
    config[name] = value;
    if (!found) continue;
    given.set(name, found);
    config[name] = values.parse(found.text);
    if (config[name] !== undefined) continue;
    const mayShow = !('secret' in about) && !found.text.includes('@');
    const got = mayShow ? `; it is ${JSON.stringify(found.text)}` : '';
    const must = found.isFile ? 'must name a file with' : 'must be';
    throw new InvalidSettings(`${found.source} ${must} ${values.form}${got}`);
  }
  checkTogether(config as Config, (name) => given.get(name)?.source);
  return { ...(config as Config), given: [...given.keys()] };
}

/**
 * Returns the value that variables give to a setting; null for none.
 * @param place follows the name of the variable in messages
 */
function givenIn(variables: Variables, name: SettingName, place: string): Given | null {
  const [variable, fileVariable] = [SETTINGS[name].env, fileVariableOf(name)];
  const text = variables[variable];
  const path = fileVariable && variables[fileVariable];
  if (text && path)
    throw new InvalidSettings(
      `${variable} and ${fileVariable}${place} cannot both be set: unset one of them`,
    );
  if (text) return { text, source: `${variable}${place}` };
  const source = `${fileVariable}${place}`;
  return path ? { text: readSecretFile(path, source), source, isFile: true } : null;
}

/** Checks settings that depend on each other. @throws InvalidSettings */
function checkTogether(config: Config, sourceOf: (name: SettingName) => string | undefined): void {
  const needs = (name: SettingName, other: SettingName) => {
    throw new InvalidSettings(`${sourceOf(name)} needs ${SETTINGS[other].env}, which is not set`);
  };
  for (const [one, other] of TOGETHER) {
    if ((config[one] === null) !== (config[other] === null))
      throw new InvalidSettings(`${SETTINGS[one].env} and ${SETTINGS[other].env} must be set together`);
  }
  const useless = (['databaseReplicaUrl', 'databasePooler'] as const).find((name) => config[name]);
  if (config.databaseUrl === null && useless) needs(useless, 'databaseUrl');
  if (config.nextMasterKey !== null && config.masterKey === null) needs('nextMasterKey', 'masterKey');
  const alone = NAMES.find((name) => name.startsWith('s3') && sourceOf(name) !== undefined);
  if (config.s3Bucket === null && alone) needs(alone, 's3Bucket');
  if (config.metricsPort !== null && config.metricsToken !== null)
    throw new InvalidSettings(
      'LATCHKEY_METRICS_PORT and LATCHKEY_METRICS_TOKEN must not be set together: a port of its own asks for no token',
    );
  if (config.metricsPort && config.metricsPort === config.port)
    throw new InvalidSettings(
      'LATCHKEY_METRICS_PORT must not be LATCHKEY_PORT: metrics have a port of their own',
    );
  if (config.metricsPort === null && sourceOf('metricsHost') !== undefined)
    needs('metricsHost', 'metricsPort');
}

/** Matches the variables that Kubernetes sets for each service whose name begins with latchkey. */
const OF_KUBERNETES =
  /^LATCHKEY_(\w+_)?(SERVICE_(HOST|PORT(_\w+)?)|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)$/;
const isAddress = (value: string | undefined): boolean => /^(tcp|udp|sctp):\/\//.test(value ?? '');

const unknownVariables = (env: Variables): string[] =>
  Object.keys(env).flatMap((name) => {
    if (!name.startsWith('LATCHKEY_')) return [];
    if (OF_KUBERNETES.test(name) || isAddress(env[name])) return [];
    return refusalOf(name, [...VARIABLES, CONFIG_FILE]) ?? [];
  });

/** Maximum number of edits between a misspelled name and the suggested one. */
const EDITS_MAX = 2;

/** Returns a message that a name is not a setting, and which one may be meant; null if the name is a setting. */
function refusalOf(name: string, known = VARIABLES): string | null {
  if (known.includes(name)) return null;
  const meant = closestMatch(name, known, { maxDistance: EDITS_MAX });
  return `${name} is not a setting of Latchkey${meant ? ` (did you mean ${meant}?)` : ''}`;
}

/** Returns the address of the server on its own machine, without a trailing slash. */
export function localAddress(config: Pick<Config, 'host'>, port: number): string {
  const host = ['0.0.0.0', '::'].includes(config.host) ? '127.0.0.1' : config.host;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Returns the address of the console. */
export const consoleAddress = (config: Pick<Config, 'host' | 'baseUrl'>, port: number): string =>
  `${config.baseUrl ?? localAddress(config, port)}/console`;
