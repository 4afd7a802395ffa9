import type { Kysely } from 'kysely';
import { type Keyring, UnknownSealingKey } from '../../keys/keyring.ts';
import type { Resealed, StagedPlace } from '../../store.ts';
import type { Schema } from '../schema.ts';
import { type Connection, prepare } from '../statement.ts';

/** A license key that was encrypted anew. Its row is changed only where it still has the bytes that were read. */
export interface Change<Place> {
  /** Primary key of the row. */
  place: Place;
  was: Uint8Array;
  sealed: Uint8Array;
}
export type Replace<Place> = (connection: Connection, changes: readonly Change<Place>[]) => Promise<void>;

type Row<Place> = { place: Place; key_hash: Uint8Array; sealed_key: Uint8Array };
type Reseal<Place, After> = (
  connection: Connection,
  keyId: string,
  after: After,
  atMost: number,
) => Promise<Resealed<Place>>;

/** @param replace writes the changes, where an engine has its own way */
export function resealLicenses(
  db: Kysely<Schema>,
  keyring: Keyring,
  replace?: Replace<number>,
): Reseal<number, number> {
  const replaceOne = prepare(({ place, was, sealed }: Change<number>) =>
    db
      .updateTable('licenses')
      .set({ sealed_key: sealed })
      .where('id', '=', place)
      .where('sealed_key', '=', was),
  );
  const some = prepare((p: { after: number; atMost: number }) =>
    db
      .selectFrom('licenses')
      .select(['id as place', 'key_hash', 'sealed_key'])
      .where('id', '>', p.after)
      .orderBy('id')
      .limit(p.atMost),
  );
  return async (connection, keyId, after, atMost) => {
    mustSealUnder(keyId, keyring);
    const { rows } = await some(connection, { after, atMost });
    return resealRows(connection, keyring, rows, atMost, replace ?? oneByOne(replaceOne));
  };
}

type PlaceInBatch = NonNullable<StagedPlace>;

export function resealStaged(
  db: Kysely<Schema>,
  keyring: Keyring,
  replace?: Replace<PlaceInBatch>,
): Reseal<PlaceInBatch, StagedPlace> {
  // Parameters are named one by one: a prepared query takes no nested objects.
  const replaceOne = prepare((p: PlaceInBatch & Pick<Change<PlaceInBatch>, 'was' | 'sealed'>) =>
    db
      .updateTable('staged_licenses')
      .set({ sealed_key: p.sealed })
      .where('batch', '=', p.batch)
      .where('row', '=', p.row)
      .where('sealed_key', '=', p.was),
  );
  const some = prepare((p: { batch: string; row: number; atMost: number }) =>
    db
      .selectFrom('staged_licenses')
      .select(['batch', 'row', 'key_hash', 'sealed_key'])
      .where(({ eb, refTuple, tuple }) => eb(refTuple('batch', 'row'), '>', tuple(p.batch, p.row)))
      .orderBy('batch')
      .orderBy('row')
      .limit(p.atMost),
  );
  return async (connection, keyId, after, atMost) => {
    mustSealUnder(keyId, keyring);
    const { rows } = await some(connection, { ...(after ?? { batch: '', row: -1 }), atMost });
    const placed = rows.map(({ batch, row, ...columns }) => ({ place: { batch, row }, ...columns }));
    const one = (on: Connection, { place, was, sealed }: Change<PlaceInBatch>) =>
      replaceOne(on, { ...place, was, sealed });
    return resealRows(connection, keyring, placed, atMost, replace ?? oneByOne(one));
  };
}

/** A process that has not heard yet of the key that seals must refresh its keys first. */
function mustSealUnder(keyId: string, keyring: Keyring): void {
  if (keyring.keyId !== keyId) throw new UnknownSealingKey();
}

async function resealRows<Place>(
  connection: Connection,
  keyring: Keyring,
  rows: readonly Row<Place>[],
  atMost: number,
  replace: Replace<Place>,
): Promise<Resealed<Place>> {
  const changes = rows.flatMap(({ place, key_hash, sealed_key: was }) => {
    const sealed = keyring.reseal(was, key_hash);
    return sealed ? [{ place, was, sealed }] : [];
  });
  if (changes.length > 0) await replace(connection, changes);
  const next = rows.length === atMost ? (rows.at(-1)?.place ?? null) : null;
  return { seen: rows.length, resealed: changes.length, next };
}

const oneByOne =
  <Place>(replaceOne: (connection: Connection, change: Change<Place>) => Promise<unknown>): Replace<Place> =>
  async (connection, changes) => {
    for (const change of changes) await replaceOne(connection, change);
  };
