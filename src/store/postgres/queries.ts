import type { License } from '../../domain/license.ts';
import type { Keyring } from '../keys/keyring.ts';
import { queries } from '../sql/index.ts';
import { type Connection, type Kind, nameOf } from '../sql/statement.ts';
import type { Transaction } from '../store.ts';
import { notifyOfApiKeys } from './api-keys.ts';
import { postgresDb, postgresMigrationTools } from './connection.ts';
import { Retry } from './errors.ts';
import { fillKeySuffixes } from './key-suffixes.ts';
import { findWithActivations } from './licenses.ts';
import { resealQueries } from './reseal.ts';
import { insertStaged } from './staged.ts';

/** Binds the queries to a connection. @param onApiKeys is called when API keys are being changed */
export type Bind = (connection: Connection, onApiKeys?: () => void) => Transaction;

/** The shared queries, and what this engine does its own way. */
export function postgresQueries(keyring: Keyring): Bind {
  const bind = queries(postgresDb, keyring, postgresMigrationTools.lowered);
  const reseal = resealQueries(keyring);
  const fill = fillKeySuffixes(keyring);
  return (connection, onApiKeys) => {
    const shared = bind(connection);
    const tellOfApiKeys = async () => {
      onApiKeys?.();
      await notifyOfApiKeys(connection);
    };
    const { activations, apiKeys, audit, licenses, recordCounts, software, staged, users } = shared;
    return {
      ...shared,
      licenses: {
        ...licenses,
        findWithActivations: findWithActivations(connection, keyring),
        async update(license, changes) {
          const updated = await licenses.update(license, changes);
          return updated ?? lost();
        },
        async delete(license) {
          return (await licenses.delete(license)) || lost();
        },
        async takePlace(license) {
          const timesActivated = await licenses.takePlace(license);
          if (timesActivated === null) await mustBeFull(licenses, license);
          return timesActivated;
        },
        reseal: (...asked) => reseal.licenses(connection, ...asked),
        fillKeySuffixes: (...asked) => fill(connection, ...asked),
      },
      activations: {
        ...activations,
        findByToken: async (token) => (isText(token) ? activations.findByToken(token) : null),
        insertInPlace: insertInPlace(connection, licenses),
      },
      staged: {
        ...staged,
        insert: insertStaged(connection, keyring),
        async commit(batch, made) {
          await connection.execute(LOCK_STAGED_SHARED, []);
          return staged.commit(batch, made);
        },
        async reseal(...asked) {
          await connection.execute(LOCK_STAGED, [], WAITS);
          return reseal.staged(connection, ...asked);
        },
      },
      software: {
        ...software,
        findBySlug: async (slug) => (isText(slug) ? software.findBySlug(slug) : null),
      },
      audit: {
        ...audit,
        async lock() {
          await connection.execute(LOCK_CHAIN, []);
        },
      },
      recordCounts: {
        async recount() {
          await connection.execute(LOCK_COUNTED, []);
          await recordCounts.recount();
        },
      },
      users: {
        ...users,
        async insert(row) {
          await users.insert(row);
          await connection.execute(COUNT_ON_FROM_USERS, []);
        },
        findByEmail: async (key) => (isText(key) ? users.findByEmail(key) : null),
      },
      apiKeys: {
        ...apiKeys,
        async replaceSecret(id, secretHash) {
          await apiKeys.replaceSecret(id, secretHash);
          await tellOfApiKeys();
        },
        async update(id, changes) {
          const won = await apiKeys.update(id, changes);
          if (won) await tellOfApiKeys();
          return won;
        },
        async replace(...replaced) {
          await apiKeys.replace(...replaced);
          await tellOfApiKeys();
        },
        async revoke(id, now) {
          const won = await apiKeys.revoke(id, now);
          if (won) await tellOfApiKeys();
          return won;
        },
      },
    };
  };
}

/** Text with U+0000 is none to PostgreSQL, and so nothing is called that. */
const isText = (text: string): boolean => !text.includes('\0');

/** An id that was given leaves the sequence where it was. */
const COUNT_ON_FROM_USERS =
  "select setval(pg_get_serial_sequence('users', 'id'), (select max(id) from users))";

/** Any number that nobody else uses. What is read after it is what the one before has committed. */
const LOCK_CHAIN = 'select pg_advisory_xact_lock(7203318407)';

/**
 * After the commit of a batch, the search for conflicts compares sealed keys of staged rows with those of licenses. So no
 * staged key may be encrypted anew in between. Commits of several batches do not exclude each other.
 */
const LOCK_STAGED = 'select pg_advisory_xact_lock(7203318408)';
const LOCK_STAGED_SHARED = 'select pg_advisory_xact_lock_shared(7203318408)';
/** The commit of a large batch may take longer than a request. */
const WAITS: Kind = { name: null, reads: false, slow: true };

/** Before anything is looked at, so that nothing comes or goes between the counting and its end. */
const LOCK_COUNTED = 'lock table licenses, generators, software in share row exclusive mode';

/** Both changes in one statement, which is a transaction by itself: it saves the ways of beginning and committing one. */
const INSERT_IN_PLACE = `
  with place as (
    update licenses set times_activated = times_activated + 1
    where id = $1 and status = $2 and expires_at is not distinct from $3
      and (activations_limit = 0 or times_activated < activations_limit)
    returning times_activated
  ), made as (
    insert into activations
      (license_id, software_id, token, label, source, ip_address, user_agent, meta, created_at)
    select $1, $4, $5, $6, $7, $8, $9, $10, $11 from place
    returning id
  )
  select made.id, place.times_activated from made, place`;

const KIND: Kind = { name: nameOf(INSERT_IN_PLACE), reads: false, alone: true };

/** What was looked up is not so any more: it is to be looked up again. */
function lost(): never {
  throw new Retry('the license was changed in between');
}

/** Throws where no place was taken for another reason than that none is free. */
async function mustBeFull(licenses: Transaction['licenses'], read: License): Promise<void> {
  const now = await licenses.find({ key: read.key });
  const isAsRead = now?.id === read.id && now.status === read.status && now.expiresAt === read.expiresAt;
  if (!isAsRead || now.activationsLimit === 0 || now.timesActivated < now.activationsLimit) lost();
}

function insertInPlace(
  connection: Connection,
  licenses: Transaction['licenses'],
): Transaction['activations']['insertInPlace'] {
  return async (license, row) => {
    const values = [
      ...[license.id, license.status, license.expiresAt],
      ...[row.softwareId, row.token, row.label, row.source, row.ipAddress, row.userAgent],
      ...[row.meta === null ? null : JSON.stringify(row.meta), row.createdAt],
    ];
    const { rows } = await connection.execute(INSERT_IN_PLACE, values, KIND);
    const made = (rows as { id: number; times_activated: number }[])[0];
    if (made) {
      const activation = { ...row, id: made.id, updatedAt: null, deactivatedAt: null };
      return { activation, timesActivated: made.times_activated };
    }
    await mustBeFull(licenses, license);
    return null;
  };
}
