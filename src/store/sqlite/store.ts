import { randomBytes } from 'node:crypto';
import { accessSync, closeSync, constants, existsSync, linkSync, openSync, statSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { createTally } from '../../metrics/tally.ts';
import type { KeyBundle } from '../keys/key-bundle.ts';
import { createKeyring } from '../keys/keyring.ts';
import { queries } from '../sql/index.ts';
import { claimKeys, type Prepared, readKeys } from '../sql/keys/key-bundles.ts';
import { keyRefresh, readsWithFreshKeys, refreshRegularly } from '../sql/keys/key-refresh.ts';
import { metaOf, REWRITE_DUE, setMeta } from '../sql/meta.ts';
import { bringUpToDate, isMigrated } from '../sql/migrate.ts';
import { type Reads, type Store, StoreDamaged, StoreUnavailable } from '../store.ts';
import { cacheApiKeys } from './api-keys.ts';
import {
  existing,
  identityOf,
  refuseLostLog,
  refuseWithoutTables,
  removeDatabase,
  SqliteConnection,
  sqliteDb,
  sqliteEngine,
} from './connection.ts';
import { SqliteReader } from './reader.ts';
import type { WriterSetup } from './writer.ts';
import { createWriterClient, type WriterEntry } from './writer-client.ts';

export interface SqliteOptions extends Omit<WriterSetup, 'identity' | 'commits'> {
  writer: WriterEntry;
}

type PrepareOptions = Pick<WriterSetup, 'file' | 'patience'> & {
  masterKey: Uint8Array;
  /** The version of this program. */
  version: string;
};

/** A reader blocks its thread only while another process recovers the file after a crash. */
const READER_TIMEOUT_MS = 100;
/** Milliseconds between two attempts to take the lock at the start. */
const RETRY_MS = 5;
/** Buckets for the seconds that a commit takes: mostly the time of the disk. */
const COMMIT_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1];
/** Buckets for the number of changes that share a commit. */
const COMMIT_CHANGES = [1, 2, 4, 8, 16, 32, 64, 128];

/**
 * Creates the database file if it is missing, and applies migrations, one process at a time. A database that has all
 * migrations is only read, so that a start does not wait for a process that writes.
 * @throws WrongMasterKey, StoreUnavailable, StoreDamaged
 */
export async function prepareSqlite(options: PrepareOptions): Promise<Prepared> {
  const { file, masterKey } = options;
  if (!existsSync(file)) {
    refuseLostLog(file);
    const created = await createWhole(options);
    if (created) return created;
  }
  // A server that opened a read-only file could not write even after its mode was corrected.
  accessSync(file, constants.W_OK);
  refuseEmpty(file);
  const keys = await keysOfPrepared(file, masterKey);
  return keys ? { migrated: null, keys } : migrateUnderLock(options, refuseWithoutTables);
}

/**
 * Creates the file under another name first: an interrupted start must not leave an empty file, which means a database that
 * has lost everything.
 * @returns null where another process was first
 */
async function createWhole(options: PrepareOptions): Promise<Prepared | null> {
  const { file } = options;
  // Random: in containers that share a folder, processes may have the same id.
  const whole = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    // SQLite would create a file that everybody can read. Its other files get the mode of this one.
    closeSync(openSync(whole, 'wx', 0o600));
    const created = await migrateUnderLock({ ...options, file: whole, patience: 0 });
    checkpoint(whole);
    // Unlike a rename, a link fails if the file exists by now.
    linkSync(whole, file);
    return created;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return null;
  } finally {
    removeDatabase(whole);
  }
}

/** Moves the log into the file. Closing does that, too, but reports no error, for example of a full disk. */
function checkpoint(file: string): void {
  {
    using connection = new SqliteConnection(file, { readOnly: false, timeout: 0 });
    connection.exec('pragma wal_checkpoint(truncate)');
  }
  if (existsSync(`${file}-wal`))
    throw new StoreUnavailable('the log of the new database could not be moved into its file');
}

/** SQLite would treat an empty file as a new database, and delete the log beside it. @throws StoreDamaged */
function refuseEmpty(file: string): void {
  if (statSync(file).size > 0) return;
  throw new StoreDamaged(`${file} is empty (if it has never held anything, remove it)`);
}

