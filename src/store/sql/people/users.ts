import { type Kysely, type Selectable, sql } from 'kysely';
import { emailKeyOf, type Role, type User } from '../../../domain/user.ts';
import type { Keyring } from '../../keys/keyring.ts';
import type { Transaction, UserChanges } from '../../store.ts';
import type { Schema } from '../schema.ts';
import { type Connection, execute, prepare } from '../statement.ts';

/** Users that a list has at most: nobody has so many colleagues. */
const USERS_AT_ONCE = 1_000;

type UserColumns = Pick<
  Selectable<Schema['users']>,
  'id' | 'name' | 'email' | 'role' | 'disabled_at' | 'created_at'
> & { has_password: number; has_totp: number; last_seen_at: string | null };

const toUser = (row: UserColumns): User => ({
  id: row.id,
  name: row.name,
  email: row.email,
  role: row.role as Role | null,
  hasPassword: row.has_password === 1,
  hasTotp: row.has_totp === 1,
  disabledAt: row.disabled_at,
  lastSeenAt: row.last_seen_at,
  createdAt: row.created_at,
});

/** Whose secret it is, where it is sealed. */
const ofUser = (id: number): string => `totp of user ${id}`;

export function userQueries(db: Kysely<Schema>, keyring: Keyring) {
  const selected = () =>
    db
      .selectFrom('users')
      .select(['id', 'name', 'email', 'role', 'disabled_at', 'created_at'])
      .select([
        sql<number>`case when password_hash is null then 0 else 1 end`.as('has_password'),
        sql<number>`case when totp_secret is null then 0 else 1 end`.as('has_totp'),
      ])
      .select((eb) =>
        eb
          .selectFrom('sessions')
          .select((e) => e.fn.max('last_seen_at').as('last'))
          .whereRef('sessions.user_id', '=', 'users.id')
          .where('pending', '=', sql.lit(0))
          .as('last_seen_at'),
      );
  const exists = prepare((p: { id: number }) => db.selectFrom('users').select('id').where('id', '=', p.id));
  const byId = prepare((p: { id: number }) => selected().where('id', '=', p.id));
  const byEmail = prepare((p: { key: string }) => selected().where('email_key', '=', p.key));
  const all = prepare(() =>
    selected().where('email_key', 'is not', null).orderBy('id').limit(sql.lit(USERS_AT_ONCE)),
  );
  const secrets = prepare((p: { id: number }) =>
    db
      .selectFrom('users')
      .select(['password_hash', 'totp_secret', 'totp_pending', 'totp_last_step'])
      .where('id', '=', p.id),
  );
  const setUp = prepare(() =>
    db
      .selectFrom('users')
      .select('id')
      .where('role', '=', 'owner')
      .where('password_hash', 'is not', null)
      .limit(sql.lit(1)),
  );
  const insert = prepare((p: { id: number; name: string; createdAt: string }) =>
    db.insertInto('users').values({ id: p.id, name: p.name, created_at: p.createdAt }),
  );
  const otherOwners = prepare((p: { id: number }) =>
    db
      .selectFrom('users')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('role', '=', 'owner')
      .where('password_hash', 'is not', null)
      .where('disabled_at', 'is', null)
      .where('id', '<>', p.id),
  );
  const unused = prepare((p: { id: number }) =>
    db
      .selectFrom('recovery_codes')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('user_id', '=', p.id)
      .where('used_at', 'is', null),
  );
  const dropCodes = prepare((p: { id: number }) =>
    db.deleteFrom('recovery_codes').where('user_id', '=', p.id),
  );
  const useCode = prepare((p: { id: number; hash: Uint8Array; now: string }) =>
    db
      .updateTable('recovery_codes')
      .set({ used_at: p.now })
      .where('user_id', '=', p.id)
      .where('code_hash', '=', p.hash)
      .where('used_at', 'is', null),
  );

  const columnsOf = (id: number, changes: UserChanges) => {
    const { name, email, role, disabledAt, passwordHash, totpSecret, totpPending, totpLastStep } = changes;
    const sealed = (secret: string | null) => secret && keyring.sealSecret(secret, ofUser(id));
    return {
      ...(name !== undefined && { name }),
      ...(email !== undefined && { email, email_key: emailKeyOf(email) }),
      ...(role !== undefined && { role }),
      ...(disabledAt !== undefined && { disabled_at: disabledAt }),
      ...(passwordHash !== undefined && { password_hash: passwordHash }),
      ...(totpSecret !== undefined && { totp_secret: sealed(totpSecret) as Uint8Array | null }),
      ...(totpPending !== undefined && { totp_pending: sealed(totpPending) as Uint8Array | null }),
      ...(totpLastStep !== undefined && { totp_last_step: totpLastStep }),
    };
  };

  return (connection: Connection): Transaction['users'] => ({
    exists: async (id) => (await exists(connection, { id })).rows.length > 0,
    async find(id) {
      const row = (await byId(connection, { id })).rows[0];
      return row ? toUser(row) : null;
    },
    async findByEmail(key) {
      const row = (await byEmail(connection, { key })).rows[0];
      return row ? toUser(row) : null;
    },
    async secrets(id) {
      const row = (await secrets(connection, { id })).rows[0];
      const opened = (sealed: Uint8Array | null) => sealed && keyring.openSecret(sealed, ofUser(id));
      return row
        ? {
            passwordHash: row.password_hash,
            totpSecret: opened(row.totp_secret),
            totpPending: opened(row.totp_pending),
            totpLastStep: row.totp_last_step,
          }
        : null;
    },
    list: async () => (await all(connection, {})).rows.map(toUser),
    signInTag: keyring.signInTag,
    areSetUp: async () => (await setUp(connection, {})).rows.length > 0,
    countRecoveryCodes: async (id) => (await unused(connection, { id })).rows[0]?.count ?? 0,
    async names(ids) {
      if (ids.length === 0) return new Map();
      const query = db.selectFrom('users').select(['id', 'name']).where('id', 'in', ids);
      return new Map((await execute(connection, query)).rows.map(({ id, name }) => [id, name]));
    },
    async insert(row) {
      await insert(connection, row);
    },
    async create({ name, email, role, createdAt }) {
      const values = { name, email, email_key: emailKeyOf(email), role, created_at: createdAt };
      const query = db.insertInto('users').values(values).returning('id');
      return (await execute(connection, query)).rows[0]?.id as number;
    },
    async update(id, changes) {
      await execute(connection, db.updateTable('users').set(columnsOf(id, changes)).where('id', '=', id));
    },
    countOtherOwners: async (id) => (await otherOwners(connection, { id })).rows[0]?.count ?? 0,
    async replaceRecoveryCodes(id, hashes) {
      await dropCodes(connection, { id });
      if (hashes.length === 0) return;
      const values = hashes.map((hash) => ({ user_id: id, code_hash: hash }));
      await execute(connection, db.insertInto('recovery_codes').values(values));
    },
    useRecoveryCode: async (id, hash, now) => (await useCode(connection, { id, hash, now })).affected === 1,
  });
}
