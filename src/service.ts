import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Credentials, hashCredentials } from './app/credentials.ts';
import { createDownloadTokens } from './app/download-tokens.ts';
import { type Clock, createExecute, runJob, type Services } from './app/execute.ts';
import { FIRST_USER, type SetUpDone } from './app/set-up.ts';
import type { Config } from './config.ts';
import type { Actor } from './domain/actor.ts';
import { createArtifacts } from './storage/artifacts.ts';
import { createLocalStore } from './storage/local.ts';
import type { Artifacts, ByteStore } from './storage/storage.ts';
import { deriveKey } from './store/keyring.ts';
import { makeMasterKey, masterKeyFile, readMasterKey } from './store/master-key.ts';
import { openSqlite, prepareSqlite } from './store/sqlite/store.ts';
import type { Store } from './store/store.ts';

/** Milliseconds that a change waits while another process holds the database. */
const PATIENCE_MS = 15_000;
/** Beside this module, as source or compiled. */
const WRITER = new URL(
  import.meta.url.endsWith('.ts') ? './writer-thread.ts' : './writer-thread.js',
  import.meta.url,
);

export const databaseFile = (dataDir: string): string => join(dataDir, 'latchkey.db');

/** What opening a data directory takes of the settings. */
export type StoreConfig = Pick<
  Config,
  | 'dataDir'
  | 'databaseUrl'
  | 'databaseConnections'
  | 'databasePooler'
  | 'databaseReplicaUrl'
  | 'databaseReplicaReads'
  | 'masterKey'
  | 's3Bucket'
  | 's3Endpoint'
  | 's3Region'
  | 's3Prefix'
  | 's3AccessKeyId'
  | 's3SecretAccessKey'
  | 's3Downloads'
>;

/** An open store and what works with it, for a server, a command line or a test. */
export interface Service extends Services {
  /** Names of the migrations that opening applied. */
  migrated: string[];
  /** The master key file, where opening made it. */
  madeMasterKey: string | null;
  /** Lets go of all that opening took. */
  close(): Promise<void>;
}

/** The data directory holds a database, and no master key that could read it. */
export class MasterKeyMissing extends Error {
  override name = 'MasterKeyMissing';
}

/** There is no database, and none was to be made. */
export class DatabaseMissing extends Error {
  override name = 'DatabaseMissing';
}

/**
 * Opens the data directory: makes what is missing, and migrates.
 * @param mustExist makes no new database, for whoever only wants to read one
 * @throws DatabaseMissing, MasterKeyMissing, MasterKeyUnreadable, WrongMasterKey, StoreUnavailable, StoreDamaged
 */
export async function openService(
  config: StoreConfig,
  {
    clock = Date.now,
    patience = PATIENCE_MS,
    mustExist = false,
  }: { clock?: Clock; patience?: number; mustExist?: boolean } = {},
): Promise<Service> {
  const { dataDir } = config;
  const engine =
    config.databaseUrl === null
      ? sqliteEngine(dataDir, patience)
      : await postgresEngine({ ...config, databaseUrl: config.databaseUrl }, patience);
  if (mustExist && !(await engine.exists())) throw new DatabaseMissing(engine.advice);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  // Looked for in this order: another process that starts now makes the key first, then the database.
  const isThere = await engine.exists();
  const given = config.masterKey ?? readMasterKey(dataDir);
  if (!given && isThere) {
    throw new MasterKeyMissing(
      `${engine.name} exists, but its master key does not: put ${masterKeyFile(dataDir)} back from your backup, or set LATCHKEY_MASTER_KEY`,
    );
  }
  const masterKey = given ?? makeMasterKey(dataDir);
  const migrated = await engine.prepare(masterKey);
  const artifacts = await openArtifacts(config);
  const store = engine.open(masterKey);
  return {
    store,
    execute: createExecute(store, clock),
    clock,
    migrated,
    madeMasterKey: given ? null : masterKeyFile(dataDir),
    artifacts,
    downloadTokens: createDownloadTokens(deriveKey(masterKey, 'download token')),
    async close() {
      await store.close();
      await artifacts.close();
    },
  };
}

