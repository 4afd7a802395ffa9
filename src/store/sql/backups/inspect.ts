import type { Datetime } from '../../../domain/datetime.ts';
import type { EventEndpoint } from '../../../domain/events/endpoint.ts';
import { type AuditEnd, END_PLACES, type Inspection } from '../../backups/inspection.ts';
import { createKeyring, type Keyring } from '../../keys/keyring.ts';
import { MIGRATIONS } from '../../migrations/index.ts';
import { type SigningKeyReads, WrongMasterKey } from '../../store.ts';
import { apiKeyQueries } from '../api-keys/api-keys.ts';
import { auditQueries } from '../audit/audit.ts';
import { toEndpoint } from '../events/endpoints.ts';
import { findDamaged } from '../keys/damaged.ts';
import { readKeys } from '../keys/key-bundles.ts';
import { masterKeyQueries } from '../keys/master-key.ts';
import { signingKeyQueries } from '../keys/signing-keys.ts';
import { readFingerprint } from '../meta.ts';
import { missingMigrations } from '../migrate.ts';
import { artifactQueries } from '../releases/artifacts.ts';
import { releaseQueries } from '../releases/releases.ts';
import { inspectCounts } from '../reports/record-counts.ts';
import { type Connection, type Database, execute } from '../statement.ts';

/** @param isEmpty whether the database lacks even the table of applied migrations */
export async function inspectTables(
  connection: Connection,
  db: Database,
  masterKey: Uint8Array | null,
  isEmpty: boolean,
): Promise<Inspection> {
  const missing = isEmpty ? MIGRATIONS.map(({ name }) => name) : await missingMigrations(connection);
  const nothing: Inspection = {
    missing,
    masterKey: 'unclaimed',
    retiredAt: null,
    rotation: null,
    others: 0,
    newest: null,
    damaged: [],
    endpoints: [],
    apiKeys: [],
    artifacts: [],
    releases: [],
    counts: [],
    signingKeys: null,
    audit: null,
  };
  if (missing.length > 0) return nothing;
  return {
    ...nothing,
    ...(await inspectKeys(connection, db, masterKey)),
    newest: await newestOf(connection),
    apiKeys: await apiKeyQueries(db)(connection).list(),
    endpoints: await endpointsOf(connection, db),
    artifacts: await artifactQueries(db)(connection).list(),
    releases: await releaseQueries(db)(connection).withFile(),
    counts: await inspectCounts(connection),
  };
}

async function endpointsOf(connection: Connection, db: Database): Promise<EventEndpoint[]> {
  const query = db.selectFrom('event_endpoints').selectAll().orderBy('id');
  return (await execute(connection, query)).rows.map(toEndpoint);
}

async function inspectKeys(
  connection: Connection,
  db: Database,
  masterKey: Uint8Array | null,
): Promise<Partial<Inspection>> {
  if ((await readFingerprint(connection, db)) === null) return {};
  if (masterKey === null) return { masterKey: 'not given' };
  try {
    const keys = await readKeys(connection, db, masterKey);
    if (!keys) return {};
    const keyring = createKeyring(keys);
    const { state, countUnderOtherKeys } = masterKeyQueries(db, keyring)(connection);
    const { rotation } = await state();
    const others = await countUnderOtherKeys();
    const damaged = await findDamaged(connection, db, keyring);
    const signingKeys = await signingKeySnapshot(connection, db, keyring);
    const audit = await auditEnd(connection, db, keyring);
    return { masterKey: 'fits', rotation, others, damaged, signingKeys, audit };
  } catch (error) {
    if (error instanceof WrongMasterKey) return { masterKey: 'differs', retiredAt: error.retiredAt };
    throw error;
  }
}

async function signingKeySnapshot(
  connection: Connection,
  db: Database,
  keyring: Keyring,
): Promise<SigningKeyReads> {
  const { list, privateHalf } = signingKeyQueries(db, keyring)(connection);
  const keys = await list();
  const halves = new Map(keys.map(({ kid }) => [kid, privateHalf(kid)]));
  await Promise.allSettled(halves.values());
  return { list: async () => keys, privateHalf: async (kid) => halves.get(kid) ?? null };
}

async function auditEnd(connection: Connection, db: Database, keyring: Keyring): Promise<AuditEnd> {
  const audit = auditQueries(db, keyring)(connection);
  for (;;) {
    const head = await audit.head();
    const last = await audit.last();
    // One more place, because the hash of each covers the one before.
    const links = await audit.links((last?.position ?? 0) - END_PLACES - 1, END_PLACES + 1);
    // A running server may have extended the chain since.
    if ((await audit.head())?.hash !== head?.hash) continue;
    return {
      head: async () => head,
      last: async () => last,
      linkHash: audit.linkHash,
      links: async (after, limit) => links.filter(({ position }) => position > after).slice(0, limit),
    };
  }
}

async function newestOf(connection: Connection): Promise<Datetime | null> {
  // By the highest id, to read one row of each table.
  const newest = ['licenses', 'activations', 'generators', 'api_keys'].map(
    (table) => `select * from (select created_at from ${table} order by id desc limit 1) as newest_${table}`,
  );
  const query = `select max(created_at) as newest from (${newest.join(' union all ')}) as newest`;
  const { rows } = await connection.execute(query, []);
  return (rows as { newest: string | null }[])[0]?.newest ?? null;
}
