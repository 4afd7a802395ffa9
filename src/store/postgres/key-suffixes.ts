import type { Keyring } from '../keys/keyring.ts';
import { fillEndingsOf } from '../sql/licenses/key-suffix.ts';
import { type Kind, nameOf } from '../sql/statement.ts';
import { postgresDb } from './connection.ts';

/** All rows in one statement, as where keys are sealed anew. */
const FILL = `
  update licenses set ending_hash = given.ending
  from unnest($1::bigint[], $2::bytea[], $3::bytea[]) as given (id, hash, ending)
  where licenses.id = given.id and licenses.key_hash = given.hash and licenses.ending_hash is null`;
const KIND: Kind = { name: nameOf(FILL), reads: false, alone: true };

export const fillEndings = (keyring: Keyring) =>
  fillEndingsOf(postgresDb, keyring, async (connection, fillings) => {
    const columns = [
      fillings.map(({ id }) => id),
      fillings.map(({ hash }) => hash),
      fillings.map(({ ending }) => ending),
    ];
    await connection.execute(FILL, columns, KIND);
  });
