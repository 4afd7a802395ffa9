import type { ReplicaInspection, ServerInspection, UpgradeInspection } from '../backups/inspection.ts';
import { inspectTables } from '../sql/backups/inspect.ts';
import { inspectUpgrade } from '../sql/backups/upgrade.ts';
import { readFingerprint } from '../sql/meta.ts';
import type { Connection } from '../sql/statement.ts';
import { openConnection, postgresDb, postgresEngine } from './connection.ts';
import { type OpenPostgres, REPORT_CONNECTIONS } from './store.ts';

export type InspectOptions = Pick<OpenPostgres, 'url' | 'pooler' | 'connections' | 'replicaUrl'> & {
  masterKey: Uint8Array | null;
  /** Processes on this node, each with its own connections. */
  processes: number;
};

/** Milliseconds that a statement may take. */
const STATEMENT_MS = 30_000;

const SERVER = `
  select current_setting('server_version') as version,
    current_setting('server_encoding') as encoding,
    pg_is_in_recovery() as "isReplica",
    current_setting('default_transaction_read_only') = 'on' as "isReadOnly",
    coalesce(has_schema_privilege(current_schema(), 'create'), false) as "mayCreate",
    array(select name from unnest(array['synchronous_commit', 'fsync']) as name
      where current_setting(name) = 'off') as careless,
    to_regclass('schema_migrations') is null as "isEmpty",
    case when pg_is_in_recovery() then null else pg_current_wal_lsn()::text end as position`;

/** The server, the database and the role limit connections; -1 means that the database or the role has no limit. */
const CONNECTIONS = `
  select least(
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
        - coalesce(current_setting('reserved_connections', true)::int, 0) - count(*),
      case when d.datconnlimit >= 0 then d.datconnlimit - count(*) filter (where a.datid = d.oid) end,
      case when r.rolconnlimit >= 0 then r.rolconnlimit - count(*) filter (where a.usesysid = r.oid) end
    ) + count(*) filter (
      where a.application_name = 'latchkey' and a.datid = d.oid
        and a.client_addr is not distinct from inet_client_addr()
    ) as free
  from pg_stat_activity a, pg_database d, pg_roles r
  where a.datid is not null and d.datname = current_database() and r.rolname = current_user
  group by d.oid, d.datconnlimit, r.oid, r.rolconnlimit`;

const LAG = `
  select greatest(0, pg_wal_lsn_diff($1, pg_last_wal_replay_lsn())) as "bytesBehind",
    extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp()) as "secondsBehind"`;
/**
 * Estimates the rows of a table: from the last vacuum or analyze, or if there was none (-1), from the size at 100
 * bytes per row.
 */
const ROWS = `
  select case when reltuples >= 0 then reltuples::bigint else pg_relation_size(oid) / 100 end as rows
  from pg_class where oid = to_regclass($1)`;
const DATABASE_BYTES = 'select pg_database_size(current_database()) as bytes';

type Lag = Pick<ReplicaInspection, 'bytesBehind' | 'secondsBehind'>;

interface ServerRow {
  version: string;
  encoding: string;
  isReplica: boolean;
  isReadOnly: boolean;
  mayCreate: boolean;
  careless: string[];
  isEmpty: boolean;
  position: string | null;
}

/** Inspects a database without changing it. @throws StoreUnavailable */
export async function inspectPostgres(options: InspectOptions): Promise<ServerInspection> {
  await using server = await openServer(options.url);
  const { connection } = server;
  const clockAhead = await compareClocks(connection);
  await connection.execute('begin isolation level repeatable read, read only');
  const { version, encoding, isReplica, isReadOnly, mayCreate, careless, isEmpty, position } =
    await one<ServerRow>(connection, SERVER);
  const tables = await inspectTables(connection, postgresDb, options.masterKey, isEmpty);
  const isClaimed = tables.masterKey !== 'unclaimed';
  const fingerprint = isClaimed ? await readFingerprint(connection, postgresDb) : null;
  const { replicaUrl } = options;
  return {
    ...tables,
    version,
    encoding,
    careless,
    clockAhead,
    refusesChanges: isReplica ? 'replica' : isReadOnly ? 'read only' : mayCreate ? null : 'not owner',
    connections: options.pooler ? null : await connectionsOf(connection, options),
    replica: replicaUrl === null ? null : await inspectReplica(replicaUrl, position, fingerprint),
  };
}

/** Finds what a start would change. The database has tables of Latchkey. @throws StoreUnavailable */
export async function inspectPostgresUpgrade(url: string): Promise<UpgradeInspection> {
  await using server = await openServer(url);
  const { connection } = server;
  await connection.execute('begin isolation level repeatable read, read only');
  const found = await inspectUpgrade(connection, postgresEngine, async (table) => {
    const { rows } = await one<{ rows: number }>(connection, ROWS, [table]);
    return rows;
  });
  const { bytes } = await one<{ bytes: number }>(connection, DATABASE_BYTES);
  return { ...found, bytes };
}

/** Connects as if behind a pooler, because one may be in front of the server. */
const openServer = (url: string) => openConnection({ url, pooler: true, timeout: STATEMENT_MS });

async function one<Row>(
  connection: Connection,
  text: string,
  parameters: readonly unknown[] = [],
): Promise<Row> {
  return (await connection.execute(text, parameters)).rows[0] as Row;
}

async function compareClocks(connection: Connection): Promise<number> {
  const sentAt = Date.now();
  const clock = 'select extract(epoch from clock_timestamp()) * 1000 as now';
  const { now } = await one<{ now: number }>(connection, clock);
  return now - (sentAt + Date.now()) / 2;
}

async function connectionsOf(
  connection: Connection,
  { connections, processes }: Pick<InspectOptions, 'connections' | 'processes'>,
) {
  const { free } = await one<{ free: number }>(connection, CONNECTIONS);
  // Besides connections for requests, a process has some for lists and one that listens.
  return { free, wanted: processes * (connections + REPORT_CONNECTIONS + 1) };
}

/**
 * Compares a replica with its primary.
 * @param position position in the primary's log; null if the primary is a replica itself
 */
async function inspectReplica(
  url: string,
  position: string | null,
  fingerprint: string | null,
): Promise<ReplicaInspection> {
  const found = { problem: null, isReplica: true, isSame: true, bytesBehind: 0, secondsBehind: null };
  try {
    await using server = await openServer(url);
    const { connection } = server;
    const { isReplica, isEmpty } = await one<ServerRow>(connection, SERVER);
    const isSame = (isEmpty ? null : await readFingerprint(connection, postgresDb)) === fingerprint;
    if (!isReplica || position === null) return { ...found, isReplica, isSame };
    return { ...found, ...(await one<Lag>(connection, LAG, [position])), isSame };
  } catch (error) {
    return { ...found, problem: (error as Error).message };
  }
}
