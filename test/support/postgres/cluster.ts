import { randomBytes } from 'node:crypto';
import { after, type TestContext } from 'node:test';
import pg from 'pg';
import { type Credentials, makeCredentials } from '../../../src/app/api-keys/credentials.ts';
import type { Config } from '../../../src/config/config.ts';
import { openService, type Service } from '../../../src/installation/service.ts';
import { temporaryFolder } from '../folder.ts';
import { type RunningProcess, runLatchkey, startProcess } from '../process.ts';
import { storeConfig } from '../service.ts';
import { type PostgresServer, startPostgres } from './postgres.ts';

type Environment = Record<string, string>;

export type Nodes = [RunningProcess, RunningProcess, ...RunningProcess[]];

/** Nodes of one installation: they share a database, a master key, and the API key of the settings. */
export interface Cluster {
  server: PostgresServer;
  database: string;
  credentials: Credentials;
  /** Starts a node, which is killed after the test. */
  node(env?: Environment): Promise<RunningProcess>;
  nodes(count: number, env?: Environment): Promise<Nodes>;
  /** Opens the same database in this process, for what no request can do. */
  service(settings?: Partial<Config>): Promise<Service>;
  /** Runs the command line as an operator would beside a node. */
  cli(args: string[], env?: Environment, input?: string): ReturnType<typeof runLatchkey>;
}

/** Starts a server for the tests of a file, which stops after them. */
export async function serverOfFile(settings: Record<string, string> = {}): Promise<PostgresServer> {
  const server = await startPostgres({ settings });
  after(() => server.stop('immediate'));
  return server;
}

/**
 * Creates an empty database on the server, for nodes of one installation.
 * @param options.url returns the address of the database for the nodes, if they do not connect to the server directly
 */
export async function createCluster(
  t: TestContext,
  server: PostgresServer,
  options: { url?: (database: string) => string; env?: Environment } = {},
): Promise<Cluster> {
  const database = `latchkey_${randomBytes(6).toString('hex')}`;
  await server.query(`create database ${database}`);
  const credentials = makeCredentials();
  const env = {
    LATCHKEY_DATABASE_URL: (options.url ?? server.url)(database),
    LATCHKEY_MASTER_KEY: randomBytes(32).toString('hex'),
    LATCHKEY_LOG_LEVEL: 'warn',
    // Tests often ask again and again for records that do not exist.
    LATCHKEY_FAILURE_LIMIT: '0',
    ...options.env,
  };
  const node = (more: Environment = {}) =>
    startProcess(t, temporaryFolder(), { credentials, env: { ...env, ...more } });
  return {
    server,
    database,
    credentials,
    node,
    nodes: async (count, more) =>
      (await Promise.all(Array.from({ length: count }, () => node(more)))) as Nodes,
    async service(settings = {}) {
      const service = await openService({
        ...storeConfig(temporaryFolder()),
        databaseUrl: server.url(database),
        masterKey: Buffer.from(env.LATCHKEY_MASTER_KEY, 'hex'),
        ...settings,
      });
      t.after(() => service.close());
      return service;
    },
    cli: (args, more = {}, input = '') =>
      runLatchkey(args, { env: { ...env, LATCHKEY_DATA_DIR: temporaryFolder(), ...more }, input }),
  };
}

/** Opens a connection for locks that the test holds. */
export async function connectTo(
  t: TestContext,
  server: PostgresServer,
  database: string,
): Promise<pg.Client> {
  const client = new pg.Client(server.url(database));
  client.on('error', () => {});
  await client.connect();
  t.after(() => client.end().catch(() => {}));
  return client;
}

/** Returns the only value of a query. */
export async function single(server: PostgresServer, database: string, sql: string): Promise<unknown> {
  const { rows } = await server.query(sql, database);
  return Object.values(rows[0] ?? {})[0];
}

/** Waits until a condition holds. @throws Error if it does not hold within `ms` milliseconds */
export async function until(what: string, isSo: () => Promise<boolean>, ms = 60_000): Promise<void> {
  for (const end = performance.now() + ms; !(await isSo()); await pause(10)) {
    if (performance.now() > end) throw new Error(`timed out after ${ms} ms: ${what}`);
  }
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
