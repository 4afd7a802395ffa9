import type { Config } from '../../config/config.ts';
import { inspectServer, withoutPassword } from '../../installation/engines.ts';
import type { ReplicaInspection, ServerInspection } from '../../store/backups/inspection.ts';
import { StoreUnavailable } from '../../store/store.ts';
import { counted, grouped } from '../table.ts';
import { type Check, fail, ok, warn } from './doctor-check.ts';
import { type CheckedDatabase, checkMigrations } from './doctor-database.ts';

/** Versions of PostgreSQL that Latchkey is tested with. */
const OLDEST = 15;
const NEWEST = 18;

/** The database on a server. */
export async function checkServer(config: Config, masterKey: Uint8Array | null): Promise<CheckedDatabase> {
  const address = withoutPassword(String(config.databaseUrl));
  try {
    const found = await inspectServer(config, masterKey);
    return { checks: serverChecks(address, found, config), found, exists: found.masterKey !== 'unclaimed' };
  } catch (error) {
    const isAway = error instanceof StoreUnavailable;
    const check = fail(
      'Database',
      `${address} cannot be ${isAway ? 'used' : 'read'}: ${(error as Error).message}`,
      isAway
        ? 'See that the server runs and lets this machine in, and that LATCHKEY_DATABASE_URL is right.'
        : 'See that the user of LATCHKEY_DATABASE_URL owns the tables.',
    );
    return { checks: [check], found: null, exists: false };
  }
}

function serverChecks(address: string, found: ServerInspection, config: Config): Check[] {
  return [
    checkVersion(address, found),
    checkMigrations(found.missing),
    checkChanges(found.refusesChanges),
    checkDurability(found.careless),
    ...(found.connections ? [checkConnections(found.connections)] : []),
    checkServerClock(found.clockAhead),
    ...(found.replica ? [checkReplica(found.replica)] : []),
    ...(config.s3Bucket === null && found.artifacts.length > 0 ? [FILES_ON_ONE_MACHINE] : []),
  ];
}

export function checkVersion(
  address: string,
  { version, encoding }: Pick<ServerInspection, 'version' | 'encoding'>,
): Check {
  const name = 'Database';
  const message = `${address}, PostgreSQL ${version}`;
  if (encoding !== 'UTF8') {
    const advice = "Move it to one that was made with encoding 'UTF8': latchkey move --help";
    return fail(name, `${message}, keeps text as ${encoding}, which lacks most characters`, advice);
  }
  const major = Number.parseInt(version, 10);
  return major >= OLDEST && major <= NEWEST
    ? ok(name, message)
    : warn(
        name,
        `${message}: this version of Latchkey is not tested with it`,
        `Use PostgreSQL ${OLDEST} to ${NEWEST}.`,
      );
}

function checkChanges(refuses: ServerInspection['refusesChanges']): Check {
  const name = 'Changes';
  if (refuses === 'replica') {
    const advice =
      'Set LATCHKEY_DATABASE_URL to the primary; a replica belongs into LATCHKEY_DATABASE_REPLICA_URL.';
    return fail(name, 'this server is a replica and takes none', advice);
  }
  if (refuses === 'read only') {
    const advice = 'Set it to off, for the server, the database or the user, or name another server.';
    return fail(name, 'default_transaction_read_only is on: it takes none', advice);
  }
  return ok(name, 'taken: it is a primary');
}

const checkDurability = (careless: readonly string[]): Check =>
  careless.length > 0
    ? warn(
        'Durability',
        `off: ${careless.join(', ')}. What was answered may be lost when the server crashes`,
        'Set to on what is off, in postgresql.conf or where the database or the user has it otherwise.',
      )
    : ok('Durability', 'commits are on disk before they are answered');

export const checkConnections = ({ free, wanted }: NonNullable<ServerInspection['connections']>): Check =>
  free < wanted
    ? warn(
        'Connections',
        `${grouped(Math.max(0, free))} are left for this node, which takes up to ${grouped(wanted)}`,
        'Raise max_connections, lower LATCHKEY_DATABASE_CONNECTIONS, or put a pooler before the server.',
      )
    : ok('Connections', `${grouped(free)} are left for this node, which takes up to ${grouped(wanted)}`);

const AHEAD_WARN_MS = 2_000;
const AHEAD_FAIL_MS = 5 * 60_000;

export function checkServerClock(ahead: number): Check {
  const name = 'Server clock';
  const apart = Math.abs(ahead);
  const seconds = (apart / 1000).toFixed(1);
  if (apart < AHEAD_WARN_MS) return ok(name, `${seconds} s from that of this machine`);
  const message = `${seconds} s ${ahead > 0 ? 'ahead of' : 'behind'} that of this machine`;
  const advice = 'Set both, best by NTP: licenses expire by the clock of the node that is asked.';
  return apart < AHEAD_FAIL_MS ? warn(name, message, advice) : fail(name, message, advice);
}

const BEHIND_BYTES = 16 * 1024 ** 2;
const BEHIND_SECONDS = 10;

export function checkReplica(replica: ReplicaInspection): Check {
  const name = 'Replica';
  const { problem, isReplica, isSame, bytesBehind, secondsBehind } = replica;
  const correct = 'Correct LATCHKEY_DATABASE_REPLICA_URL, or unset it.';
  if (problem !== null) {
    return warn(name, `it cannot be used: ${problem}`, 'Until it can, lists are read from the primary.');
  }
  if (!isSame) return fail(name, 'it holds another installation, or none', correct);
  if (!isReplica) return warn(name, 'this server is no replica, but a primary', correct);
  if (bytesBehind === 0) return ok(name, 'it has everything that the primary has');
  const since =
    secondsBehind === null ? '' : `, the last change that it has is ${secondsBehind.toFixed(1)} s old`;
  const message = `${counted(bytesBehind, 'byte')} of the log behind the primary${since}`;
  const isLate = bytesBehind > BEHIND_BYTES || (secondsBehind ?? 0) > BEHIND_SECONDS;
  return isLate
    ? warn(name, message, 'Lists are as old as that. See that it is connected, and as fast as the primary.')
    : ok(name, message);
}

const FILES_ON_ONE_MACHINE = warn(
  'Shared files',
  'the files of releases are in the data directory: a node on another machine does not have them',
  'Give all nodes the same folder, or keep them in S3 (LATCHKEY_S3_BUCKET). Fine where this is the only node.',
);
