import assert from 'node:assert/strict';
import { type Credentials, makeCredentials } from '../../src/app/api-keys/credentials.ts';
import type { Deliveries } from '../../src/app/events/deliver.ts';
import { type Config, loadConfig, type SettingName } from '../../src/config/config.ts';
import type { Clock } from '../../src/domain/datetime.ts';
import { TIMEOUTS } from '../../src/http/limits/connections.ts';
import type { ServerOptions } from '../../src/http/server.ts';
import { openService, type Service, type StoreConfig, setUpService } from '../../src/installation/service.ts';
import { type OpenServer, openServer } from '../../src/server/open-server.ts';
import type { Artifacts } from '../../src/storage/storage.ts';
import { databaseUrl, dropDatabase, migratedFolder } from './engine.ts';
import { type Api, createApi } from './http/api.ts';
import { searchLog } from './leaks.ts';

export interface Running extends Api {
  service: Service;
  dataDir: string;
  port: number;
  credentials: Credentials;
  /** Every log line so far, at the lowest level. */
  logs: string[];
  /** Numbers the events, and sends them. */
  deliveries: Deliveries;
  /** Stops the service before the test ends, and removes its database from PostgreSQL. */
  stop(): Promise<void>;
}
export interface Options {
  clock?: Clock;
  /** Milliseconds that a change waits for another process. */
  patience?: number;
  dataDir?: string;
  /** The port to listen on; by default a free one. */
  port?: number;
  /** The credentials of the API key in a given data directory; by default a new API key is created. */
  credentials?: Credentials;
  /** Settings of the storage of release files. */
  storage?: Partial<StoreConfig>;
  server?: Partial<Config> & Pick<ServerOptions, 'timeouts' | 'consoleFolder'>;
  /** Settings that the console shows. */
  settings?: Partial<Config>;
  /** Returns a replacement for the server's storage, for faults that are hard to provoke. */
  artifacts?: (own: Artifacts) => Artifacts;
}

/** No limits: tests fail often on purpose. A test of a limit sets it. */
const FOR_TESTS: Partial<Config> = {
  logLevel: 'trace',
  rateLimit: 0,
  apiKeyRateLimit: 0,
  failureLimit: 0,
  signInLimit: 0,
  maxConnections: 10_000,
};

/** On a busy machine a connection to PostgreSQL takes longer than the 1.5 seconds that a request waits for it. */
export const PATIENT = { connectTimeout: 60_000 };

/** Returns the settings for a data directory, with defaults for everything else. */
export function storeConfig(dataDir: string): Config {
  const loaded = loadConfig({});
  assert.ok(loaded.ok);
  return { ...loaded.config, dataDir };
}

/** Returns the same settings with the database of the engine under test. */
export const engineConfig = async (dataDir: string): Promise<Config> => ({
  ...storeConfig(dataDir),
  databaseUrl: await databaseUrl(dataDir),
});

/**
 * Starts the service in this process, with its own database and by default on a free port. It stops after the test.
 * With `{ after }` of node:test at the top of a file, the tests of the file share it.
 */
export async function startService(
  t: { after(stop: () => Promise<void>): void },
  options: Options = {},
): Promise<Running> {
  const dataDir = options.dataDir ?? (await migratedFolder());
  const { clock, patience } = options;
  const config = { ...(await engineConfig(dataDir)), ...FOR_TESTS, ...options.storage };
  const service = await openService(config, {
    ...(clock && { clock }),
    ...PATIENT,
    ...(patience !== undefined && { patience }),
  });
  // This process alone uses the database, and knows its own changes at once.
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
      // Only the tests' own clients have connections.
      timeouts: timeouts ?? { ...TIMEOUTS, leaving: 0 },
      ...(consoleFolder !== undefined && { consoleFolder }),
    },
  );
  const { deliveries } = server;
  const port = await server.listen(options.port ?? 0);
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= stopAll());
  async function stopAll(): Promise<void> {
    await server?.stop();
    // The test file and what it references stay in memory while its process runs other files.
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
    stop,
  };
}