/** What opening does of each engine. */
interface Engine {
  /** For messages; without a password. */
  name: string;
  /** What to do where there is no database and none is to be made. */
  advice: string;
  /** Whether there is a database that was made with a master key. */
  exists(): Promise<boolean>;
  /** Makes what is missing: the names of the migrations that were applied. */
  prepare(masterKey: Uint8Array): Promise<string[]>;
  open(masterKey: Uint8Array): Store;
}

function sqliteEngine(dataDir: string, patience: number): Engine {
  const file = databaseFile(dataDir);
  return {
    name: file,
    advice: `there is no database in ${dataDir}: name the right folder with --data-dir, or make a database with "latchkey migrate"`,
    // statSync, unlike existsSync, tells a folder that may not be looked into from one where nothing is.
    exists: async () => statSync(file, { throwIfNoEntry: false }) !== undefined,
    prepare: (masterKey) => prepareSqlite({ file, masterKey, patience }),
    open: (masterKey) => openSqlite({ file, masterKey, patience, writer: WRITER }),
  };
}

async function postgresEngine(
  config: StoreConfig & { databaseUrl: string },
  patience: number,
): Promise<Engine> {
  // Loaded when it is wanted: most installations never do.
  const { openPostgres, preparePostgres, readPostgresFingerprint } = await import(
    './store/postgres/store.ts'
  );
  const options = {
    url: config.databaseUrl,
    connections: config.databaseConnections,
    pooler: config.databasePooler,
    patience,
  };
  const name = withoutPassword(config.databaseUrl);
  return {
    name,
    advice: `${name} has no tables of Latchkey: set LATCHKEY_DATABASE_URL to the right database, or make them with "latchkey migrate"`,
    exists: async () => (await readPostgresFingerprint(options)) !== null,
    prepare: (masterKey) => preparePostgres({ ...options, masterKey }),
    open: (masterKey) =>
      openPostgres({
        ...options,
        masterKey,
        replicaUrl: config.databaseReplicaUrl,
        replicaReadsAll: config.databaseReplicaReads === 'all',
        runJob,
      }),
  };
}

/** For messages. */
function withoutPassword(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  url.password = '';
  url.search = '';
  return url.href;
}

/** Where the bytes of releases are, as the settings say; it makes no folder before there are any. */
export async function openArtifacts(config: StoreConfig): Promise<Artifacts> {
  const folder = join(config.dataDir, 'artifacts');
  return createArtifacts(join(folder, 'incoming'), await openBytes(config, folder));
}

async function openBytes(config: StoreConfig, folder: string): Promise<ByteStore> {
  const { s3Bucket: bucket, s3AccessKeyId: accessKeyId, s3SecretAccessKey: secretAccessKey } = config;
  if (bucket === null) return createLocalStore(folder);
  // Loaded when it is wanted: it is larger than all the rest.
  const { createS3Store } = await import('./storage/s3.ts');
  return createS3Store({
    bucket,
    endpoint: config.s3Endpoint,
    region: config.s3Region,
    prefix: config.s3Prefix,
    credentials: accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : null,
    redirect: config.s3Downloads === 'redirect',
  });
}

/** Does what nobody in particular asked for, as user 1. */
export const SYSTEM: Actor = { userId: FIRST_USER, via: 'system', apiKeyId: null, products: null };

/**
 * Makes user 1 and the API key of the settings, where they are missing.
 * @param first becomes the first API key where there is none at all, and none in the settings
 */
export function setUpService(
  { execute }: Service,
  { consumerKey, consumerSecret }: Pick<Config, 'consumerKey' | 'consumerSecret'>,
  first: Credentials | null,
): Promise<SetUpDone> {
  const configured = consumerKey && consumerSecret ? hashCredentials({ consumerKey, consumerSecret }) : null;
  return execute('set-up', { configured, first: first && hashCredentials(first) }, SYSTEM);
}
