import { sql } from 'kysely';
import { emailKeyOf } from '../../../domain/email-address.ts';
import { camelCased } from '../../../domain/names.ts';
import type { User } from '../../../domain/user.ts';
import type { Keyring } from '../../keys/keyring.ts';
import type { Transaction, UserChanges } from '../../store.ts';
import { countRows, first, type RowOf, recordQueries } from '../record.ts';
import { type Connection, type Database, execute, prepare } from '../statement.ts';

/** Maximum number of users in a list. */
const USERS_AT_ONCE = 1_000;

const COLUMNS = ['id', 'name', 'email', 'role', 'disabled_at', 'last_seen_at', 'created_at'] as const;
const SECRETS = [
  'password_hash',
  'totp_secret',
  'totp_pending',
  'totp_pending_at',
  'totp_tries',
  'totp_last_step',
] as const;
type Row = Pick<RowOf<'users'>, (typeof COLUMNS)[number]> & Record<'has_password' | 'has_totp', number>;

const toUser = (row: Row): User => ({
  ...camelCased(row),
  hasPassword: row.has_password === 1,
  hasTotp: row.has_totp === 1,
});

/** The context that a user's secret is encrypted with. */
export const totpContext = (id: number): string => `totp of user ${id}`;

export function userQueries(db: Database, keyring: Keyring) {
  const selected = () =>
    db
      .selectFrom('users')
      .select(COLUMNS)
      .select([
        sql<number>`case when password_hash is null then 0 else 1 end`.as('has_password'),
        sql<number>`case when totp_secret is null then 0 else 1 end`.as('has_totp'),
      ]);
  const byId = prepare((p: { id: number }) => selected().where('id', '=', p.id));
  const byEmail = prepare((p: { key: string }) => selected().where('email_key', '=', p.key));
  const secrets = prepare((p: { id: number }) =>
    db.selectFrom('users').select(SECRETS).where('id', '=', p.id),
  );
  const owners = () =>
    db.selectFrom('users').where('role', '=', 'owner').where('password_hash', 'is not', null);
  const unusedCodes = (id: number) =>
    db.selectFrom('recovery_codes').where('user_id', '=', id).where('used_at', 'is', null);
  const users = recordQueries(db, 'users');
  const valuesOf = (id: number, { email, totpSecret, totpPending, ...changes }: UserChanges) => {
    const sealed = (secret?: string | null) => secret && keyring.sealSecret(secret, totpContext(id));
    return {
      ...changes,
      totpSecret: sealed(totpSecret),
      totpPending: sealed(totpPending),
      ...(email !== undefined && { email, emailKey: emailKeyOf(email) }),
    };
  };

  return (connection: Connection): Transaction['users'] => ({
    find: async (id) => first((await byId(connection, { id })).rows, toUser),
    findByEmail: async (key) => first((await byEmail(connection, { key })).rows, toUser),
    async secrets(id) {
      const opened = (sealed: Uint8Array | null) => sealed && keyring.openSecret(sealed, totpContext(id));
      return first((await secrets(connection, { id })).rows, (row) => ({
        ...camelCased(row),
        totpSecret: opened(row.totp_secret),
        totpPending: opened(row.totp_pending),
      }));
    },
    async list() {
      const query = selected().where('email_key', 'is not', null).orderBy('id').limit(USERS_AT_ONCE);
      return (await execute(connection, query)).rows.map(toUser);
    },
    signInTag: keyring.signInTag,
    areSetUp: async () => (await countRows(connection, owners())) > 0,
    countRecoveryCodes: (id) => countRows(connection, unusedCodes(id)),
    async names(ids) {
      if (ids.length === 0) return new Map();
      const query = db.selectFrom('users').select(['id', 'name']).where('id', 'in', ids);
      return new Map((await execute(connection, query)).rows.map(({ id, name }) => [id, name]));
    },
    insert: async (row) => void (await users.insert(connection, row)),
    create: (row) => users.insert(connection, { ...row, emailKey: emailKeyOf(row.email) }),
    update: (id, changes) => users.update(connection, id, valuesOf(id, changes)),
    async noteTotpTry(id) {
      const query = db.updateTable('users').set((eb) => ({ totp_tries: eb('totp_tries', '+', sql.lit(1)) }));
      await execute(connection, query.where('id', '=', id));
    },
    countOtherOwners: (id) =>
      countRows(connection, owners().where('disabled_at', 'is', null).where('id', '<>', id)),
    async replaceRecoveryCodes(id, hashes) {
      await execute(connection, db.deleteFrom('recovery_codes').where('user_id', '=', id));
      if (hashes.length === 0) return;
      const values = hashes.map((hash) => ({ user_id: id, code_hash: hash }));
      await execute(connection, db.insertInto('recovery_codes').values(values));
    },
    async useRecoveryCode(id, hash, now) {
      const query = db.updateTable('recovery_codes').set({ used_at: now }).where('user_id', '=', id);
      const unused = query.where('code_hash', '=', hash).where('used_at', 'is', null);
      return (await execute(connection, unused)).affected === 1;
    },
  });
}