/**
 * Migrates a database under its write lock.
 * @param check called under the lock, before the migration
 * @throws WrongMasterKey, StoreUnavailable, StoreDamaged
 */
async function migrateUnderLock(
  { file, masterKey, patience, version }: PrepareOptions,
  check?: (connection: SqliteConnection, file: string) => void,
): Promise<Prepared> {
  using connection = new SqliteConnection(file, { readOnly: false, timeout: patience });
  await begin(connection, patience);
  check?.(connection, file);
  const migrated = await bringUpToDate(connection, sqliteEngine, version);
  const keys = await claimKeys(connection, sqliteDb, masterKey);
  connection.commit();
  return { migrated, keys };
}

/** Keys of a database that is ready; null if it lacks migrations or keys, or cannot be read. */
async function keysOfPrepared(file: string, masterKey: Uint8Array): Promise<KeyBundle | null> {
  using connection = new SqliteConnection(file, { readOnly: true, timeout: READER_TIMEOUT_MS });
  try {
    return (await isMigrated(connection)) ? await readKeys(connection, sqliteDb, masterKey) : null;
  } catch {
    // The caller tries again under the lock, which reports the error.
    return null;
  }
}

async function begin(connection: SqliteConnection, patience: number): Promise<void> {
  connection.exec('pragma busy_timeout = 0');
  const until = performance.now() + patience;
  while (!connection.begin()) {
    if (performance.now() > until) throw new StoreUnavailable('the database is locked by another process');
    await setTimeout(RETRY_MS);
  }
}

/** Opens a prepared database. Reads run on this thread, jobs by default on the writer thread. */
export function openSqlite({ writer, ...setup }: SqliteOptions): Store {
  const connection = new SqliteConnection(setup.file, { readOnly: true, timeout: READER_TIMEOUT_MS });
  const reader = new SqliteReader(connection);
  const keyring = createKeyring(setup.keys);
  const refreshKeys = keyRefresh(sqliteDb, keyring, reader);
  const all: Reads = queries(sqliteEngine, keyring)(reader);
  const stopRefreshing = refreshRegularly(refreshKeys);
  const findByHash = cacheApiKeys(all.apiKeys.findByHash, () => connection.dataVersion());
  const read = { ...readsWithFreshKeys(all, refreshKeys), apiKeys: { ...all.apiKeys, findByHash } };
  const identity = identityOf(setup.file);
  const commits = {
    seconds: createTally(COMMIT_SECONDS, { shared: true }),
    changes: createTally(COMMIT_CHANGES, { shared: true }),
  };
  const client = createWriterClient(writer, () => ({ ...setup, identity, commits, keys: keyring.keys }));
  let closed: Promise<void> | undefined;
  async function close(): Promise<void> {
    stopRefreshing();
    reader.close();
    // The writer last: only a connection that writes moves the log into the database file.
    await client.close();
  }
  return {
    read,
    shared: setup.shared,
    run: client.run,
    // Nothing to wait for: the writer knows in each transaction which events are wanted.
    settled: async () => {},
    async rewriteIfDue() {
      if ((await metaOf(reader, sqliteDb, [REWRITE_DUE])).size > 0) await rewrite(setup);
    },
    async ready() {
      try {
        return identityOf(setup.file) === identity && (await isMigrated(reader));
      } catch {
        return false;
      }
    },
    figures: () => ({ pending: client.pending(), commits, pools: [] }),
    close: () => (closed ??= close()),
  };
}

async function rewrite({ file, patience }: Pick<WriterSetup, 'file' | 'patience'>): Promise<void> {
  using connection = new SqliteConnection(existing(file), { readOnly: false, timeout: patience });
  connection.exec('vacuum');
  await setMeta(connection, sqliteDb, REWRITE_DUE, null);
  connection.exec('pragma wal_checkpoint(truncate)');
}

/** Moves the log into the file and removes it, unless another process has the file open. */
export function putLogAway(file: string): void {
  try {
    new SqliteConnection(existing(file), { readOnly: false, timeout: READER_TIMEOUT_MS }).close();
  } catch {
    // The log stays beside the file. No data is lost.
  }
}
