import type { ReplicaInspection, ServerInspection } from '../backups/inspection.ts';
import { inspectTables } from '../sql/backups/inspect.ts';
import { readFingerprint } from '../sql/meta.ts';
import { type PostgresConnection, postgresDb, withConnection } from './connection.ts';
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
    current_setting('synchronous_commit') = 'off' as "answersEarly",
    current_setting('fsync') = 'off' as "keepsInMemory",
    to_regclass('schema_migrations') is null as "isEmpty",
    case when pg_is_in_recovery() then null else pg_current_wal_lsn()::text end as position`;

/** The server, the database and the role limit connections; -1 means no limit of the latter two. */
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

interface ServerRow {
  version: string;
  encoding: string;
  isReplica: boolean;
  isReadOnly: boolean;
  answersEarly: boolean;
  keepsInMemory: boolean;
  isEmpty: boolean;
  position: string | null;
}

/**
 * Inspects a database without changing it.
 * @throws StoreUnavailable
 */
export const inspectPostgres = (options: InspectOptions): Promise<ServerInspection> =>
  withServer(options.url, async (connection) => {
    const clockAhead = await compareClocks(connection);
    await connection.execute('begin isolation level repeatable read, read only');
    const server = await one<ServerRow>(connection, SERVER);
    const careless = [
      ...(server.answersEarly ? ['synchronous_commit'] : []),
      ...(server.keepsInMemory ? ['fsync'] : []),
    ];
    const tables = await inspectTables(connection, postgresDb, options.masterKey, server.isEmpty);
    const isClaimed = tables.masterKey !== 'unclaimed';
    return {
      ...tables,
      version: server.version,
      encoding: server.encoding,
      refusesChanges: server.isReplica ? 'replica' : server.isReadOnly ? 'read only' : null,
      careless,
      connections: options.pooler ? null : await connectionsOf(connection, options),
      clockAhead,
      replica:
        options.replicaUrl === null
          ? null
          : await inspectReplica(
              options.replicaUrl,
              server.position,
              isClaimed ? await readFingerprint(connection, postgresDb) : null,
            ),
    };
  });

/** As behind a pooler, because one may be in front of the server. */
const withServer = <T>(url: string, use: (connection: PostgresConnection) => Promise<T>): Promise<T> =>
  withConnection({ url, pooler: true, timeout: STATEMENT_MS }, use);

async function one<Row>(
  connection: PostgresConnection,
  text: string,
  parameters: readonly unknown[] = [],
): Promise<Row> {
  const { rows } = await connection.execute(text, parameters);
  return rows[0] as Row;
}

async function compareClocks(connection: PostgresConnection): Promise<number> {
  const sentAt = Date.now();
  const { now } = await one<{ now: number }>(
    connection,
    'select extract(epoch from clock_timestamp()) * 1000 as now',
  );
  return now - (sentAt + Date.now()) / 2;
}

async function connectionsOf(
  connection: PostgresConnection,
  { connections, processes }: Pick<InspectOptions, 'connections' | 'processes'>,
) {
  const { free } = await one<{ free: number }>(connection, CONNECTIONS);
  // Besides connections for requests, a process has some for lists and one that listens.
  return { free, wanted: processes * (connections + REPORT_CONNECTIONS + 1) };
}

/** @param position of the primary's log; null where the primary is a replica itself */
async function inspectReplica(
  url: string,
  position: string | null,
  fingerprint: string | null,
): Promise<ReplicaInspection> {
  const found = { problem: null, isReplica: true, isSame: true, bytesBehind: 0, secondsBehind: null };
  try {
    return await withServer(url, async (connection) => {
      const { isReplica, isEmpty } = await one<ServerRow>(connection, SERVER);
      const own = isEmpty ? null : await readFingerprint(connection, postgresDb);
      if (!isReplica || position === null) return { ...found, isReplica, isSame: own === fingerprint };
      const behind = await one<Pick<ReplicaInspection, 'bytesBehind' | 'secondsBehind'>>(
        connection,
        `select greatest(0, pg_wal_lsn_diff($1, pg_last_wal_replay_lsn())) as "bytesBehind",
           extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp()) as "secondsBehind"`,
        [position],
      );
      return { ...found, ...behind, isSame: own === fingerprint };
    });
  } catch (error) {
    return { ...found, problem: (error as Error).message };
  }
}
