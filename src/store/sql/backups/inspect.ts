import type { Kysely } from 'kysely';
import type { Datetime } from '../../../domain/datetime.ts';
import { type AuditEnd, END_PLACES, type Inspection } from '../../backups/inspection.ts';
import { createKeyring, type Keyring } from '../../keys/keyring.ts';
import { WrongMasterKey } from '../../store.ts';
import { apiKeyQueries } from '../api-keys/api-keys.ts';
import { auditQueries } from '../audit/audit.ts';
import { readKeys } from '../keys/key-bundles.ts';
import { masterKeyQueries } from '../keys/master-key.ts';
import { readFingerprint } from '../meta.ts';
import { missingMigrations } from '../migrate.ts';
import { artifactQueries } from '../releases/artifacts.ts';
import { releaseQueries } from '../releases/releases.ts';
import { inspectCounts } from '../reports/record-counts.ts';
import type { Schema } from '../schema.ts';
import type { Connection } from '../statement.ts';

/** @param isEmpty the database has not even the table that lists the migrations */
export async function inspectTables(
  connection: Connection,
  db: Kysely<Schema>,
  masterKey: Uint8Array | null,
  isEmpty: boolean,
): Promise<Inspection> {
  const missing = await missingMigrations(isEmpty ? NOTHING : connection);
  const isMigrated = missing.length === 0;
  const keyring = isMigrated ? await keyringOf(connection, db, masterKey) : 'unclaimed';
  const inspected = await inspectKeys(connection, db, keyring);
  return {
    missing,
    ...inspected,
    newest: isMigrated ? await newestOf(connection) : null,
    apiKeys: isMigrated ? await apiKeyQueries(db)(connection).list() : [],
    artifacts: isMigrated ? await artifactQueries(db)(connection).list() : [],
    releases: isMigrated ? await releaseQueries(db)(connection).withFile() : [],
    counts: isMigrated ? await inspectCounts(connection) : [],
    audit: isOpen(keyring) ? await auditEnd(connection, db, keyring) : null,
  };
}

async function auditEnd(connection: Connection, db: Kysely<Schema>, keyring: Keyring): Promise<AuditEnd> {
  const audit = auditQueries(db, keyring)(connection);
  for (;;) {
    const head = await audit.head();
    const last = await audit.last();
    // One more, whose hash the first one follows from.
    const links = await audit.links((last?.position ?? 0) - END_PLACES - 1, END_PLACES + 1);
    // A server that runs may have given others their places meanwhile.
    if ((await audit.head())?.hash !== head?.hash) continue;
    return {
      head: async () => head,
      last: async () => last,
      linkHash: audit.linkHash,
      links: async (after, limit) => links.filter(({ position }) => position > after).slice(0, limit),
    };
  }
}

const NOTHING: Connection = { execute: async () => ({ rows: [], affected: 0 }) };

/** What the master key opens, or why it does not. */
type Opened = Keyring | WrongMasterKey | 'unclaimed' | 'not given';
const isOpen = (found: Opened): found is Keyring =>
  typeof found === 'object' && !(found instanceof WrongMasterKey);

async function keyringOf(
  connection: Connection,
  db: Kysely<Schema>,
  masterKey: Uint8Array | null,
): Promise<Opened> {
  if ((await readFingerprint(connection, db)) === null) return 'unclaimed';
  if (masterKey === null) return 'not given';
  try {
    const keys = await readKeys(connection, db, masterKey);
    return keys ? createKeyring(keys) : 'unclaimed';
  } catch (error) {
    if (error instanceof WrongMasterKey) return error;
    throw error;
  }
}

async function inspectKeys(
  connection: Connection,
  db: Kysely<Schema>,
  found: Opened,
): Promise<Pick<Inspection, 'masterKey' | 'retiredAt' | 'rotation' | 'others'>> {
  const nothing = { retiredAt: null, rotation: null, others: 0 };
  if (typeof found === 'string') return { ...nothing, masterKey: found };
  if (!isOpen(found)) return { ...nothing, masterKey: 'differs', retiredAt: found.retiredAt };
  const about = masterKeyQueries(db, found)(connection);
  const { rotation } = await about.state();
  return { masterKey: 'fits', retiredAt: null, rotation, others: await about.countUnderOtherKeys() };
}

async function newestOf(connection: Connection): Promise<Datetime | null> {
  // The newest of each table has its highest id: found without reading the table.
  const newest = ['licenses', 'activations', 'generators', 'api_keys'].map(
    (table) => `select * from (select created_at from ${table} order by id desc limit 1) as newest_${table}`,
  );
  const { rows } = await connection.execute(
    `select max(created_at) as newest from (${newest.join(' union all ')}) as newest`,
    [],
  );
  return (rows as { newest: string | null }[])[0]?.newest ?? null;
}
