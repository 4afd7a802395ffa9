import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Config } from '../../config/config.ts';
import {
  databaseFile,
  inspectFile,
  inspectServer,
  refuseLostLog,
  withoutPassword,
} from '../../installation/engines.ts';
import type {
  FileInspection,
  Inspection,
  ReplicaInspection,
  ServerInspection,
} from '../../store/backups/inspection.ts';
import { StoreUnavailable } from '../../store/store.ts';
import { counted, grouped } from '../table.ts';
import { type Check, type Checks, fail, ok, warn, warnIf } from './doctor-check.ts';
import { ACCESS_ADVICE, errorCode } from './doctor-files.ts';

/** The result of inspecting the database, on either engine. */
interface CheckedDatabase {
  /** The check `Database` says whether the database can be used. */
  checks: Checks & { Database: Check };
  /** Null if the database could not be read. */
  found: Inspection | null;
  /** Whether a database exists that was created with a master key. */
  exists: boolean;
}

const checkMigrations = (missing: readonly string[]): Check =>
  missing.length > 0
    ? fail(
        `missing: ${missing.join(', ')}`,
        'Run "latchkey migrate", or start the server, which does the same.',
      )
    : ok('none is missing');

const PERMISSION = new Set(['EACCES', 'EPERM', 'EROFS']);
const RESTORE = 'Stop the server and restore the database from a backup.';

/** Checks the SQLite database in a data directory. */
export async function checkDatabaseFile(
  dataDir: string,
  masterKey: Uint8Array | null,
): Promise<CheckedDatabase> {
  const path = resolve(databaseFile(dataDir));
  const exists = existsSync(path);
  const failed = (message: string, advice: string) => ({
    checks: { Database: fail(`${path} ${message}`, advice) },
    found: null,
    exists,
  });
  try {
    refuseLostLog(path);
    const stats = statSync(path, { throwIfNoEntry: false });
    if (!stats)
      return failed(
        'does not exist',
        'Put it back or restore a backup if there was one (latchkey restore FILE). Otherwise start the server or run "latchkey migrate" to create it.',
      );
    if (stats.size === 0)
      return failed('is empty', `${RESTORE} If it has never contained anything, remove it.`);
    accessSync(path, constants.R_OK | constants.W_OK);
    const found = await inspectFile(path, masterKey);
    return { checks: fileChecks(path, found), found, exists };
  } catch (error) {
    const { message } = error as Error;
    if (PERMISSION.has(errorCode(error))) return failed(`cannot be opened: ${message}`, ACCESS_ADVICE);
    if (error instanceof StoreUnavailable)
      return failed(`cannot be opened: ${message}`, 'Correct this, then run doctor again.');
    return failed(`cannot be read: ${message}`, RESTORE);
  }
}

const fileChecks = (
  path: string,
  { faults, missing, concurrent, locked }: FileInspection,
): CheckedDatabase['checks'] => ({
  Database:
    faults.length > 0 ? fail(`${path} is damaged: ${faults.join('; ')}`, RESTORE) : ok(`${path} is intact`),
  Migrations: checkMigrations(missing),
  Journal: concurrent
    ? ok('WAL: reads and writes run concurrently')
    : warn('not WAL: reads and writes block each other', 'Restart the server, which sets WAL.'),
  Lock: locked
    ? fail(
        'another program has locked the database for over 2 seconds',
        'If it is a large import or a backup, wait. Otherwise find it with "fuser" and stop it.',
      )
    : ok('free'),
});

/** Versions of PostgreSQL that Latchkey is tested with. */
const OLDEST = 15;
const NEWEST = 18;

/** Checks the PostgreSQL database. */
export async function checkDatabaseServer(
  config: Config,
  masterKey: Uint8Array | null,
): Promise<CheckedDatabase> {
  const address = withoutPassword(String(config.databaseUrl));
  try {
    const found = await inspectServer(config, masterKey);
    return { checks: serverChecks(address, found, config), found, exists: found.masterKey !== 'unclaimed' };
  } catch (error) {
    const { message } = error as Error;
    const check =
      error instanceof StoreUnavailable
        ? fail(
            `${address} cannot be used: ${message}`,
            'Check that the server runs, that it accepts connections from this machine, and LATCHKEY_DATABASE_URL.',
          )
        : fail(
            `${address} cannot be read: ${message}`,
            'Check that the user in LATCHKEY_DATABASE_URL owns the tables.',
          );
    return { checks: { Database: check }, found: null, exists: false };
  }
}

