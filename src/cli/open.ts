import { hostname, userInfo } from 'node:os';
import type { Config } from '../config/config.ts';
import { type Actor, FIRST_USER } from '../domain/actor.ts';
import { accessNotice } from '../installation/data-directory.ts';
import { migratedLines } from '../installation/migrated.ts';
import { masterKeyAdvice, openForCommand, type Service, setUpIfNew } from '../installation/service.ts';
import { capitalized } from './failure.ts';
import { note } from './output.ts';
import type { Run } from './run.ts';
import { settingsOf } from './settings.ts';
import { printable } from './table.ts';

/** The command line acts as the first owner, with all permissions. */
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
    // In a container the user may have no name.
    return String(process.getuid?.() ?? 'unknown');
  }
}

/** Opens the database, which must exist. */
export const opening = <T>(run: Run, use: (service: Service) => Promise<T>): Promise<T> =>
  withService(run, true, use);

/** Opens the database, and creates it if it does not exist: for commands that make the first record of a kind. */
export const creating = <T>(run: Run, use: (service: Service) => Promise<T>): Promise<T> =>
  withService(run, false, async (service, config) => {
    await setUpIfNew(service, config);
    return use(service);
  });

async function withService<T>(
  run: Run,
  mustExist: boolean,
  use: (service: Service, config: Config) => Promise<T>,
): Promise<T> {
  const config = settingsOf(run);
  // No writer thread: a command has nothing else to do during a change.
  const { service } = await openForCommand(config, { mustExist, writerThread: false });
  try {
    noteWhatWasMade(run, service, config);
    return await use(service, config);
  } finally {
    // Ignore a failure: the change is made, and only its count is lost.
    await service.usage.flush().catch(() => {});
    await service.close();
  }
}

/** Notes what opening the database changed. */
export function noteWhatWasMade(
  run: Run,
  {
    migrated,
    madeMasterKey,
    directoryAccess,
    database,
  }: Pick<Service, 'migrated' | 'madeMasterKey' | 'directoryAccess' | 'database'>,
  config: Pick<Config, 'databaseUrl' | 'dataDir'>,
): void {
  const notice = directoryAccess === 'closed' && accessNotice(config.dataDir, directoryAccess);
  if (notice) note(run, printable(`${capitalized(notice)}.`));
  if (migrated) note(run, migratedLines(printable(database), migrated).join('\n'));
  if (madeMasterKey) note(run, masterKeyAdvice(printable(madeMasterKey), config).join(' '));
}
