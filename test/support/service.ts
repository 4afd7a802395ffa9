import assert from 'node:assert/strict';
import { type AddressCounts, createAddressCounts } from '../../src/app/api-keys/address-counts.ts';
import { type Credentials, makeCredentials } from '../../src/app/api-keys/credentials.ts';
import { createLastAccess } from '../../src/app/api-keys/last-access.ts';
import type { Clock } from '../../src/app/execute.ts';
import { SYSTEM } from '../../src/app/people/set-up.ts';
import { createUsageCounter } from '../../src/app/reports/usage.ts';
import { type Config, loadConfig, type SettingName } from '../../src/config/config.ts';
import { createServer, type ServerOptions } from '../../src/http/server.ts';
import { describeInstallation } from '../../src/installation/describe.ts';
import { openService, type Service, type StoreConfig, setUpService } from '../../src/installation/service.ts';
import { portOf } from '../../src/server/open-server.ts';
import type { Artifacts } from '../../src/storage/storage.ts';
import { type Api, createApi } from './api.ts';
import { copyMigrated, databaseUrl, dropDatabase } from './engine.ts';
import { temporaryFolder } from './folder.ts';
import { searchLog } from './leaks.ts';

export interface Running extends Api {
  service: Service;
  dataDir: string;
  port: number;
  credentials: Credentials;
  /** Every log line so far, at the lowest level. */
  logs: string[];
  /** Writes down now when API keys were last used. */
  flushLastAccess(): Promise<void>;
  /** Writes down now what was counted. */
  flushUsage(): Promise<void>;
  /** Writes down now from how many addresses. */
  flushAddressCounts(): ReturnType<AddressCounts['flush']>;
}
export interface Options {
  clock?: Clock;
  /** Milliseconds that a change waits for another process. */
  patience?: number;
  dataDir?: string;
  /** Settings of where the files of releases are. */
  storage?: Partial<StoreConfig>;
  server?: Partial<ServerOptions>;
  /** Settings that the console is to show. */
  settings?: Partial<Config>;
  /** What the server has in the place of its storage, for faults that are hard to come by. */
  artifacts?: (own: Artifacts) => Artifacts;
}

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
 * The service in this process, listening on a free port, on a database of its own; stopped after the test.
 * With `{ after }` of node:test at the top of a file, it is shared by the tests of the file.
 */
export async function startService(
  t: { after(stop: () => Promise<void>): void },
  options: Options = {},
): Promise<Running> {
  const dataDir = options.dataDir ?? temporaryFolder();
  if (options.dataDir === undefined) await copyMigrated(dataDir);
  const { clock, patience } = options;
  const config = { ...(await engineConfig(dataDir)), ...options.storage };
  const service = await openService(config, {
    ...(clock && { clock }),
    ...(patience !== undefined && { patience }),
  });
  const credentials = makeCredentials();
  await setUpService(service, credentials, null).catch(async (error) => {
    await service.close();
    throw error;
  });
  const lastAccess = createLastAccess(service.execute, service.clock, SYSTEM);
  const usage = createUsageCounter(service.execute, service.clock, SYSTEM);
  const addressCounts = createAddressCounts(service.execute, service.clock, SYSTEM);
  const logs: string[] = [];
  const app = await createServer(
    {
      ...service,
      ...(options.artifacts && { artifacts: options.artifacts(service.artifacts) }),
      lastAccess,
      usage,
      addressCounts,
      installation: describeInstallation(
        { ...config, ...options.settings, given: Object.keys(options.settings ?? {}) as SettingName[] },
        service,
      ),
    },
    {
      baseUrl: null,
      restPrefix: 'wp-json',
      trustProxy: false,
      corsOrigins: '*',
      rateLimit: 0,
      apiKeyRateLimit: 0,
      // Tests fail a lot on purpose; those of the limit set it.
      failureLimit: 0,
      signInLimit: 0,
      maxConnections: 10_000,
      downloadHours: 24,
      logLevel: 'trace',
      logTo: { write: (line) => void logs.push(line) },
      version: '0.0.0',
      ...options.server,
    },
  );
  await app.listen({ host: '127.0.0.1', port: 0 });
  t.after(async () => {
    await app.close();
    await service.close();
    await dropDatabase(dataDir);
    searchLog(logs.join(''));
  });
  const port = portOf(app);
  const prefix = options.server?.restPrefix ?? 'wp-json';
  const api = createApi(`http://127.0.0.1:${port}/${prefix}/dlm/v1`, credentials);
  return {
    ...api,
    service,
    dataDir,
    port,
    credentials,
    logs,
    flushLastAccess: lastAccess.flush,
    flushUsage: usage.flush,
    flushAddressCounts: addressCounts.flush,
  };
}
