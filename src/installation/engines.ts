import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { runJob } from '../app/execute.ts';
import type { Config } from '../config/config.ts';
import { IS_EXECUTABLE } from '../config/executable.ts';
import { VERSION } from '../config/version.ts';
import type { CopySource, CopyTarget } from '../store/backups/copy.ts';
import type { ServerInspection, UpgradeInspection } from '../store/backups/inspection.ts';
import type { KeyBundle } from '../store/keys/key-bundle.ts';
import type { Prepared } from '../store/sql/keys/key-bundles.ts';
import { openSqliteSource, openSqliteTarget } from '../store/sqlite/copy.ts';
import { inspectSqliteUpgrade } from '../store/sqlite/inspect.ts';
import { openSqlite, prepareSqlite, putLogAway } from '../store/sqlite/store.ts';
import { runWriter } from '../store/sqlite/writer.ts';
import type { RunHere, WriterEntry } from '../store/sqlite/writer-client.ts';
import type { Store } from '../store/store.ts';

/**
 * In a bundle, the writer thread is beside this module. From source, `imports` in package.json locates it: tests start it
 * from the bundle.
 */
const WRITER = new URL(
  import.meta.url.endsWith('.ts') ? import.meta.resolve('#writer-thread') : './writer-thread.js',
  import.meta.url,
);
/**
 * The code or the URL of the writer thread. Threads cannot read files inside the executable, so there the thread gets its
 * code.
 */
const writerThread: WriterEntry = () => (IS_EXECUTABLE ? readFileSync(WRITER, 'utf8') : WRITER);
const writeHere: RunHere = (port, setup) => runWriter(port, setup, runJob);

/** Milliseconds that a change waits while another process holds the database. */
const PATIENCE_MS = 15_000;

export const databaseFile = (dataDir: string): string => join(dataDir, 'latchkey.db');

/** The settings for opening an engine. */
export type EngineConfig = Pick<Config, 'dataDir' | 'workers' | Extract<keyof Config, `database${string}`>>;

/** How to open and copy the database of an engine. */
export interface Engine {
  kind: 'sqlite' | 'postgres';
  /** The file or the address, for messages; without a password. */
  name: string;
  /** A description for messages: "the database in ./data". */
  described: string;
  /** The message if there is no database. */
  advice: string;
  /** Whether there is a database that was created with a master key. */
  exists(): Promise<boolean>;
  /** Creates what is missing in the database, and migrates. */
  prepare(masterKey: Uint8Array): Promise<Prepared>;
  open(keys: KeyBundle): Promise<Store>;
  /**
   * Moves SQLite's log into the database file, after all other processes have ended. If two end at the same time, each can
   * find the other still connected, and both leave the log. Does nothing while another process has the database open, and on
   * PostgreSQL.
   */
  putLogAway(): void;
  /** Returns what `prepare` would change in the database, which must exist. Changes nothing. */
  inspectUpgrade(): Promise<UpgradeInspection>;
  /** Opens the database as the source of a copy. */
  source(): Promise<CopySource>;
  /**
   * Opens the database, which must be empty, as the target of a copy.
   * @param migrations the names of the migrations to apply; null for all
   */
  target(migrations: readonly string[] | null): Promise<CopyTarget>;
}

/** Options for using an engine. */
export interface EngineOptions {
  /** Milliseconds to wait for another process that holds the database; `PATIENCE_MS` by default. Only tests set it. */
  patience?: number | undefined;
  /** Milliseconds to wait for a free connection to PostgreSQL; by default, as long as a request may wait. */
  connectTimeout?: number | undefined;
  /**
   * Whether SQLite's writer runs in a thread of its own; true by default, so that reads are answered during a change.
   * Starting a thread takes longer than most changes.
   */
  writerThread?: boolean | undefined;
}

/** Returns the configured engine. */
export const engineOf = async (
  config: EngineConfig,
  { patience = PATIENCE_MS, connectTimeout, writerThread: hasThread = true }: EngineOptions = {},
): Promise<Engine> =>
  config.databaseUrl === null
    ? sqliteEngine(config, patience, hasThread ? writerThread : () => writeHere)
    : postgresEngine({ ...config, databaseUrl: config.databaseUrl }, { patience, connectTimeout });

function sqliteEngine({ dataDir, workers }: EngineConfig, patience: number, writer: WriterEntry): Engine {
  const file = databaseFile(dataDir);
  return {
    kind: 'sqlite',
    name: file,
    described: `the database in ${dataDir}`,
    advice: `there is no database in ${dataDir}: set the right folder with --data-dir, restore a backup if there was one, or create a database with "latchkey migrate"`,
    // Not existsSync, which says false if the folder is not accessible.
    exists: async () => statSync(file, { throwIfNoEntry: false }) !== undefined,
    prepare: (masterKey) => prepareSqlite({ file, masterKey, patience, version: VERSION }),
    open: async (keys) => openSqlite({ file, keys, patience, shared: workers > 1, writer }),
    putLogAway: () => putLogAway(file),
    inspectUpgrade: () => inspectSqliteUpgrade(file),
    source: () => openSqliteSource(file),
    target: (migrations) => openSqliteTarget(file, migrations, VERSION),
  };
}

async function postgresEngine(
  config: EngineConfig & { databaseUrl: string },
  waits: Pick<EngineOptions, 'connectTimeout'> & { patience: number },
): Promise<Engine> {
  // Loaded on demand, because most installations never need PostgreSQL.
  const { openPostgres, preparePostgres, readPostgresFingerprint } = await import(
    '../store/postgres/store.ts'
  );
  const { openPostgresSource, openPostgresTarget } = await import('../store/postgres/copy.ts');
  const options = {
    url: config.databaseUrl,
    connections: config.databaseConnections,
    pooler: config.databasePooler,
    ...waits,
  };
  const name = withoutPassword(config.databaseUrl);
  return {
    kind: 'postgres',
    name,
    described: name,
    advice: `${name} has no tables of Latchkey: set LATCHKEY_DATABASE_URL to the right database, or create them with "latchkey migrate"`,
    exists: async () => (await readPostgresFingerprint(options)) !== null,
    prepare: (masterKey) => preparePostgres({ ...options, masterKey, version: VERSION }),
    open: (keys) =>
      openPostgres({
        ...options,
        keys,
        replicaUrl: config.databaseReplicaUrl,
        replicaReadsAll: config.databaseReplicaReads === 'all',
        runJob,
      }),
    putLogAway: () => {},
    inspectUpgrade: async () =>
      (await import('../store/postgres/inspect.ts')).inspectPostgresUpgrade(config.databaseUrl),
    source: () => openPostgresSource(config.databaseUrl),
    target: (migrations) => openPostgresTarget(config.databaseUrl, migrations, VERSION),
  };
}

export { refuseLostLog } from '../store/sqlite/connection.ts';
export { inspectSqlite as inspectFile } from '../store/sqlite/inspect.ts';

/** Inspects the configured PostgreSQL database. */
export async function inspectServer(
  { databaseUrl, databasePooler, databaseConnections, databaseReplicaUrl, workers }: EngineConfig,
  masterKey: Uint8Array | null,
): Promise<ServerInspection> {
  const { inspectPostgres } = await import('../store/postgres/inspect.ts');
  return inspectPostgres({
    url: String(databaseUrl),
    pooler: databasePooler,
    connections: databaseConnections,
    processes: workers,
    replicaUrl: databaseReplicaUrl,
    masterKey,
  });
}

/** Returns the address without the password, for messages. */
export function withoutPassword(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  url.password = '';
  url.search = '';
  return url.href;
}
