import { statSync } from 'node:fs';
import { join } from 'node:path';
import { runJob } from '../app/execute.ts';
import type { Config } from '../config/config.ts';
import type { CopySource, CopyTarget } from '../store/backups/copy.ts';
import type { ServerInspection } from '../store/backups/inspection.ts';
import type { KeyBundle } from '../store/keys/key-bundle.ts';
import type { Prepared } from '../store/sql/keys/key-bundles.ts';
import { openSqliteSource, openSqliteTarget } from '../store/sqlite/copy.ts';
import { openSqlite, prepareSqlite } from '../store/sqlite/store.ts';
import type { Store } from '../store/store.ts';

/** Beside this module in a bundle. `imports` of package.json names it for the source: tests start it from the bundle. */
const WRITER = new URL(
  import.meta.url.endsWith('.ts') ? import.meta.resolve('#writer-thread') : './writer-thread.js',
  import.meta.url,
);

/** Milliseconds that a change waits while another process holds the database. */
const PATIENCE_MS = 15_000;

export const databaseFile = (dataDir: string): string => join(dataDir, 'latchkey.db');

/** What an engine takes of the settings. */
export type EngineConfig = Pick<
  Config,
  | 'dataDir'
  | 'workers'
  | 'databaseUrl'
  | 'databaseConnections'
  | 'databasePooler'
  | 'databaseReplicaUrl'
  | 'databaseReplicaReads'
>;

/** What opening, and moving, does of each engine. */
export interface Engine {
  kind: 'sqlite' | 'postgres';
  /** The file or the address, for messages; without a password. */
  name: string;
  /** The same in words: "the database in ./data". */
  described: string;
  /** What to do where there is no database and none is to be made. */
  advice: string;
  /** Whether there is a database that was made with a master key. */
  exists(): Promise<boolean>;
  /** Makes what is missing. */
  prepare(masterKey: Uint8Array): Promise<Prepared>;
  open(keys: KeyBundle): Store;
  /** All of the database, to be copied. */
  source(): Promise<CopySource>;
  /**
   * To be copied to: it must be empty.
   * @param migrations names of those that its tables are to have; null for all
   */
  target(migrations: readonly string[] | null): Promise<CopyTarget>;
}

/** How long an engine waits, in milliseconds. Only tests set it. */
export interface Waits {
  /** A change waits so long for others; `PATIENCE_MS` by default. */
  patience?: number | undefined;
  /** A request waits so long for a connection to PostgreSQL. */
  connectTimeout?: number | undefined;
}

/** The engine that the settings name. */
export const engineOf = async (
  config: EngineConfig,
  { patience = PATIENCE_MS, connectTimeout }: Waits = {},
): Promise<Engine> =>
  config.databaseUrl === null
    ? sqliteEngine(config, patience)
    : postgresEngine({ ...config, databaseUrl: config.databaseUrl }, { patience, connectTimeout });

function sqliteEngine({ dataDir, workers }: EngineConfig, patience: number): Engine {
  const file = databaseFile(dataDir);
  return {
    kind: 'sqlite',
    name: file,
    described: `the database in ${dataDir}`,
    advice: `there is no database in ${dataDir}: name the right folder with --data-dir, or make a database with "latchkey migrate"`,
    // statSync, unlike existsSync, tells a folder that may not be looked into from one where nothing is.
    exists: async () => statSync(file, { throwIfNoEntry: false }) !== undefined,
    prepare: (masterKey) => prepareSqlite({ file, masterKey, patience }),
    open: (keys) => openSqlite({ file, keys, patience, shared: workers > 1, writer: WRITER }),
    source: () => openSqliteSource(file),
    target: (migrations) => openSqliteTarget(file, migrations),
  };
}

async function postgresEngine(
  config: EngineConfig & { databaseUrl: string },
  waits: Waits & { patience: number },
): Promise<Engine> {
  // Loaded when it is wanted: most installations never do.
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
    advice: `${name} has no tables of Latchkey: set LATCHKEY_DATABASE_URL to the right database, or make them with "latchkey migrate"`,
    exists: async () => (await readPostgresFingerprint(options)) !== null,
    prepare: (masterKey) => preparePostgres({ ...options, masterKey }),
    open: (keys) =>
      openPostgres({
        ...options,
        keys,
        replicaUrl: config.databaseReplicaUrl,
        replicaReadsAll: config.databaseReplicaReads === 'all',
        runJob,
      }),
    source: () => openPostgresSource(config.databaseUrl),
    target: (migrations) => openPostgresTarget(config.databaseUrl, migrations),
  };
}

export { inspectSqlite as inspectFile } from '../store/sqlite/inspect.ts';

/** Inspects the PostgreSQL database of the settings. */
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

/** For messages. */
export function withoutPassword(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  url.password = '';
  url.search = '';
  return url.href;
}
