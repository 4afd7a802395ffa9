import { makeCredentials } from '../app/api-keys/credentials.ts';
import type { Config } from '../config/config.ts';
import { openService, type Service, setUpService } from '../installation/service.ts';
import { setupToken } from './console-link.ts';
import { masterKeyNotice, welcome } from './welcome.ts';

/** What a server is started with. */
export interface ServerStart {
  config: Config;
  /** What the log is to warn of. */
  warnings: readonly string[];
  /** The flags that were given, as the variables that they stand for: what it starts is given the same. */
  settings: Readonly<Record<string, string>>;
  print(text: string): void;
}

/**
 * What a start does once before anybody listens, whether one process will serve or several: opens the service, and makes
 * what is missing but for the first API key.
 * @returns what the log is to warn of, too
 */
export async function prepareStart(
  config: Config,
  print: (text: string) => void,
): Promise<{ service: Service; warnings: string[] }> {
  const service = await openService(config);
  if (service.madeMasterKey) print(masterKeyNotice(service.madeMasterKey, config));
  const { configuredIsRevoked } = await setUpService(service, config, null);
  const warnings: string[] = [];
  if (configuredIsRevoked)
    warnings.push('LATCHKEY_CONSUMER_KEY was revoked earlier, or has expired, and is refused; set another');
  if (service.migrated.includes('0001-initial') && !service.madeMasterKey && config.masterKey === null) {
    warnings.push(
      `there was a master key, and no database: a new one was made, ${service.database}. If there was one before, stop and restore it from a backup`,
    );
  }
  return { service, warnings };
}

/**
 * Makes the first API key, where there is none, and a link to set up the console, where nobody can sign in. Once all listen: a start that cannot must not make it, for it is shown once.
 * @returns what to print
 */
export async function completeStart(service: Service, config: Config, port: number): Promise<string> {
  const first = makeCredentials();
  const given = config.consumerKey !== null;
  const madeFirst = !given && (await setUpService(service, config, first)).madeFirst;
  return welcome({ config, port, first: madeFirst ? first : null, setupToken: await setupToken(service) });
}
