import { hostname, userInfo } from 'node:os';
import { FIRST_USER } from '../app/people/set-up.ts';
import type { Config } from '../config/config.ts';
import type { Actor } from '../domain/actor.ts';
import { openService, type Service, setUpService } from '../installation/service.ts';
import { note } from './output.ts';
import type { Run } from './run.ts';
import { settingsOf } from './settings.ts';
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
export const reading = <T>(run: Run, use: (service: Service) => Promise<T>): Promise<T> =>
  withService(run, true, use);

/** Opens the database to add things, and makes it where it is missing. */
export const changing = <T>(run: Run, use: (service: Service) => Promise<T>): Promise<T> =>
  withService(run, false, async (service, config) => {
    // Only where it is missing: setting up waits for the lock.
    if (!(await service.store.read.users.exists(FIRST_USER))) await setUpService(service, config, null);
    return use(service);
  });

async function withService<T>(
  run: Run,
  mustExist: boolean,
  use: (service: Service, config: Config) => Promise<T>,
): Promise<T> {
  const { config } = settingsOf(run);
  const service = await openService(config, { mustExist });
  try {
    tellWhatWasMade(run, service, config);
    return await use(service, config);
  } finally {
    await service.close();
  }
}

/** Says what opening a database has changed. */
export function tellWhatWasMade(
  run: Run,
  { migrated, madeMasterKey, database }: Pick<Service, 'migrated' | 'madeMasterKey' | 'database'>,
  config: Pick<Config, 'databaseUrl'>,
): void {
  if (migrated.length > 0) note(run, `Applied to ${printable(database)}: ${migrated.join(', ')}.`);
  if (madeMasterKey) note(run, masterKeyWords(madeMasterKey, config));
}

/** What whoever has just got a master key must know. */
export const masterKeyWords = (file: string, { databaseUrl }: Pick<Config, 'databaseUrl'>): string =>
  [
    `All license keys are encrypted under ${printable(file)}. Back that file up, apart from the database: without it no license can ever be read again.`,
    ...(databaseUrl === null ? [] : ['Every other node of this database needs the same key.']),
  ].join(' ');
