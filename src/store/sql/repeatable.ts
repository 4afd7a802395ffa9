import type { Keyring } from '../keys/keyring.ts';
import type { RepeatableWrites } from '../store.ts';
import type { RowOf } from './record.ts';
import { type Connection, type Database, execute } from './statement.ts';

interface Repeatable<Table extends 'idempotency_keys' | 'repeated_changes', Result> {
  table: Table;
  owner: keyof RowOf<Table>;
  /** Prefixes of keys and of digests. Fingerprints and labels of devices have other prefixes. */
  marks: readonly [string, string];
  /** Columns of the result until the request ends. */
  initial: Partial<RowOf<Table>>;
  columnsOf(result: Result): Partial<RowOf<Table>>;
  resultOf(row: RowOf<Table>): Result;
}

export const requestQueries = (db: Database, keyring: Keyring) =>
  repeatableQueries<'idempotency_keys', { activationId: number; isNew: boolean }>(db, keyring, {
    table: 'idempotency_keys',
    owner: 'license_id',
    marks: ['k', 'r'],
    initial: { activation_id: null, is_new: 0 },
    columnsOf: ({ activationId, isNew }) => ({ activation_id: activationId, is_new: isNew ? 1 : 0 }),
    resultOf: (row) => ({ activationId: row.activation_id ?? 0, isNew: row.is_new === 1 }),
  });

export const repeatedChangeQueries = (db: Database, keyring: Keyring) =>
  repeatableQueries<'repeated_changes', unknown>(db, keyring, {
    table: 'repeated_changes',
    owner: 'user_id',
    marks: ['u', 'v'],
    initial: { note: null },
    columnsOf: (note) => ({ note: JSON.stringify(note) }),
    resultOf: (row) => JSON.parse(row.note ?? 'null'),
  });

function repeatableQueries<Table extends 'idempotency_keys' | 'repeated_changes', Result>(
  db: Database,
  keyring: Keyring,
  { marks: [ofKey, ofDigest], initial, columnsOf, resultOf, ...names }: Repeatable<Table, Result>,
) {
  // Kysely cannot follow a table that is a type parameter.
  const { table, owner } = names as unknown as { table: 'idempotency_keys'; owner: 'license_id' };
  const hashOf = (ownerId: number, key: string) => keyring.deviceTag(ownerId, ofKey + key);

  return (connection: Connection): RepeatableWrites<Result> => ({
    async begin(ownerId, { key, digest }, before, now) {
      const request_hash = keyring.deviceTag(ownerId, ofDigest + digest);
      const begun = { ...initial, created_at: now, request_hash };
      const insert = db
        .insertInto(table)
        .values({ [owner]: ownerId, key_hash: hashOf(ownerId, key), ...begun } as never);
      // Waits for another transaction with the same key.
      const unlessKnown = insert
        .onConflict((c) =>
          c.columns([owner, 'key_hash']).doUpdateSet(begun).where(`${table}.created_at`, '<=', before),
        )
        .returning(owner);
      if ((await execute(connection, unlessKnown)).rows.length > 0) return null;
      const query = db
        .selectFrom(table)
        .selectAll()
        .where(owner, '=', ownerId)
        .where('key_hash', '=', hashOf(ownerId, key));
      const earlier = (await execute(connection, query)).rows[0];
      return earlier
        ? {
            isSame: earlier.request_hash === request_hash,
            result: resultOf(earlier as unknown as RowOf<Table>),
          }
        : null;
    },
    async end(ownerId, key, result) {
      const query = db
        .updateTable(table)
        .set(columnsOf(result))
        .where(owner, '=', ownerId)
        .where('key_hash', '=', hashOf(ownerId, key));
      await execute(connection, query);
    },
    async discard(before, atMost) {
      const old = db
        .selectFrom(table)
        .select([owner, 'key_hash'])
        .where('created_at', '<=', before)
        .orderBy('created_at')
        .limit(atMost);
      const query = db
        .deleteFrom(table)
        .where(({ eb, refTuple }) => eb(refTuple(owner, 'key_hash'), 'in', old.$asTuple(owner, 'key_hash')))
        .where('created_at', '<=', before);
      return (await execute(connection, query)).affected;
    },
  });
}