function serverChecks(address: string, found: ServerInspection, config: Config): CheckedDatabase['checks'] {
  const { connections, replica, careless } = found;
  return {
    Database: checkServerVersion(address, found),
    Migrations: checkMigrations(found.missing),
    Changes: checkChanges(found.refusesChanges),
    Durability:
      careless.length === 0
        ? ok('commits are on disk before they are answered')
        : warn(
            `off: ${careless.join(', ')}. Committed changes may be lost when the server crashes`,
            'Set these to on in postgresql.conf, or where the database or the user overrides it.',
          ),
    ...(connections && { Connections: checkConnections(connections) }),
    'Server clock': checkServerClock(found.clockAhead),
    ...(replica && { Replica: checkReplica(replica) }),
    ...(config.s3Bucket === null &&
      found.artifacts.length > 0 && {
        'Shared files': warn(
          'release files are in the data directory: a node on another machine does not have them',
          'Share the folder between all nodes, or keep the files in S3 (LATCHKEY_S3_BUCKET). Ignore this on a single node.',
        ),
      }),
  };
}

export function checkServerVersion(
  address: string,
  { version, encoding }: Pick<ServerInspection, 'version' | 'encoding'>,
): Check {
  const message = `${address}, PostgreSQL ${version}`;
  if (encoding !== 'UTF8') {
    const advice = "Move it to a database created with encoding 'UTF8': latchkey move --help";
    return fail(`${message}, stores text as ${encoding}, which lacks most characters`, advice);
  }
  const major = Number.parseInt(version, 10);
  return major >= OLDEST && major <= NEWEST
    ? ok(message)
    : warn(
        `${message}: this version of Latchkey is not tested with it`,
        `Use PostgreSQL ${OLDEST} to ${NEWEST}.`,
      );
}

function checkChanges(refuses: ServerInspection['refusesChanges']): Check {
  if (refuses === 'replica') {
    const advice =
      'Set LATCHKEY_DATABASE_URL to the primary, and LATCHKEY_DATABASE_REPLICA_URL to the replica.';
    return fail('refused: this server is a replica', advice);
  }
  if (refuses === 'read only') {
    const advice = 'Set it to off for the server, the database or the user, or use another server.';
    return fail('refused: default_transaction_read_only is on', advice);
  }
  if (refuses === 'not owner') {
    const advice = 'Let the user in LATCHKEY_DATABASE_URL own the database and its tables.';
    return fail('refused: the user may not create tables', advice);
  }
  return ok('accepted: this server is a primary');
}

export const checkConnections = ({ free, wanted }: NonNullable<ServerInspection['connections']>): Check =>
  warnIf(
    free < wanted,
    `${grouped(Math.max(0, free))} are free, and this node uses up to ${grouped(wanted)}`,
    'Raise max_connections, lower LATCHKEY_DATABASE_CONNECTIONS, or use a pooler.',
  );

const AHEAD_WARN_MS = 2_000;
const AHEAD_FAIL_MS = 5 * 60_000;

export function checkServerClock(ahead: number): Check {
  const apart = Math.abs(ahead);
  const seconds = (apart / 1000).toFixed(1);
  if (apart < AHEAD_WARN_MS) return ok(`${seconds} s from the clock of this machine`);
  const message = `${seconds} s ${ahead > 0 ? 'ahead of' : 'behind'} the clock of this machine`;
  const advice = 'Set both with NTP: licenses expire by the clock of the node that answers.';
  return apart < AHEAD_FAIL_MS ? warn(message, advice) : fail(message, advice);
}

const BEHIND_BYTES = 16 * 1024 ** 2;
const BEHIND_SECONDS = 10;

export function checkReplica(replica: ReplicaInspection): Check {
  const { problem, isReplica, isSame, bytesBehind, secondsBehind } = replica;
  const correct = 'Correct LATCHKEY_DATABASE_REPLICA_URL, or unset it.';
  if (problem !== null)
    return warn(`it cannot be used: ${problem}`, 'Until it can, lists are read from the primary.');
  if (!isSame) return fail('it holds another installation, or none', correct);
  if (!isReplica) return warn('this server is a primary, not a replica', correct);
  if (bytesBehind === 0) return ok('it has everything that the primary has');
  const since = secondsBehind === null ? '' : `; its last change is ${secondsBehind.toFixed(1)} s old`;
  return warnIf(
    bytesBehind > BEHIND_BYTES || (secondsBehind ?? 0) > BEHIND_SECONDS,
    `its log is ${counted(bytesBehind, 'byte')} behind the primary${since}`,
    'Lists are out of date by as much. Check that the replica is connected, and as fast as the primary.',
  );
}
