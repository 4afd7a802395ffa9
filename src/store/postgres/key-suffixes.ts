import type { Keyring } from '../keys/keyring.ts';
import { fillKeySuffixesOf } from '../sql/licenses/key-suffix.ts';
import { type Kind, nameOf } from '../sql/statement.ts';
import { postgresDb } from './connection.ts';

/** All rows in one statement, so that a batch is one round trip. */
const FILL = `
  update licenses set ending_hash = given.suffix
  from unnest($1::bigint[], $2::bytea[], $3::bytea[]) as given (id, hash, suffix)
  where licenses.id = given.id and licenses.key_hash = given.hash and licenses.ending_hash is null`;
const KIND: Kind = { name: nameOf(FILL), reads: false, alone: true };

export const fillKeySuffixes = (keyring: Keyring) =>
  fillKeySuffixesOf(postgresDb, keyring, async (connection, fillings) => {
    const columns = [
      fillings.map(({ id }) => id),
      fillings.map(({ hash }) => hash),
      fillings.map(({ suffix }) => suffix),
    ];
    await connection.execute(FILL, columns, KIND);
  });
