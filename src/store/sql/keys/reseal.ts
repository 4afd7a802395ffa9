import type { Kysely } from 'kysely';
import { type Keyring, UnknownSealingKey } from '../../keys/keyring.ts';
import type { Resealed, StagedPlace } from '../../store.ts';
import type { Schema } from '../schema.ts';
import { type Connection, prepare } from '../statement.ts';

/** A key that is sealed anew: its row, by its primary key, is changed only where it still has the bytes that were read. */
export interface Change<Place> {
  place: Place;
  was: Uint8Array;
  sealed: Uint8Array;
}
export type Replace<Place> = (connection: Connection, changes: readonly Change<Place>[]) => Promise<void>;

type Row<Place> = { place: Place; sealed_key: Uint8Array };
type Reseal<Place, After> = (
  connection: Connection,
  keyId: string,
  after: After,
  atMost: number,
) => Promise<Resealed<Place>>;

/** @param replace writes them, where an engine has its own way */
export function resealLicenses(
  db: Kysely<Schema>,
  keyring: Keyring,
  replace: Replace<number> = oneByOne(
    prepare((p: { place: number; was: Uint8Array; sealed: Uint8Array }) =>
      db
        .updateTable('licenses')
        .set({ sealed_key: p.sealed })
        .where('id', '=', p.place)
        .where('sealed_key', '=', p.was),
    ),
  ),
): Reseal<number, number> {
  const some = prepare((p: { after: number; atMost: number }) =>
    db
      .selectFrom('licenses')
      .select(['id as place', 'sealed_key'])
      .where('id', '>', p.after)
      .orderBy('id')
      .limit(p.atMost),
  );
  return async (connection, keyId, after, atMost) => {
    mustSeal(keyring, keyId);
    const { rows } = await some(connection, { after, atMost });
    return resealRows(connection, keyring, rows, atMost, replace);
  };
}

export function resealStaged(
  db: Kysely<Schema>,
  keyring: Keyring,
  replace: Replace<NonNullable<StagedPlace>> = oneByOne(
    prepare((p: { batch: string; row: number; was: Uint8Array; sealed: Uint8Array }) =>
      db
        .updateTable('staged_licenses')
        .set({ sealed_key: p.sealed })
        .where('batch', '=', p.batch)
        .where('row', '=', p.row)
        .where('sealed_key', '=', p.was),
    ),
  ),
): Reseal<NonNullable<StagedPlace>, StagedPlace> {
  const some = prepare((p: { batch: string; row: number; atMost: number }) =>
    db
      .selectFrom('staged_licenses')
      .select(['batch', 'row', 'sealed_key'])
      .where(({ eb, refTuple, tuple }) => eb(refTuple('batch', 'row'), '>', tuple(p.batch, p.row)))
      .orderBy('batch')
      .orderBy('row')
      .limit(p.atMost),
  );
  return async (connection, keyId, after, atMost) => {
    mustSeal(keyring, keyId);
    const { rows } = await some(connection, { ...(after ?? { batch: '', row: -1 }), atMost });
    const placed = rows.map(({ batch, row, sealed_key }) => ({ place: { batch, row }, sealed_key }));
    return resealRows(connection, keyring, placed, atMost, replace);
  };
}

/** Who has not heard yet which key seals must look before. */
function mustSeal(keyring: Keyring, keyId: string): void {
  if (keyring.keyId !== keyId) throw new UnknownSealingKey();
}

async function resealRows<Place>(
  connection: Connection,
  keyring: Keyring,
  rows: readonly Row<Place>[],
  atMost: number,
  replace: Replace<Place>,
): Promise<Resealed<Place>> {
  const resealed = keyring.resealAll(rows.map((row) => row.sealed_key));
  const changes = rows.flatMap(({ place, sealed_key }, i) => {
    const sealed = resealed[i];
    return sealed ? [{ place, was: sealed_key, sealed }] : [];
  });
  if (changes.length > 0) await replace(connection, changes);
  const next = rows.length === atMost ? (rows.at(-1)?.place ?? null) : null;
  return { seen: rows.length, others: changes.length, next };
}

const oneByOne =
  <Place, Values extends object>(
    replaceOne: (connection: Connection, values: Values) => Promise<unknown>,
  ): Replace<Place> =>
  async (connection, changes) => {
    for (const { place, was, sealed } of changes) {
      const named = typeof place === 'object' ? place : { place };
      await replaceOne(connection, { ...named, was, sealed } as unknown as Values);
    }
  };
