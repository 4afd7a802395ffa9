import { sql } from 'kysely';
import { camelCased, snakeCased } from '../../../domain/names.ts';
import type { Keyring } from '../../keys/keyring.ts';
import type { MovingKind, MovingRecord } from '../../moving/moving.ts';
import type { Transaction } from '../../store.ts';
import { keyColumnsOf, tokenColumnsOf } from '../licenses/key-hashes.ts';
import { columnsOf, countRows } from '../record.ts';
import { ACTIVATION_COLUMNS, toActivation } from '../rows.ts';
import { type Connection, type Database, execute, type SqlEngine } from '../statement.ts';
import { commitMove } from './commit-move.ts';
import { RETRIED, ROWS_AT_ONCE, type StagedColumns } from './move-rows.ts';

/** The columns of a record. Bytes are hex digits, because the columns are stored as JSON until the commit. */
function stagedColumns(record: MovingRecord, keyring: Keyring): StagedColumns {
  const columns = columnsOfRecord(record, keyring);
  const isBytes = (value: unknown) => value instanceof Uint8Array;
  return Object.fromEntries(
    Object.entries(columns).map(([name, value]) => [
      name,
      isBytes(value) ? Buffer.from(value as Uint8Array).toString('hex') : value,
    ]),
  ) as StagedColumns;
}

function columnsOfRecord({ kind, values }: MovingRecord, keyring: Keyring): object {
  switch (kind) {
    case 'license': {
      if (!('key' in values)) return snakeCased(values);
      const { key, ...rest } = values;
      return { ...snakeCased(rest), ...keyColumnsOf(key, keyring) };
    }
    case 'activation': {
      const { token, ...rest } = values;
      return { ...columnsOf(rest), ...tokenColumnsOf(token, keyring) };
    }
    default:
      return columnsOf(values);
  }
}

export function moveQueries(engine: SqlEngine, keyring: Keyring) {
  const { db } = engine;
  const rowsOf = (table: 'moved_records' | 'staged_records', shop: string, kind: MovingKind) =>
    db.selectFrom(table).where('shop', '=', shop).where('kind', '=', kind);

  return (connection: Connection): Transaction['moves'] => ({
    async digests(shop, kind, sourceIds) {
      const digestsIn = async (table: 'moved_records' | 'staged_records') => {
        const query = rowsOf(table, shop, kind).select(['source_id', 'digest']);
        const leavesMergedOut = table === 'moved_records' && RETRIED.includes(kind);
        const counting = leavesMergedOut ? query.where('merged', '=', 0) : query;
        const { rows } = await execute(connection, counting.where('source_id', 'in', sourceIds));
        return new Map(rows.map((row) => [row.source_id, row.digest]));
      };
      return { moved: await digestsIn('moved_records'), staged: await digestsIn('staged_records') };
    },
    async withoutEmail(shop, sourceIds) {
      const query = rowsOf('moved_records', shop, 'license')
        .innerJoin('licenses', 'licenses.id', 'moved_records.record_id')
        .select('source_id')
        .where('source_id', 'in', sourceIds)
        .where('customer_email', 'is', null);
      return new Set((await execute(connection, query)).rows.map((row) => row.source_id));
    },
    async ids(which, shop, kind, after, atMost) {
      const query = rowsOf(`${which}_records`, shop, kind).select('source_id');
      const next = query.where('source_id', '>', after).orderBy('source_id').limit(atMost);
      return (await execute(connection, next)).rows.map((row) => row.source_id);
    },
    hasNoLicenses: () => hasNoLicenses(connection, db),
    async activations(after, atMost) {
      const query = db
        .selectFrom('activations')
        .select(ACTIVATION_COLUMNS)
        .where('activations.id', '>', after);
      const { rows } = await execute(connection, query.orderBy('activations.id').limit(atMost));
      return rows.map((row) => toActivation(row, keyring));
    },
    async licenseMeta(after, atMost) {
      const query = db.selectFrom('license_meta').selectAll().where('id', '>', after);
      return (await execute(connection, query.orderBy('id').limit(atMost))).rows.map(camelCased);
    },
    async stage(shop, records, now) {
      for (let at = 0; at < records.length; at += ROWS_AT_ONCE) {
        const rows = records.slice(at, at + ROWS_AT_ONCE).map((record) => ({
          shop,
          kind: record.kind,
          source_id: record.sourceId,
          digest: record.digest,
          staged_at: now,
          record: JSON.stringify(stagedColumns(record, keyring)),
        }));
        const insert = db.insertInto('staged_records').values(rows);
        const upsert = insert.onConflict((conflict) =>
          conflict.columns(['shop', 'kind', 'source_id']).doUpdateSet({
            digest: (eb) => eb.ref('excluded.digest'),
            record: (eb) => eb.ref('excluded.record'),
            staged_at: (eb) => eb.ref('excluded.staged_at'),
          }),
        );
        await execute(connection, upsert);
      }
    },
    async unstage(shop, kind, sourceIds) {
      const some = db.deleteFrom('staged_records').where('shop', '=', shop).where('kind', '=', kind);
      return (await execute(connection, some.where('source_id', 'in', sourceIds))).affected;
    },
    countStaged: (shop) =>
      countRows(connection, db.selectFrom('staged_records').where('shop', '=', shop), { slow: true }),
    commit: (shop, gone, now) => commitMove({ connection, db, engine, shop, now }, gone),
    async discard(which, atMost) {
      const some = db.deleteFrom('staged_records').where(({ eb, refTuple, selectFrom }) => {
        const keys = selectFrom('staged_records').select(['shop', 'kind', 'source_id']).limit(atMost);
        const these =
          which === 'all'
            ? keys
            : 'shop' in which
              ? keys.where('shop', '=', which.shop)
              : keys.where('staged_at', '<', which.before);
        return eb(refTuple('shop', 'kind', 'source_id'), 'in', these.$asTuple('shop', 'kind', 'source_id'));
      });
      return (await execute(connection, some)).affected;
    },
  });
}

/** Whether no license exists, staged or deleted ones included: then no client holds a hash of a license key. */
export async function hasNoLicenses(connection: Connection, db: Database): Promise<boolean> {
  const one = sql.lit(1);
  for (const table of ['licenses', 'staged_licenses', 'trashed_licenses'] as const) {
    const { rows } = await execute(connection, db.selectFrom(table).select(one.as('one')).limit(one));
    if (rows.length > 0) return false;
  }
  return true;
}
