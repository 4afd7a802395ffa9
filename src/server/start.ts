import { accessSync, constants } from 'node:fs';
import type { FastifyBaseLogger } from 'fastify';
import { makeCredentials } from '../app/api-keys/credentials.ts';
import { makeLinkToken } from '../app/people/session-tokens.ts';
import { commandName } from '../config/command-name.ts';
import type { Config } from '../config/config.ts';
import { VERSION } from '../config/version.ts';
import { FIRST_USER, SYSTEM } from '../domain/actor.ts';
import { accessNotice, ownerNotice } from '../installation/data-directory.ts';
import { isNewDatabase, migratedLines } from '../installation/migrated.ts';
import { masterKeyAdvice, openService, type Service, setUpService } from '../installation/service.ts';
import { secretsFile } from './first-start.ts';
import { secretsElsewhere, welcome } from './welcome.ts';

/** The input of a server start. */
export interface ServerStart {
  config: Config;
  /** Warnings for the log. */
  warnings: readonly string[];
  /** Resolves when the text is written. */
  print(text: string): Promise<void>;
}

/**
 * Opens the service and creates what is missing, except the first API key. Runs once, before any process listens.
 * @returns further warnings for the log
 */
export async function prepareStart(
  config: Config,
  print: ServerStart['print'],
): Promise<{ service: Service; warnings: string[] }> {
  // Only a warning: root can open every file, and in a container the folder is often another user's. Before opening, which
  // may create a database of root.
  const foreign = ownerNotice(config.dataDir);
  const service = await openService(config);
  const { migrated, madeMasterKey } = service;
  // SQLite opens a database whose log a crash has left, although it cannot make another log in this folder.
  if (config.databaseUrl === null) accessSync(config.dataDir, constants.W_OK);
  const isNew = migrated !== null && isNewDatabase(migrated);
  const done = [
    ...(migrated && !isNew ? migratedLines(service.database, migrated) : []),
    ...(madeMasterKey ? masterKeyAdvice(madeMasterKey, config) : []),
  ];
  if (done.length > 0) await print(['', ...done].join('\n  '));
  const { configuredIsRevoked } = await setUpService(service, config, null);
  const warnings: string[] = foreign === null ? [] : [foreign];
  await service.store.rewriteIfDue().catch((error) => {
    warnings.push(
      `the database file still holds old values of converted rows, and the next start tries to remove them: ${(error as Error).message}`,
    );
  });
  const notice = accessNotice(config.dataDir, service.directoryAccess);
  if (notice) warnings.push(notice);
  if (configuredIsRevoked)
    warnings.push(
      'the API key in LATCHKEY_CONSUMER_KEY was revoked or has expired, and is refused: set another one',
    );
  if (isNew && !madeMasterKey && config.masterKey === null) {
    warnings.push(
      `found a master key but no database, and created ${service.database}. If there was a database before, stop the server and restore it from a backup`,
    );
  }
  return { service, warnings };
}

/** Logs the warnings of a start, and the migrations that it has applied. */
export function logStart(
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>,
  { migrated }: Pick<Service, 'migrated'>,
  warnings: readonly string[],
): void {
  for (const warning of warnings) log.warn(warning);
  if (!migrated) return;
  const { names: migrations, from, seconds } = migrated;
  const done = isNewDatabase(migrated) ? 'the database was set up' : 'the database was migrated';
  log.info({ event: 'migrated', from, to: VERSION, migrations, seconds }, done);
}

/**
 * Creates the first API key if there is none, and a link to set up the console if nobody can sign in. Call it after all
 * processes listen: the key is shown only once, so a start that fails must not create it.
 * @returns the text to print
 */
export async function completeStart(service: Service, config: Config, port: number): Promise<string> {
  const setupLink = await setupToken(service);
  const file = secretsFile(config);
  // Check before creating the key: nobody could read the key if the file cannot be written.
  if (setupLink !== null) file?.check();
  const first = makeCredentials();
  const given = config.consumerKey !== null;
  const madeFirst = !given && (await setUpService(service, config, first)).madeFirst;
  const { addresses, secrets } = welcome({
    config,
    port,
    setupToken: setupLink,
    first: madeFirst ? first : null,
    command: commandName(process.env),
  });
  if (file === null || secrets === '') return [addresses, secrets].join('\n');
  file.append(`Latchkey was started at ${new Date().toISOString()}.\n\n${secrets}\n`);
  return [addresses, secretsElsewhere(file.path)].join('\n');
}

/**
 * Creates the token for the link with which the first owner sets up the console; null if there is an owner already. Each
 * start creates a new token, which replaces the previous one.
 */
export async function setupToken({ store, execute }: Service): Promise<string | null> {
  if (await store.read.users.areSetUp()) return null;
  const { token, tokenHash } = makeLinkToken();
  const made = await execute('invite-user', { userId: FIRST_USER, purpose: 'setup', tokenHash }, SYSTEM);
  return made.ok ? token : null;
}
