import { type Kysely, sql } from 'kysely';
import type { Keyring } from '../keyring.ts';
import type { StagedLicense, Transaction } from '../store.ts';
import { takenHashesQuery } from './key-hashes.ts';
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

type StagedRow = Omit<StagedLicense, 'key'> & {
  batch: string;
  hash: Uint8Array;
  sealed: Uint8Array;
  now: string;
};

/**
 * Staged rows are only ever written one behind the other: no index but their own order, so that staging costs a
 * third of what it did with a unique index on the hash. Keys that repeat are found once, before the commit.
 */
export function stagedQueries(db: Kysely<Schema>, keyring: Keyring) {
  const takenHashes = takenHashesQuery(db);
  const insert = prepare((p: StagedRow) =>
    db.insertInto('staged_licenses').values({
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
    }),
  );
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
        .where('staged_licenses.batch', '=', p.batch)
        .orderBy('staged_licenses.row'),
    { slow: true },
  );
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
  const discard = (which: { batch: string } | { before: string }, atMost: number) => {
    const staged = db.selectFrom('staged_licenses').select(['batch', 'row']).limit(atMost);
    const some =
      'batch' in which
        ? staged.where('batch', '=', which.batch)
        : staged.where('staged_at', '<', which.before);
    return db
      .deleteFrom('staged_licenses')
      .where(({ eb, refTuple }) => eb(refTuple('batch', 'row'), 'in', some.$asTuple('batch', 'row')));
  };

  return (connection: Connection): Transaction['staged'] => ({
    async insert(batch, licenses, now) {
      const hashed = licenses.map((license) => ({ ...license, hash: keyring.hash(license.key) }));
      const taken = await takenHashes(
        connection,
        hashed.map(({ hash }) => hash),
      );
      const isTaken = ({ hash }: { hash: Buffer }) => taken.size > 0 && taken.has(hash.toString('hex'));
      for (const one of hashed) {
        if (isTaken(one)) continue;
        const { key, ...row } = one;
        await insert(connection, { ...row, batch, now, sealed: keyring.seal(key) });
      }
      return hashed.filter(isTaken).map(({ row }) => row);
    },
    count: async (batch) => (await count(connection, { batch })).rows[0]?.rows ?? 0,
    repeated: async (batch) => (await repeated(connection, { batch })).rows.map(({ row }) => row),
    conflicts: async (batch) => (await conflicts(connection, { batch })).rows.map(({ row }) => row),
    commit: async (batch, made) => (await commit(connection, { batch, ...made })).affected,
    discard: async (which, atMost) =>
      (await execute(connection, discard(which, atMost), { alone: true })).affected,
  });
}
