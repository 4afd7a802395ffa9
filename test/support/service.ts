import assert from 'node:assert/strict';
import { type Credentials, makeCredentials } from '../../src/app/api-keys/credentials.ts';
import type { Deliveries } from '../../src/app/events/deliver.ts';
import { type Config, loadConfig, type SettingName } from '../../src/config/config.ts';
import type { Clock } from '../../src/domain/datetime.ts';
import type { ServerOptions } from '../../src/http/server.ts';
import { openService, type Service, type StoreConfig, setUpService } from '../../src/installation/service.ts';
import { type OpenServer, openServer } from '../../src/server/open-server.ts';
import type { Artifacts } from '../../src/storage/storage.ts';
import { copyMigrated, databaseUrl, dropDatabase } from './engine.ts';
import { temporaryFolder } from './folder.ts';
import { type Api, createApi } from './http/api.ts';
import { searchLog } from './leaks.ts';

export interface Running extends Api {
  service: Service;
  dataDir: string;
  port: number;
  credentials: Credentials;
  /** Every log line so far, at the lowest level. */
  logs: string[];
  /** Gives events their places, and sends them. */
  deliveries: Deliveries;
  /** Writes down now when API keys were last used. */
  flushLastAccess(): Promise<void>;
  /** Writes down now what was counted. */
  flushUsage(): Promise<void>;
  /** Stops it before the test ends, and removes its database from PostgreSQL. */
  stop(): Promise<void>;
}
export interface Options {
  clock?: Clock;
  /** Milliseconds that a change waits for another process. */
  patience?: number;
  dataDir?: string;
  /** Where it listens; on a free port when absent. */
  port?: number;
  /** Of the API key that a given data directory has; otherwise one is made. */
  credentials?: Credentials;
  /** Settings of where the files of releases are. */
  storage?: Partial<StoreConfig>;
  server?: Partial<Config> & Pick<ServerOptions, 'timeouts' | 'consoleFolder'>;
  /** Settings that the console is to show. */
  settings?: Partial<Config>;
  /** What the server has in the place of its storage, for faults that are hard to come by. */
  artifacts?: (own: Artifacts) => Artifacts;
}

/** Tests fail a lot on purpose; those of a limit set it. */
const FOR_TESTS: Partial<Config> = {
  logLevel: 'trace',
  rateLimit: 0,
  apiKeyRateLimit: 0,
  failureLimit: 0,
  signInLimit: 0,
  maxConnections: 10_000,
};

/** The settings of a data directory, all others as they are when nobody sets them. */
export function storeConfig(dataDir: string): Config {
  const loaded = loadConfig({});
  assert.ok(loaded.ok);
  return { ...loaded.config, dataDir };
}

/** The same, with the database of the engine under test. */
export const engineConfig = async (dataDir: string): Promise<Config> => ({
  ...storeConfig(dataDir),
  databaseUrl: await databaseUrl(dataDir),
});

/**
 * The service in this process, by default listening on a free port, on a database of its own; stopped after the test.
 * With `{ after }` of node:test at the top of a file, it is shared by the tests of the file.
 */
export async function startService(
  t: { after(stop: () => Promise<void>): void },
  options: Options = {},
): Promise<Running> {
  const dataDir = options.dataDir ?? temporaryFolder();
  if (options.dataDir === undefined) await copyMigrated(dataDir);
  const { clock, patience } = options;
  const config = { ...(await engineConfig(dataDir)), ...FOR_TESTS, ...options.storage };
  const service = await openService(config, {
    ...(clock && { clock }),
    // On a loaded machine a connection takes longer than the second and a half for which a request waits.
    connectTimeout: 60_000,
    ...(patience !== undefined && { patience }),
  });
  // One process has the database, and knows its own changes at once.
  service.store.settled = async () => {};
  const credentials = options.credentials ?? makeCredentials();
  await setUpService(service, credentials, null).catch(async (error) => {
    await service.close();
    throw error;
  });
  const logs: string[] = [];
  const { timeouts, consoleFolder, ...overrides } = options.server ?? {};
  let server: OpenServer | undefined = await openServer(
    options.artifacts ? { ...service, artifacts: options.artifacts(service.artifacts) } : service,
    {
      ...config,
      ...options.settings,
      ...overrides,
      given: Object.keys(options.settings ?? {}) as SettingName[],
    },
    {
      logTo: { write: (line) => void logs.push(line) },
      ...(timeouts && { timeouts }),
      ...(consoleFolder !== undefined && { consoleFolder }),
    },
  );
  const { deliveries, lastAccess } = server;
  const port = await server.listen(options.port ?? 0);
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= stopAll());
  async function stopAll(): Promise<void> {
    await server?.stop();
    // The test file stays loaded while its process runs others, and what it refers to, too.
    server = undefined;
    await dropDatabase(dataDir);
    searchLog(logs.join(''));
  }
  t.after(async () => {
    await stop();
    logs.length = 0;
  });
  const prefix = options.server?.restPrefix ?? 'wp-json';
  const api = createApi(`http://127.0.0.1:${port}/${prefix}/dlm/v1`, credentials);
  return {
    ...api,
    service,
    dataDir,
    port,
    credentials,
    logs,
    deliveries,
    flushLastAccess: lastAccess.flush,
    flushUsage: service.usage.flush,
    stop,
  };
}
