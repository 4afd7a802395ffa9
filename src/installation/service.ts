import { join, resolve } from 'node:path';
import { type Credentials, hashCredentials } from '../app/api-keys/credentials.ts';
import { createExecute, type Services } from '../app/execute.ts';
import { createSigner } from '../app/keys/create-signer.ts';
import { createLeases } from '../app/leases/leases.ts';
import { createRevocations } from '../app/leases/revocations.ts';
import { withHeldSeats } from '../app/licenses/held-seats.ts';
import type { SetUpDone } from '../app/people/set-up.ts';
import { createDownloadTokens } from '../app/releases/download-tokens.ts';
import type { Config } from '../config/config.ts';
import { FIRST_USER, SYSTEM } from '../domain/actor.ts';
import type { Clock } from '../domain/datetime.ts';
import { createArtifacts } from '../storage/artifacts.ts';
import { createLocalStore } from '../storage/local.ts';
import type { Artifacts, ByteStore } from '../storage/storage.ts';
import type { KeyBundle } from '../store/keys/key-bundle.ts';
import {
  exchangeMasterKey,
  MasterKeyUnreadable,
  makeMasterKey,
  masterKeyFile,
  readMasterKey,
  readNextMasterKey,
} from '../store/keys/master-key.ts';
import type { Migrated } from '../store/sql/migrate.ts';
import { WrongMasterKey } from '../store/store.ts';
import { createSender } from '../webhooks/sender.ts';
import {
  type DirectoryAccess,
  makeDataDirectory,
  OwnedByAnother,
  refuseForeignDirectory,
} from './data-directory.ts';
import { type Engine, type EngineConfig, type EngineOptions, engineOf } from './engines.ts';

export { masterKeyFile, readMasterKey } from '../store/keys/master-key.ts';
export { databaseFile } from './engines.ts';

/** The settings for opening a data directory. */
export type StoreConfig = EngineConfig &
  Pick<Config, 'masterKey' | 'nextMasterKey' | 'webhookNetworks' | Extract<keyof Config, `s3${string}`>>;

/** An open store and the services on top of it, for a server, the command line or a test. */
export interface Service extends Services {
  /** The migrations that were applied on opening; null if there were none. */
  migrated: Migrated | null;
  /** The master key file, if opening created it. */
  madeMasterKey: string | null;
  /** Whether other users of the machine can open the data directory. */
  directoryAccess: DirectoryAccess;
  /** A description of the database for messages: "the database in ./data", or its address without the password. */
  database: string;
  /** Closes the store and everything else that is open. */
  close(): Promise<void>;
}

/** There is a database, but no master key for it. */
export class MasterKeyMissing extends Error {
  override name = 'MasterKeyMissing';
}

/** There is no database, and the caller did not want one to be created. */
export class DatabaseMissing extends Error {
  override name = 'DatabaseMissing';
}

const SETUP_FAULTS = [DatabaseMissing, MasterKeyMissing, MasterKeyUnreadable, OwnedByAnother, WrongMasterKey];

/** Whether the error's message explains a fault of the data directory that an operator can fix. */
export const isSetupFault = (error: unknown): error is Error =>
  SETUP_FAULTS.some((fault) => error instanceof fault);

/**
 * Opens the configured database. Creates what is missing, and migrates.
 * @param mustExist fails instead of creating a database
 * @throws DatabaseMissing, MasterKeyMissing, MasterKeyUnreadable, WrongMasterKey, StoreUnavailable, StoreDamaged
 */
export async function openService(
  config: StoreConfig,
  {
    clock = Date.now,
    mustExist = false,
    ...options
  }: { clock?: Clock; mustExist?: boolean } & EngineOptions = {},
): Promise<Service> {
  return openPrepared(await prepareDatabase(config, { ...options, mustExist }), config, clock);
}

/** Milliseconds that the command line waits for a connection to PostgreSQL. A busy database must not end a long command. */
const COMMAND_CONNECT_MS = 30_000;

/**
 * Opens the configured database for a command, which waits longer for connections than a request does. It never reads from
 * a replica, which may lack the command's own changes, and would mix two states of the database in an export.
 * @param options.mustExist fails instead of creating a database
 * @throws OwnedByAnother, and the errors of `openService`
 */
export async function openForCommand(
  config: StoreConfig,
  options: { mustExist: boolean } & EngineOptions,
): Promise<{ prepared: PreparedDatabase; service: Service }> {
  refuseForeignDirectory(config.dataDir);
  const primary = { ...config, databaseReplicaUrl: null };
  const prepared = await prepareDatabase(primary, { connectTimeout: COMMAND_CONNECT_MS, ...options });
  return { prepared, service: await openPrepared(prepared, config) };
}

/** Opens a prepared database. */
async function openPrepared(
  { engine, keys, migrated, madeMasterKey, directoryAccess }: PreparedDatabase,
  config: StoreConfig,
  clock: Clock = Date.now,
): Promise<Service> {
  const artifacts = await openArtifacts(config);
  const opened = await engine.open(keys);
  const store = { ...opened, read: withHeldSeats(opened.read, clock) };
  const run = createExecute(store, clock);
  const signer = createSigner(store, run.execute);
  const webhooks = createSender({ networks: config.webhookNetworks, clock });
  return {
    store,
    ...run,
    signer,
    clock,
    leases: createLeases(signer, run.execute, clock),
    revocations: createRevocations(store, signer, clock),
    migrated,
    madeMasterKey,
    directoryAccess,
    database: engine.described,
    artifacts,
    downloadTokens: createDownloadTokens(keys.data['download token']),
    webhooks,
    async close() {
      webhooks.close();
      await store.close();
      await artifacts.close();
    },
  };
}

