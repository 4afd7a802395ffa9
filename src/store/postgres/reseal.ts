import type { Keyring } from '../keys/keyring.ts';
import { type Replace, resealLicenses, resealStaged } from '../sql/keys/reseal.ts';
import { type Kind, nameOf } from '../sql/statement.ts';
import type { StagedPlace } from '../store.ts';
import { postgresDb } from './connection.ts';

/** All rows in one statement, with an array for each column: one round trip for many rows. */
const LICENSES = `
  update licenses set sealed_key = given.sealed
  from unnest($1::bigint[], $2::bytea[], $3::bytea[]) as given (id, was, sealed)
  where licenses.id = given.id and licenses.sealed_key = given.was`;
const STAGED = `
  update staged_licenses set sealed_key = given.sealed
  from unnest($1::text[], $2::integer[], $3::bytea[], $4::bytea[]) as given (batch, row, was, sealed)
  where staged_licenses.batch = given.batch and staged_licenses.row = given.row
    and staged_licenses.sealed_key = given.was`;
const kindOf = (text: string): Kind => ({ name: nameOf(text), reads: false, alone: true });
const [OF_LICENSES, OF_STAGED] = [kindOf(LICENSES), kindOf(STAGED)];

const replaceLicenses: Replace<number> = async (connection, changes) => {
  const columns = [
    changes.map(({ place }) => place),
    changes.map(({ was }) => was),
    changes.map(({ sealed }) => sealed),
  ];
  await connection.execute(LICENSES, columns, OF_LICENSES);
};

const replaceStaged: Replace<NonNullable<StagedPlace>> = async (connection, changes) => {
  const columns = [
    changes.map(({ place }) => place.batch),
    changes.map(({ place }) => place.row),
    changes.map(({ was }) => was),
    changes.map(({ sealed }) => sealed),
  ];
  await connection.execute(STAGED, columns, OF_STAGED);
};

export const resealQueries = (keyring: Keyring) => ({
  licenses: resealLicenses(postgresDb, keyring, replaceLicenses),
  staged: resealStaged(postgresDb, keyring, replaceStaged),
});
