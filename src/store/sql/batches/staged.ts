import { type Kysely, sql } from 'kysely';
import type { Keyring } from '../../keys/keyring.ts';
import type { Transaction } from '../../store.ts';
import { resealStaged } from '../keys/reseal.ts';
import { type KeyColumns, keyColumnsOf, takenHashesQuery } from '../licenses/key-hashes.ts';
import type { Schema } from '../schema.ts';
import { type Connection, execute, prepare } from '../statement.ts';

/** Columns that a staged row and a license have in common. */
const SHARED = [
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
] as const;

/** Rows written by one statement (measured for 100,000 rows, all of staging: 730 ms of processor time with 1, 640 with 20). */
const ROWS_AT_ONCE = 20;
/** Values of one row. */
const VALUES = 13;

/**
 * Staged rows are only ever written one behind the other: no index but their own order, so that staging costs a
 * third of what it did with a unique index on the hash. Keys that repeat are found once, before the commit.
 */
export function stagedQueries(db: Kysely<Schema>, keyring: Keyring) {
  const takenHashes = takenHashesQuery(db);
  /** Inserts so many rows, whose values come one behind the other. */
  const insertOf = (rows: number) =>
    prepare((p: readonly unknown[]) => {
      const row = (first: number) => {
        const value = <T>(n: number) => p[first + n] as T;
        return {
          batch: value<string>(0),
          row: value<number>(1),
          key_hash: value<Uint8Array>(2),
          sealed_key: value<Uint8Array>(3),
          order_id: value<number | null>(4),
          product_id: value<number | null>(5),
          user_id: value<number | null>(6),
          expires_at: value<string | null>(7),
          valid_for: value<number>(8),
          status: value<number>(9),
          activations_limit: value<number>(10),
          staged_at: value<string>(11),
          ending_hash: value<Uint8Array>(12),
        };
      };
      return db.insertInto('staged_licenses').values(Array.from({ length: rows }, (_, i) => row(i * VALUES)));
    });
  const insertSome = insertOf(ROWS_AT_ONCE);
  const insertOne = insertOf(1);
  const count = prepare(
    (p: { batch: string }) =>
      db
        .selectFrom('staged_licenses')
        .select((eb) => eb.fn.countAll<number>().as('rows'))
        .where('batch', '=', p.batch),
    { slow: true },
  );
  const repeated = prepare((p: { batch: string }) =>
    db
      .selectFrom((from) =>
        from
          .selectFrom('staged_licenses')
          .select(['row', sql<number>`row_number() over (partition by key_hash order by row)`.as('nth')])
          .where('batch', '=', p.batch)
          .as('numbered'),
      )
      .select('row')
      .where('nth', '>', 1)
      .orderBy('row'),
  );
  const conflicts = prepare(
    (p: { batch: string }) =>
      db
        .selectFrom('staged_licenses')
        .innerJoin('licenses', 'licenses.key_hash', 'staged_licenses.key_hash')
        .select('staged_licenses.row')
        // The license that was made of the row itself has the very bytes of the row: no key is sealed twice to the same bytes.
        .whereRef('licenses.sealed_key', '<>', 'staged_licenses.sealed_key')
        .where('staged_licenses.batch', '=', p.batch)
        .orderBy('staged_licenses.row'),
    { slow: true },
  );
  const reseal = resealStaged(db, keyring);
  const commit = prepare(
    (p: { batch: string; source: number; createdAt: string; createdBy: number }) =>
      db
        .insertInto('licenses')
        .columns([...SHARED, 'source', 'created_at', 'created_by'])
        .expression((eb) =>
          eb
            .selectFrom('staged_licenses')
            .select(SHARED)
            .select([
              sql<number>`cast(${p.source} as integer)`.as('source'),
              sql<string>`${p.createdAt}`.as('created_at'),
              sql<number>`cast(${p.createdBy} as bigint)`.as('created_by'),
            ])
            .where('batch', '=', p.batch)
            .orderBy('row'),
        )
        .onConflict((conflict) => conflict.column('key_hash').doNothing()),
    { slow: true },
  );
  /** A run of rows: less than to name each (measured for 100,000 rows: 120 ms of processor time against 77). */
  const discardOf = (batch: string, atMost: number) =>
    db
      .deleteFrom('staged_licenses')
      .where('batch', '=', batch)
      .where('row', '<', (eb) => {
        const next = eb.selectFrom('staged_licenses').select('row').where('batch', '=', batch);
        return eb.fn.coalesce(next.orderBy('row').limit(1).offset(atMost), sql<number>`${2 ** 31 - 1}`);
      });
  const discardBefore = (before: string, atMost: number) =>
    db
      .deleteFrom('staged_licenses')
      .where(({ eb, refTuple, selectFrom }) =>
        eb(
          refTuple('batch', 'row'),
          'in',
          selectFrom('staged_licenses')
            .select(['batch', 'row'])
            .where('staged_at', '<', before)
            .limit(atMost)
            .$asTuple('batch', 'row'),
        ),
      );

  return (connection: Connection): Transaction['staged'] => ({
    async insert(batch, licenses, now) {
      const keys = licenses.map(({ key }) => keyColumnsOf(key, keyring));
      const taken = await takenHashes(
        connection,
        keys.map(({ key_hash }) => key_hash),
      );
      const leftOut: number[] = [];
      let values: unknown[] = [];
      for (const [i, p] of licenses.entries()) {
        const { key_hash, sealed_key, ending_hash } = keys[i] as KeyColumns;
        if (taken.size > 0 && taken.has(Buffer.from(key_hash).toString('hex'))) {
          leftOut.push(p.row);
          continue;
        }
        values.push(batch, p.row, key_hash, sealed_key, p.orderId, p.productId, p.userId);
        values.push(p.expiresAt, p.validFor, p.status, p.activationsLimit, now, ending_hash);
        if (values.length < ROWS_AT_ONCE * VALUES) continue;
        await insertSome(connection, values);
        values = [];
      }
      for (let at = 0; at < values.length; at += VALUES) {
        await insertOne(connection, values.slice(at, at + VALUES));
      }
      return leftOut;
    },
    count: async (batch) => (await count(connection, { batch })).rows[0]?.rows ?? 0,
    repeated: async (batch) => (await repeated(connection, { batch })).rows.map(({ row }) => row),
    conflicts: async (batch) => (await conflicts(connection, { batch })).rows.map(({ row }) => row),
    commit: async (batch, made) => (await commit(connection, { batch, ...made })).affected,
    async discard(which, atMost) {
      const some = 'batch' in which ? discardOf(which.batch, atMost) : discardBefore(which.before, atMost);
      return (await execute(connection, some, { alone: true })).affected;
    },
    reseal: (keyId, after, atMost) => reseal(connection, keyId, after, atMost),
  });
}
