import { setTimeout } from 'node:timers/promises';
import type { KeyBundle } from '../keys/key-bundle.ts';
import { createKeyring } from '../keys/keyring.ts';
import { claimKeys, type Prepared, readKeys } from '../sql/keys/key-bundles.ts';
import { keyRefresh, readsWithFreshKeys, refreshRegularly, withFreshKeys } from '../sql/keys/key-refresh.ts';
import { readFingerprint } from '../sql/meta.ts';
import { bringUpToDate, isMigrated, type Migrated } from '../sql/migrate.ts';
import type { Connection } from '../sql/statement.ts';
import { type PoolFigures, type Reads, type RunJob, type Store, StoreUnavailable } from '../store.ts';
import { openCaches, SETTLED_MS } from './caches.ts';
import { RETRY_MS, retrying, runOnce } from './command.ts';
import { openConnection, Pool, type PostgresConnection, postgresDb, postgresEngine } from './connection.ts';
import { isTooSlow, Retry } from './errors.ts';
import { postgresQueries } from './queries.ts';
import { combined, orOfPrimary, preferring } from './replica.ts';
import { inRounds } from './rounds.ts';

export interface PostgresOptions {
  url: string;
  /** Maximum number of connections for requests. Lists have their own connections. */
  connections: number;
  pooler: boolean;
  /** Longest time, in milliseconds, for which a command is retried. */
  patience: number;
  /** Milliseconds to wait for a connection, instead of the default. */
  connectTimeout?: number | undefined;
}
export interface OpenPostgres extends PostgresOptions {
  keys: KeyBundle;
  /** A read replica for lists; null for none. */
  replicaUrl: string | null;
  /** Whether reads of single records outside commands use the replica, too. */
  replicaReadsAll: boolean;
  runJob: RunJob;
}

type PreparePostgres = PostgresOptions & {
  masterKey: Uint8Array;
  /** The version of this program. */
  version: string;
};

/** Milliseconds that a statement may take: for a request, for a list, at the start. */
const REQUEST_MS = 10_000;
const REPORT_MS = 30_000;
/**
 * Minimum age, in milliseconds, of a transaction to terminate. Less than the client's timeout, because the client began to
 * wait before the transaction began.
 */
const SILENT_MS = REQUEST_MS - 1_000;
const START_MS = 600_000;
export const REPORT_CONNECTIONS = 4;
/** Maximum number of commands that wait for a connection. */
const WAITING_MAX = 10_000;
/** The advisory lock of migrations: any number that nothing else uses. */
export const MIGRATION_LOCK = 7_203_318_406;
/** All other transactions queue behind a migration that waits for a lock, so the migration gives up soon and retries. */
const LOCK_TIMEOUT = '500ms';
const LOCK_PAUSE_MS = 1_000;

/**
 * Ends the server process of a silent connection. After a failover, another server may have a process with the same id:
 * it must be ours, and in a transaction for as long. Compares the age of the transaction, not of its statement: a pipelined
 * statement may have started late.
 */
const TERMINATE = `
  select pg_terminate_backend(pid) from pg_stat_activity
  where pid = $1 and application_name = current_setting('application_name')
    and xact_start < clock_timestamp() - make_interval(secs => $2)`;

/**
 * Applies missing migrations, one process at a time. Commits each, so that other nodes wait only for one, and a failure
 * does not undo those before.
 * @throws WrongMasterKey, StoreUnavailable, StoreDamaged
 */
export async function preparePostgres(options: PreparePostgres): Promise<Prepared> {
  await using server = await openConnection({ ...options, timeout: START_MS });
  const { connection } = server;
  const found = await keysOfPrepared(connection, options.masterKey);
  if (found) return { migrated: null, keys: found };
  let migrated: Migrated | null = null;
  for (let until: number | null = null; ; ) {
    try {
      const { migrated: one, keys } = await migrateUnderLock(connection, options);
      if (one && migrated) {
        migrated.names.push(...one.names);
        migrated.seconds += one.seconds;
      }
      migrated ??= one;
      if (keys) return { migrated, keys };
      until = null;
    } catch (error) {
      await connection.execute('rollback').catch(() => {});
      const isLocked = error instanceof StoreUnavailable && !connection.isBroken && !isTooSlow(error);
      // From the first failure: the work before it may have taken longer.
      until ??= performance.now() + options.patience;
      if (!(error instanceof Retry || isLocked) || performance.now() > until) throw error;
      await setTimeout(isLocked ? LOCK_PAUSE_MS : RETRY_MS);
    }
  }
}

/** Reads the fingerprint of the database's master key; null where it has none yet, or is empty. */
export async function readPostgresFingerprint(options: PostgresOptions): Promise<string | null> {
  await using server = await openConnection({ ...options, timeout: START_MS });
  const { connection } = server;
  return (await hasTable(connection, 'meta')) ? await readFingerprint(connection, postgresDb) : null;
}

async function hasTable(connection: Connection, table: string): Promise<boolean> {
  const { rows } = await connection.execute('select to_regclass($1) is not null as there', [table]);
  return (rows as { there: boolean }[])[0]?.there === true;
}

/** Keys of a database; null if it lacks migrations or keys. @throws WrongMasterKey, StoreDamaged */
async function keysOfPrepared(connection: Connection, masterKey: Uint8Array): Promise<KeyBundle | null> {
  if (!(await hasTable(connection, 'schema_migrations'))) return null;
  return (await isMigrated(connection)) ? readKeys(connection, postgresDb, masterKey) : null;
}

