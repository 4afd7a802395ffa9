import { makeCredentials } from '../app/api-keys/credentials.ts';
import { makeLinkToken } from '../app/people/session-tokens.ts';
import { FIRST_USER, SYSTEM } from '../app/people/set-up.ts';
import type { Config } from '../config/config.ts';
import { openService, type Service, setUpService } from '../installation/service.ts';
import { masterKeyNotice, welcome } from './welcome.ts';

/** What a server is started with. */
export interface ServerStart {
  config: Config;
  /** What the log is to warn of. */
  warnings: readonly string[];
  print(text: string): void;
}

/**
 * Does what a start does once before any process listens: opens the service and makes what is missing, but not the first
 * API key.
 * @returns more warnings for the log
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
 * Makes the first API key, where there is none, and a link to set up the console, where nobody can sign in. Call it when all
 * processes listen: the key is shown only once, so a start that fails must not make it.
 * @returns what to print
 */
export async function completeStart(service: Service, config: Config, port: number): Promise<string> {
  const first = makeCredentials();
  const given = config.consumerKey !== null;
  const madeFirst = !given && (await setUpService(service, config, first)).madeFirst;
  return welcome({ config, port, first: madeFirst ? first : null, setupToken: await setupToken(service) });
}

/**
 * Makes the token in the link by which the first owner sets up the console. Each start makes another, and the token of the
 * start before stops working. Null when there is an owner.
 */
export async function setupToken({ store, execute }: Service): Promise<string | null> {
  if (await store.read.users.areSetUp()) return null;
  const { token, tokenHash } = makeLinkToken();
  const made = await execute('invite-user', { userId: FIRST_USER, purpose: 'setup', tokenHash }, SYSTEM);
  return made.ok ? token : null;
}
