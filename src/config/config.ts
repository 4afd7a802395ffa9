import { type Config, SETTINGS, type SettingName } from './settings.ts';

export type { Config, SettingName } from './settings.ts';
export { SETTINGS } from './settings.ts';

export type Loaded = { ok: true; config: Config; warnings: string[] } | { ok: false; problem: string };

/** Settings that must be set together. */
const TOGETHER: readonly (readonly [SettingName, SettingName])[] = [
  ['consumerKey', 'consumerSecret'],
  ['s3AccessKeyId', 's3SecretAccessKey'],
];

/** Variables that Kubernetes sets for a service of this name. */
const KUBERNETES: Readonly<Record<string, string>> = {
  LATCHKEY_PORT: 'latchkey',
  LATCHKEY_METRICS_PORT: 'latchkey-metrics',
};

/** `port` for LATCHKEY_PORT. */
export const flagOf = (name: SettingName): string =>
  SETTINGS[name].env.slice('LATCHKEY_'.length).toLowerCase().replaceAll('_', '-');

/**
 * Reads all settings: from flags, then environment variables, then defaults. An empty value counts as absent.
 * An invalid value gives a problem in one line, which names the setting and never repeats a secret.
 */
export function loadConfig(
  env: Readonly<Record<string, string | undefined>>,
  flags: Partial<Record<SettingName, string>> = {},
): Loaded {
  const warnings: string[] = [];
  const config: Record<string, unknown> = {};
  const given: SettingName[] = [];
  const known = new Set<string>(Object.values(SETTINGS).map((one) => one.env));
  for (const name of Object.keys(env)) {
    if (name.startsWith('LATCHKEY_') && !known.has(name))
      warnings.push(`${name} is not a setting of Latchkey and is ignored`);
  }
  const sourceOf = (name: SettingName) =>
    flags[name] === undefined ? SETTINGS[name].env : `--${flagOf(name)}`;
  for (const [name, { env: variable, parse, value, ...about }] of Object.entries(SETTINGS)) {
    const flag = flags[name as SettingName];
    const text = flag ?? env[variable];
    config[name] = value;
    if (text === undefined || text === '') continue;
    const kubernetesService = KUBERNETES[variable];
    if (kubernetesService && flag === undefined && text.startsWith('tcp://')) {
      warnings.push(
        `${variable} is an address that Kubernetes has set for a service named ${kubernetesService}; it is ignored`,
      );
      continue;
    }
    given.push(name as SettingName);
    try {
      config[name] = parse(text);
    } catch (error) {
      const source = sourceOf(name as SettingName);
      const mayShow = !('secret' in about) && !text.includes('@');
      const got = mayShow ? `; it is ${JSON.stringify(text)}` : '';
      return { ok: false, problem: `${source} must be ${(error as Error).message}${got}` };
    }
  }
  for (const [one, other] of TOGETHER) {
    if ((config[one] === null) !== (config[other] === null)) {
      return { ok: false, problem: `${SETTINGS[one].env} and ${SETTINGS[other].env} must be set together` };
    }
  }
  if (config.databaseUrl === null) {
    const useless = (['databaseReplicaUrl', 'databasePooler'] as const).find((name) => config[name]);
    if (useless)
      return { ok: false, problem: `${SETTINGS[useless].env} needs LATCHKEY_DATABASE_URL, which is not set` };
  }
  if (config.nextMasterKey !== null && config.masterKey === null) {
    return { ok: false, problem: 'LATCHKEY_NEXT_MASTER_KEY needs LATCHKEY_MASTER_KEY, which is not set' };
  }
  if (config.metricsPort !== null && config.metricsToken !== null) {
    return {
      ok: false,
      problem:
        'LATCHKEY_METRICS_PORT and LATCHKEY_METRICS_TOKEN must not be set together: a port of its own asks for no token',
    };
  }
  if (config.metricsPort === null && given.includes('metricsHost')) {
    return {
      ok: false,
      problem: `${sourceOf('metricsHost')} needs ${SETTINGS.metricsPort.env}, which is not set`,
    };
  }
  const alone = given.find((name) => name.startsWith('s3'));
  if (config.s3Bucket === null && alone) {
    return { ok: false, problem: `${sourceOf(alone)} needs ${SETTINGS.s3Bucket.env}, which is not set` };
  }
  return { ok: true, config: { ...(config as Config), given }, warnings };
}

/** The address of the server on its own machine, without a trailing slash. */
export function localAddress(config: Pick<Config, 'host'>, port: number): string {
  const host = ['0.0.0.0', '::'].includes(config.host) ? '127.0.0.1' : config.host;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** The address of the console. */
export const consoleAddress = (config: Pick<Config, 'host' | 'baseUrl'>, port: number): string =>
  `${config.baseUrl ?? localAddress(config, port)}/console`;