/** Applies the next missing migration. @returns no keys while others are missing */
async function migrateUnderLock(
  connection: PostgresConnection,
  { masterKey, version }: PreparePostgres,
): Promise<Pick<Prepared, 'migrated'> & { keys: KeyBundle | null }> {
  // Read committed: each statement must see what the previous holder of the lock has committed.
  await connection.execute('begin isolation level read committed');
  // Behind a pooler, the limits of the role apply. Those are for requests.
  await connection.execute(`set local statement_timeout = ${START_MS}`);
  await connection.execute('set local lock_timeout = 0');
  await connection.execute('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
  await connection.execute(`set local lock_timeout = '${LOCK_TIMEOUT}'`, []);
  // If this node dies, the others need the tables.
  await connection.execute(`set local idle_in_transaction_session_timeout = ${REQUEST_MS}`);
  const migrated = await bringUpToDate(connection, postgresEngine, version, 1);
  const isDone = await isMigrated(connection);
  const keys = isDone ? await claimKeys(connection, postgresDb, masterKey) : null;
  await connection.commit();
  return { migrated, keys };
}

/** Opens a prepared database. @throws StoreUnavailable */
export async function openPostgres(options: OpenPostgres): Promise<Store> {
  const { url, pooler, connections, replicaUrl, patience, connectTimeout } = options;
  const keyring = createKeyring(options.keys);
  const bind = postgresQueries(keyring);
  const common = { url, pooler, connectTimeout, refusesStandby: true };
  const reports = new Pool({ ...common, max: REPORT_CONNECTIONS, timeout: REPORT_MS });
  // A commit that waits for a standby outlives its connection, and keeps its locks.
  const onSilent = (processId: number) =>
    void reports.reader.execute(TERMINATE, [processId, SILENT_MS / 1_000]).catch(() => {});
  const request = { ...common, patience, timeout: REQUEST_MS, onSilent };
  // Separate pools, so that reads continue while changes wait.
  const lookUps = new Pool({ ...request, max: Math.ceil(connections / 2) });
  const changes = new Pool({ ...request, max: Math.max(1, Math.floor(connections / 2)) });
  // A busy server may take longer for the first connections than a request waits: it must not end the start.
  await Promise.all([lookUps.connectFirst(), changes.connectFirst()]).catch(async (error) => {
    await Promise.all([reports.end(), lookUps.end(), changes.end()]);
    throw error;
  });
  const replica = replicaUrl === null ? null : openReplica(replicaUrl, options);
  const lists = replica ? preferring(replica.lists.reader, reports.reader) : reports.reader;
  const primaryReader = inRounds(lookUps.reader);
  const shared = { reads: primaryReader, changes: inRounds(changes.once) };
  const [primary, reporting] = [bind(primaryReader), bind(reports.reader)];
  const single =
    replica && options.replicaReadsAll
      ? orOfPrimary(bind(inRounds(preferring(replica.lookUps.reader, lookUps.reader))), primary)
      : primary;
  const refreshKeys = keyRefresh(postgresDb, keyring, lookUps.reader);
  const stopRefreshing = refreshRegularly(refreshKeys);
  const caches = openCaches(primary, { url, pooler });
  const latest: Reads = {
    ...primary,
    apiKeys: { ...primary.apiKeys, findByHash: caches.apiKeys.findByHash },
    events: { ...primary.events, wanted: caches.wanted.get },
    // These may read very many rows.
    licenses: { ...primary.licenses, list: reporting.licenses.list },
    staged: reporting.staged,
    audit: reporting.audit,
    masterKey: reporting.masterKey,
  };
  const pools = Object.entries({
    'look-ups': lookUps,
    changes,
    lists: reports,
    ...(replica && { 'replica look-ups': replica.lookUps, 'replica lists': replica.lists }),
  }) as [PoolFigures['name'], Pool][];
  const running = new Set<Promise<unknown>>();
  let closed: Promise<void> | undefined;
  async function close(): Promise<void> {
    stopRefreshing();
    await Promise.allSettled(running);
    await Promise.all([caches.close(), ...pools.map(([, pool]) => pool.end())]);
  }
  return {
    read: readsWithFreshKeys(combined(latest, single, bind(lists)), refreshKeys),
    shared: true,
    run: (job) => {
      if (closed) return Promise.reject(new StoreUnavailable('the store is closing'));
      if (changes.waiting >= WAITING_MAX)
        return Promise.reject(new StoreUnavailable('too many changes are waiting'));
      const run = () => runOnce(changes, shared, job, options.runJob, bind, caches);
      const result = retrying(patience, () => withFreshKeys(refreshKeys, run));
      running.add(result);
      const ended = () => running.delete(result);
      result.then(ended, ended);
      return result;
    },
    settled: () => setTimeout(SETTLED_MS),
    // `vacuum full` would lock the tables, so it is left to the operator (docs/operate/upgrading.md).
    rewriteIfDue: async () => {},
    async ready() {
      try {
        return await isMigrated(lookUps.reader);
      } catch {
        return false;
      }
    },
    figures: () => ({
      pending: running.size,
      commits: null,
      pools: pools.map(([name, pool]) => pool.figures(name)),
    }),
    close: () => (closed ??= close()),
  };
}

const openReplica = (url: string, { pooler, connections }: OpenPostgres) => ({
  lookUps: new Pool({ url, pooler, max: connections, timeout: REQUEST_MS }),
  lists: new Pool({ url, pooler, max: REPORT_CONNECTIONS, timeout: REPORT_MS }),
});