/** A migrated database, its master key, and the keys that the master key opens. */
export interface PreparedDatabase extends Pick<Service, 'migrated' | 'madeMasterKey' | 'directoryAccess'> {
  engine: Engine;
  masterKey: Uint8Array;
  keys: KeyBundle;
  /** Whether opening finished a crashed rotation, by moving the new master key file into place. */
  exchanged: boolean;
}

/**
 * Creates what is missing in the data directory and the database, and migrates.
 * @param mustExist fails instead of creating a database
 * @throws DatabaseMissing, MasterKeyMissing, MasterKeyUnreadable, WrongMasterKey, StoreUnavailable, StoreDamaged
 */
export async function prepareDatabase(
  config: StoreConfig,
  { mustExist, ...options }: { mustExist: boolean } & EngineOptions,
): Promise<PreparedDatabase> {
  const { dataDir } = config;
  const engine = await engineOf(config, options);
  // In this order: another process that starts now creates the key first, then the database.
  const isThere = await engine.exists();
  if (mustExist && !isThere) throw new DatabaseMissing(engine.advice);
  const directoryAccess = makeDataDirectory(dataDir);
  const given = config.masterKey ?? readMasterKey(dataDir);
  if (!given && isThere) {
    throw new MasterKeyMissing(
      `${engine.name} exists, but its master key does not: restore ${masterKeyFile(dataDir)} from your backup, or set LATCHKEY_MASTER_KEY`,
    );
  }
  const masterKey = given ?? makeMasterKey(dataDir);
  const madeMasterKey = given ? null : masterKeyFile(dataDir);
  const made = { engine, madeMasterKey, directoryAccess };
  try {
    return { ...made, masterKey, exchanged: false, ...(await engine.prepare(masterKey)) };
  } catch (error) {
    if (!(error instanceof WrongMasterKey)) throw error;
    const next = nextOf(config, masterKey);
    if (!next) throw error;
    const prepared = await engine.prepare(next).catch(() => {
      // The error of the first key says more.
      throw error;
    });
    const exchanged = config.masterKey === null;
    if (exchanged) exchangeMasterKey(dataDir, next);
    return { ...made, masterKey: next, exchanged, ...prepared };
  }
}

/** Returns the new master key of a rotation, for when the old one no longer opens the database. */
function nextOf(config: StoreConfig, masterKey: Uint8Array): Uint8Array | null {
  if (config.masterKey) return config.nextMasterKey;
  const next = readNextMasterKey(config.dataDir);
  if (next) return next;
  // Another process that is starting may have moved the new key into place in the meantime.
  const now = readMasterKey(config.dataDir);
  return now && !Buffer.from(now).equals(masterKey) ? now : null;
}

/** The advice to print after a master key was created, one sentence per item. */
export const masterKeyAdvice = (file: string, { databaseUrl }: Pick<Config, 'databaseUrl'>): string[] => [
  `${file} encrypts all license keys.`,
  'Back it up, apart from the database: without it no license key can be read.',
  ...(databaseUrl === null ? [] : ['Every other node of this database needs the same key.']),
];

/** The default folder for backups. */
export const backupFolder = ({ backupDir, dataDir }: Pick<Config, 'backupDir' | 'dataDir'>): string =>
  resolve(backupDir ?? join(dataDir, 'backups'));

/** Whether a backup of this age shows that the scheduled backups fail. @param everyHours 0 if the server makes none */
export const isOverdue = (ageHours: number, everyHours: number): boolean =>
  everyHours > 0 && ageHours > 2 * everyHours;

/** Opens the storage for release files. Creates no folder before there are any. */
export async function openArtifacts(config: StoreConfig): Promise<Artifacts> {
  const folder = join(config.dataDir, 'artifacts');
  return createArtifacts(join(folder, 'incoming'), await openBytes(config, folder));
}

async function openBytes(config: StoreConfig, folder: string): Promise<ByteStore> {
  const { s3Bucket: bucket, s3AccessKeyId: accessKeyId, s3SecretAccessKey: secretAccessKey } = config;
  if (bucket === null) return createLocalStore(folder);
  // Loaded on demand, because the S3 client is larger than the rest of the program.
  const { createS3Store } = await import('../storage/s3.ts');
  return createS3Store({
    bucket,
    endpoint: config.s3Endpoint,
    region: config.s3Region,
    prefix: config.s3Prefix,
    credentials: accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : null,
    redirect: config.s3Downloads === 'redirect',
  });
}

/** Sets up the database if nobody has done so. Checks first, because setting up waits for the write lock. */
export async function setUpIfNew(
  service: Service,
  config: Parameters<typeof setUpService>[1],
): Promise<void> {
  if (!(await service.store.read.users.find(FIRST_USER))) await setUpService(service, config, null);
}

/**
 * Creates user 1, and the API key from the settings, unless they exist.
 * @param first the credentials of the first API key, created only if there is no API key, and none in the settings
 */
export function setUpService(
  { execute }: Service,
  { consumerKey, consumerSecret }: Pick<Config, 'consumerKey' | 'consumerSecret'>,
  first: Credentials | null,
): Promise<SetUpDone> {
  const configured = consumerKey && consumerSecret ? hashCredentials({ consumerKey, consumerSecret }) : null;
  return execute('set-up', { configured, first: first && hashCredentials(first) }, SYSTEM);
}
