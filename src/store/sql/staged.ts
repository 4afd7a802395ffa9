import { type Kysely, sql } from 'kysely';
import type { Keyring } from '../keyring.ts';
import type { StagedLicense, Transaction } from '../store.ts';
import type { Schema } from './schema.ts';
import { type Connection, execute, prepare } from './statement.ts';

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
] as const;

export function stagedQueries(db: Kysely<Schema>, keyring: Keyring) {
  type Values = Omit<StagedLicense, 'key'> & {
    batch: string;
    hash: Uint8Array;
    sealed: Uint8Array;
    now: string;
  };
  const insert = prepare((p: Values) =>
    db
      .insertInto('staged_licenses')
      .values({
        batch: p.batch,
        row: p.row,
        key_hash: p.hash,
        sealed_key: p.sealed,
        order_id: p.orderId,
        product_id: p.productId,
        user_id: p.userId,
        expires_at: p.expiresAt,
        valid_for: p.validFor,
        status: p.status,
        activations_limit: p.activationsLimit,
        staged_at: p.now,
      })
      .onConflict((conflict) => conflict.doNothing()),
  );
  const conflicts = prepare((p: { batch: string }) =>
    db
      .selectFrom('staged_licenses')
      .innerJoin('licenses', 'licenses.key_hash', 'staged_licenses.key_hash')
      .select('staged_licenses.row')
      .where('staged_licenses.batch', '=', p.batch)
      .orderBy('staged_licenses.row'),
  );
  const commit = prepare((p: { batch: string; source: number; createdAt: string; createdBy: number }) =>
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
          .where(({ not, exists, selectFrom }) =>
            not(
              exists(
                selectFrom('licenses')
                  .select('licenses.id')
                  .whereRef('licenses.key_hash', '=', 'staged_licenses.key_hash'),
              ),
            ),
          )
          .orderBy('row'),
      ),
  );
  const discard = (which: { batch: string } | { before: string }, atMost: number) => {
    const staged = db.selectFrom('staged_licenses').select(['batch', 'key_hash']).limit(atMost);
    const some =
      'batch' in which
        ? staged.where('batch', '=', which.batch)
        : staged.where('staged_at', '<', which.before);
    return db
      .deleteFrom('staged_licenses')
      .where(({ eb, refTuple }) =>
        eb(refTuple('batch', 'key_hash'), 'in', some.$asTuple('batch', 'key_hash')),
      );
  };

  return (connection: Connection): Transaction['staged'] => ({
    async insert(batch, { key, ...row }, now) {
      const values = { ...row, batch, now, hash: keyring.hash(key), sealed: keyring.seal(key) };
      return (await insert(connection, values)).affected === 1;
    },
    conflicts: async (batch) => (await conflicts(connection, { batch })).rows.map(({ row }) => row),
    commit: async (batch, made) => (await commit(connection, { batch, ...made })).affected,
    discard: async (which, atMost) => (await execute(connection, discard(which, atMost))).affected,
  });
}
