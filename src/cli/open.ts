import { hostname, userInfo } from 'node:os';
import { FIRST_USER } from '../app/people/set-up.ts';
import type { Config } from '../config/config.ts';
import type { Actor } from '../domain/actor.ts';
import type { Host, Service } from './host.ts';
import { note, type Style } from './output.ts';
import { type Given, settingsOf } from './settings.ts';
import { printable } from './table.ts';

/** The command line acts as the owner, with every right. */
export const OWNER: Actor = {
  userId: FIRST_USER,
  via: 'cli',
  apiKeyId: null,
  origin: `${systemUser()}@${hostname()}`,
  products: null,
};

function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    // In a container the user may have a number and no name.
    return String(process.getuid?.() ?? 'unknown');
  }
}

/** Opens the database to look things up, or to change what is there: where there is none, none is made. */
export const reading = <T>(host: Host, given: Given, run: (service: Service) => Promise<T>): Promise<T> =>
  withService(host, given, true, run);

/** Opens the database to add things, and makes it where it is missing. */
export const changing = <T>(host: Host, given: Given, run: (service: Service) => Promise<T>): Promise<T> =>
  withService(host, given, false, async (service, config) => {
    // Only where it is missing: setting up waits for the lock.
    if (!(await service.store.read.users.exists(FIRST_USER))) await host.setUpService(service, config, null);
    return run(service);
  });

async function withService<T>(
  host: Host,
  given: Given,
  mustExist: boolean,
  run: (service: Service, config: Config) => Promise<T>,
): Promise<T> {
  const { config } = settingsOf(given);
  const service = await host.openService(config, { mustExist });
  try {
    tellWhatWasMade(styleOf(given), service, config);
    return await run(service, config);
  } finally {
    await service.close();
  }
}

export const styleOf = (given: Given): Style => ({ json: given.json === true });

/** Says what opening a database has changed. */
export function tellWhatWasMade(
  style: Style,
  { migrated, madeMasterKey, database }: Pick<Service, 'migrated' | 'madeMasterKey' | 'database'>,
  config: Pick<Config, 'databaseUrl'>,
): void {
  if (migrated.length > 0) note(style, `Applied to ${printable(database)}: ${migrated.join(', ')}.`);
  if (madeMasterKey) note(style, masterKeyWords(madeMasterKey, config));
}

/** What whoever has just got a master key must know. */
export const masterKeyWords = (file: string, { databaseUrl }: Pick<Config, 'databaseUrl'>): string =>
  [
    `All license keys are encrypted under ${printable(file)}. Back that file up, apart from the database: without it no license can ever be read again.`,
    ...(databaseUrl === null ? [] : ['Every other node of this database needs the same key.']),
  ].join(' ');
