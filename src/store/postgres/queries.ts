import type { Keyring } from '../keys/keyring.ts';
import { watchEndpoints } from '../sql/events/wanted-cache.ts';
import { queries } from '../sql/index.ts';
import { type Connection, execute, type Kind } from '../sql/statement.ts';
import type { Transaction, WantedEvents } from '../store.ts';
import { notifyOfChange } from './caches.ts';
import { advanceIds, postgresDb, postgresEngine } from './connection.ts';
import { deactivateAndFreeSeat, insertWithSeat, licenseChanged, mustBeFull } from './licenses.ts';
import { commitStaged, insertStaged } from './staged.ts';

/** Values that the transaction of a command is given. */
interface OfCommand {
  /** The events that are wanted: all statements of a command must use the same set. */
  events: WantedEvents;
  /** Called when the transaction changes values that nodes cache. */
  onCached(): void;
}
/** Binds the queries to a connection. */
export type Bind = (connection: Connection, command?: OfCommand) => Transaction;

/** PostgreSQL text has no U+0000, so no record has such a value. */
const isText = (text: string): boolean => !text.includes('\0');

/**
 * Locks the audit chain, under any number that nothing else uses. Reads after the lock see what the previous holder
 * committed.
 */
const LOCK_CHAIN = 'select pg_advisory_xact_lock(7203318407)';

/** Locks the places of events in the same way. */
const LOCK_EVENTS = 'select pg_advisory_xact_lock(7203318409)';

/**
 * After the commit of a batch, the search for conflicts compares sealed keys of staged rows with those of licenses. So no
 * staged key may be encrypted again in between. Nor may records of a move be deleted between their count and its commit.
 * Commits do not exclude each other.
 */
const LOCK_STAGED = 'select pg_advisory_xact_lock(7203318408)';
const TRY_LOCK_STAGED = 'select pg_try_advisory_xact_lock(7203318408) as "isTaken"';
const LOCK_STAGED_SHARED = 'select pg_advisory_xact_lock_shared(7203318408)';
/** The commit of a large batch may take longer than a request. */
const WAITS: Kind = { name: null, reads: false, slow: true };

/** Taken before counting, so that no row is inserted or deleted until the counts are written. */
const LOCK_COUNTED = 'lock table licenses, generators, software in share row exclusive mode';

/** The shared queries, with those that PostgreSQL does differently (docs/decisions/0006-postgresql.md). */
export function postgresQueries(keyring: Keyring): Bind {
  const bind = queries(postgresEngine, keyring);
  return (connection, command) => {
    const shared = bind(connection);
    const { activations, apiKeys, audit, endpoints, events, licenses } = shared;
    const { moves, recordCounts, software, staged, users } = shared;
    const notify = async <T>(changed: T): Promise<T> => {
      command?.onCached();
      await notifyOfChange(connection);
      return changed;
    };
    return {
      ...shared,
      licenses: {
        ...licenses,
        update: async (...values) => (await licenses.update(...values)) ?? licenseChanged(),
        delete: async (...values) => (await licenses.delete(...values)) || licenseChanged(),
        async takeSeat(license) {
          const timesActivated = await licenses.takeSeat(license);
          if (timesActivated === null) await mustBeFull(licenses, license);
          return timesActivated;
        },
      },
      activations: {
        ...activations,
        findByToken: async (token) => (isText(token) ? activations.findByToken(token) : null),
        findLeasable: async (token) => (isText(token) ? activations.findLeasable(token) : null),
        insertWithSeat: insertWithSeat(connection, keyring, licenses),
        deactivateAndFreeSeat: deactivateAndFreeSeat(connection, activations),
      },
      staged: {
        ...staged,
        insert: insertStaged(connection, keyring),
        async commit(...values) {
          await connection.execute(LOCK_STAGED_SHARED, []);
          return commitStaged(connection)(...values);
        },
        async reseal(...values) {
          await connection.execute(LOCK_STAGED, [], WAITS);
          return staged.reseal(...values);
        },
      },
      software: {
        ...software,
        async insert(row) {
          const inserted = await software.insert(row);
          if (row.id) await execute(connection, advanceIds('software', row.id).compile(postgresDb));
          return inserted;
        },
        findBySlug: async (slug) => (isText(slug) ? software.findBySlug(slug) : null),
      },
      moves: {
        ...moves,
        async countStaged(shop) {
          await connection.execute(LOCK_STAGED_SHARED, []);
          return moves.countStaged(shop);
        },
        commit: async (...values) => notify(await moves.commit(...values)),
        async unstage(...values) {
          await connection.execute(LOCK_STAGED, [], WAITS);
          return moves.unstage(...values);
        },
        async discard(which, atMost) {
          if (typeof which === 'object' && 'before' in which) {
            // Housekeeping comes again. If it waited for a long commit, all later commits would wait behind it.
            const [taken] = (await connection.execute(TRY_LOCK_STAGED, [])).rows as { isTaken: boolean }[];
            if (!taken?.isTaken) return 0;
          } else await connection.execute(LOCK_STAGED, [], WAITS);
          return moves.discard(which, atMost);
        },
      },
      audit: { ...audit, lock: async () => void (await connection.execute(LOCK_CHAIN, [])) },
      events: {
        ...events,
        ...(command && { wanted: async () => command.events }),
        lock: async () => void (await connection.execute(LOCK_EVENTS, [])),
      },
      endpoints: watchEndpoints(endpoints, notify),
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
          await execute(connection, advanceIds('users', row.id).compile(postgresDb));
        },
        findByEmail: async (key) => (isText(key) ? users.findByEmail(key) : null),
      },
      apiKeys: {
        ...apiKeys,
        update: async (...values) => notify(await apiKeys.update(...values)),
      },
    };
  };
}
