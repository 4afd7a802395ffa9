import { sql } from 'kysely';
import type { Datetime } from '../../../domain/datetime.ts';
import { TERMS_DEFAULTS } from '../../../domain/terms.ts';
import type { Keyring } from '../../keys/keyring.ts';
import type { StagedLicense, StagedPlace, Transaction } from '../../store.ts';
import { resealRows } from '../keys/rewrite.ts';
import { hashesOfKey, type KeyHashes, keyColumnsOf, takenKeysQuery } from '../licenses/key-hashes.ts';
import { countRows, first, parseJson, rowsQuery } from '../record.ts';
import { type Connection, execute, type SqlEngine } from '../statement.ts';
import { termsText } from '../terms.ts';

/** Columns that a staged row and a license have in common. */
export const SHARED = [
  'key_hash',
  'sealed_key',
  'order_id',
  'product_id',
  'user_id',
  'expires_at',
  'valid_for',
  'status',
  'activations_limit',
  'ending_hash',
  'seat_policy',
  'customer_email',
] as const;
export const STAGED_COLUMNS = ['batch', 'staged_at', 'row', ...SHARED, 'notes'] as const;

/** The values of a row, in the order of STAGED_COLUMNS. */
export const stagedValues = (
  batch: string,
  now: Datetime,
  p: StagedLicense,
  keys: ReturnType<typeof keyColumnsOf>,
): unknown[] => [
  ...[batch, now, p.row, keys.key_hash, keys.sealed_key, p.orderId, p.productId, p.userId],
  ...[p.expiresAt, p.validFor, p.status, p.activationsLimit, keys.ending_hash],
  termsText({ ...TERMS_DEFAULTS, ...p }),
  p.customerEmail ?? null,
  p.notes ? JSON.stringify(p.notes) : null,
];

/**
 * Staged rows have no index but their primary key, and are inserted in its order: staging costs a third of the time
 * that it took with a unique index on the hash. Repeated keys are searched for once, before the commit.
 */
export function stagedQueries(engine: SqlEngine, keyring: Keyring) {
  const { db } = engine;
  const takenKeys = takenKeysQuery(db);
  const insert = rowsQuery(db, 'staged_licenses', STAGED_COLUMNS);
  const rowsOf = (batch: string) => db.selectFrom('staged_licenses').where('batch', '=', batch);
  /** Deletes a range of rows, which costs less than naming each (100,000 rows: 77 ms of CPU time instead of 120). */
  const discardOf = (batch: string, atMost: number) =>
    db
      .deleteFrom('staged_licenses')
      .where('batch', '=', batch)
      .where('row', '<', (eb) => {
        const next = rowsOf(batch).select('row').orderBy('row').limit(1).offset(atMost);
        return eb.fn.coalesce(next, sql<number>`${2 ** 31 - 1}`);
      });
  const discardBefore = (before: string, atMost: number) =>
    db.deleteFrom('staged_licenses').where(({ eb, refTuple, selectFrom }) => {
      const old = selectFrom('staged_licenses').select(['batch', 'row']).where('staged_at', '<', before);
      return eb(refTuple('batch', 'row'), 'in', old.limit(atMost).$asTuple('batch', 'row'));
    });
  return (connection: Connection): Transaction['staged'] => ({
    async insert(batch, licenses, now) {
      const hashes = licenses.map(({ key }) => hashesOfKey(key, keyring));
      const isTaken = await takenKeys(connection, hashes);
      const rows: unknown[][] = [];
      const leftOut: number[] = [];
      for (const [i, license] of licenses.entries()) {
        const ofKey = hashes[i] as KeyHashes;
        if (isTaken(ofKey)) leftOut.push(license.row);
        else rows.push(stagedValues(batch, now, license, keyColumnsOf(license.key, keyring, ofKey)));
      }
      await insert(connection, rows);
      return leftOut;
    },
    count: (batch) => countRows(connection, rowsOf(batch), { slow: true }),
    async repeated(batch) {
      const nth = sql<number>`row_number() over (partition by key_hash order by row)`.as('nth');
      const numbered = db.selectFrom(rowsOf(batch).select(['row', nth]).as('numbered'));
      const { rows } = await execute(connection, numbered.select('row').where('nth', '>', 1).orderBy('row'));
      return rows.map(({ row }) => row);
    },
    async next(batch) {
      const query = db
        .selectFrom('staged_licenses')
        .select(['batch', 'staged_at'])
        .where('batch', '>', batch)
        .orderBy('batch')
        .orderBy('row')
        .limit(1);
      const { rows } = await execute(connection, query);
      return first(rows, (row) => ({ batch: row.batch, stagedAt: row.staged_at }));
    },
    async conflicts(batch) {
      const query = rowsOf(batch)
        .innerJoin('licenses', 'licenses.key_hash', 'staged_licenses.key_hash')
        .select('staged_licenses.row')
        // A license that was made from this row has the same bytes. No key is encrypted to the same bytes twice.
        .whereRef('licenses.sealed_key', '<>', 'staged_licenses.sealed_key')
        .orderBy('staged_licenses.row');
      return (await execute(connection, query, { slow: true })).rows.map(({ row }) => row);
    },
    async commit(batch, { source, createdAt, createdBy }) {
      const rows = rowsOf(batch)
        .select(SHARED)
        .select(sql`cast(${source} as integer)`.as('source'))
        .select(sql`${createdAt}`.as('created_at'))
        .select(sql`cast(${createdBy} as bigint)`.as('created_by'))
        .orderBy('row');
      const insert = db
        .insertInto('licenses')
        .columns([...SHARED, 'source', 'created_at', 'created_by'])
        .expression(rows)
        .onConflict((conflict) => conflict.column('key_hash').doNothing());
      return (await execute(connection, insert, { slow: true })).affected;
    },
    async notes(batch, after, atMost) {
      const query = rowsOf(batch)
        .leftJoin('licenses', (join) =>
          join
            .onRef('licenses.key_hash', '=', 'staged_licenses.key_hash')
            // Only the license that was made from this row, as for conflicts.
            .onRef('licenses.sealed_key', '=', 'staged_licenses.sealed_key'),
        )
        .select(['staged_licenses.row', 'licenses.id', 'staged_licenses.notes'])
        .where('staged_licenses.notes', 'is not', null)
        .where('staged_licenses.row', '>', after)
        .orderBy('staged_licenses.row')
        .limit(atMost);
      const { rows } = await execute(connection, query);
      return rows.map(({ row, id, notes }) => ({ row, licenseId: id, notes: parseJson(notes) }));
    },
    async discardRows(batch, rows) {
      if (rows.length === 0) return;
      const some = db.deleteFrom('staged_licenses').where('batch', '=', batch).where('row', 'in', rows);
      await execute(connection, some);
    },
    async discard(which, atMost) {
      const some = 'batch' in which ? discardOf(which.batch, atMost) : discardBefore(which.before, atMost);
      return (await execute(connection, some)).affected;
    },
    async reseal(keyId, place, atMost) {
      const [key, after] = [['batch', 'row'], place ? [place.batch, place.row] : ['', -1]];
      const limits = { keyId, atMost };
      const done = await resealRows(connection, engine, keyring, 'staged_licenses', key, after, limits);
      const { batch, row } = (done.next ?? {}) as NonNullable<StagedPlace>;
      return { ...done, next: done.next && { batch, row } };
    },
  });
}
