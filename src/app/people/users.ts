import { FIRST_USER } from '../../domain/actor.ts';
import type { Datetime } from '../../domain/datetime.ts';
import { done, notFound, type Outcome, refused } from '../../domain/refusal.ts';
import { type InvitationPurpose, invitationEnd } from '../../domain/session.ts';
import type { Role, User } from '../../domain/user.ts';
import { defineCommand } from '../command.ts';
import { unlessTaken } from '../unless-taken.ts';
import { type CreateSession, endReplaced, insertSession, type NewSession } from './sessions.ts';
import { NO_TOTP } from './totp.ts';

const emailTaken = (email = '') => refused('user_email_exists', { named: email });

interface CreateUser {
  name: string;
  email: string;
  role: Role;
  /** `null` until the user sets a password through a link. */
  passwordHash: string | null;
}

/** Creates a user who may sign in. The first owner becomes user 1, the author of the service's own changes. */
export const createUser = defineCommand({
  name: 'create-user',
  audit: 'always',
  run: async ({ users }, input: CreateUser, { now, record }): Promise<Outcome<User>> => {
    const { name, email, role, passwordHash } = input;
    const first = role === 'owner' ? await users.find(FIRST_USER) : null;
    const isFirst = first !== null && first.role === null && !(await users.areSetUp());
    const created = await unlessTaken(emailTaken(email), async () => {
      const id = isFirst ? FIRST_USER : await users.create({ name, email, role, createdAt: now });
      const secret = passwordHash === null ? {} : { passwordHash };
      if (isFirst || passwordHash !== null) await users.update(id, { name, email, role, ...secret });
      const user = await users.find(id);
      if (!user) throw new Error('a user who was just created is missing');
      return user;
    });
    if (!created.ok) return created;
    const { value: after } = created;
    if (isFirst) record({ action: 'user.update', id: after.id, before: first, after });
    else record({ action: 'user.create', id: after.id, after });
    return created;
  },
});

interface UpdateUser {
  id: number;
  changes: { name?: string; email?: string; role?: Role; disabled?: boolean };
}

/** Changes a user. Ends the user's sessions if the role changes, or if the user is disabled. */
export const updateUser = defineCommand({
  name: 'update-user',
  audit: 'always',
  run: async (
    { users, sessions, invitations },
    { id, changes: { disabled, ...changes } }: UpdateUser,
    { now, record },
  ): Promise<Outcome<User>> => {
    const user = await users.find(id);
    if (!user || user.email === null) return notFound('user', String(id));
    const disabledAt = disabled === undefined ? user.disabledAt : disabled ? (user.disabledAt ?? now) : null;
    const updated = { ...user, ...changes, disabledAt };
    const isOwner = user.role === 'owner' && user.hasPassword && user.disabledAt === null;
    const staysOwner = updated.role === 'owner' && disabledAt === null;
    if (isOwner && !staysOwner && (await users.countOtherOwners(id)) === 0)
      return refused('last_owner', { named: user.name });
    if (Object.keys(changes).length > 0 || disabledAt !== user.disabledAt) {
      const update = () => users.update(id, { ...changes, disabledAt });
      const written = await unlessTaken(emailTaken(changes.email), update);
      if (!written.ok) return written;
    }
    if (updated.role !== user.role || disabledAt !== user.disabledAt) await sessions.deleteOf(id, null);
    // A pending link was sent to the old address.
    if (disabledAt !== null || updated.email !== user.email) await invitations.deleteOf(id);
    record({ action: 'user.update', id, before: user, after: updated });
    return done(updated);
  },
});

type InviteUser = { userId: number; purpose: InvitationPurpose; tokenHash: Uint8Array };

/** Creates a link for setting a password. Earlier links of the user stop working. Returns its expiry. */
export const inviteUser = defineCommand({
  name: 'invite-user',
  audit: 'always',
  run: async (
    { users, invitations },
    { userId, purpose, tokenHash }: InviteUser,
    { now, record },
  ): Promise<Outcome<Datetime>> => {
    const user = await users.find(userId);
    const isGood =
      user && (purpose === 'setup' ? user.role === null && !(await users.areSetUp()) : user.role !== null);
    if (!isGood) return notFound('user', String(userId));
    if (user.disabledAt !== null) return refused('user_disabled', { named: user.name });
    const expiresAt = invitationEnd(now, purpose);
    await invitations.replace({ userId, purpose, tokenHash, createdAt: now, expiresAt });
    // Do not record setup links: every start creates one until there is an owner.
    if (purpose !== 'setup')
      record({ action: 'user.invite', id: userId, about: { purpose, expires_at: expiresAt } });
    return done(expiresAt);
  },
});

interface AcceptInvitation {
  /** Hash of the token in the link. */
  linkHash: Uint8Array;
  passwordHash: string;
  /** Name and address of the first owner; null for a user whom somebody else created. */
  owner: { name: string; email: string } | null;
  session: NewSession & Pick<CreateSession, 'replaces'>;
}

/**
 * Sets a password through a link, which works once, and signs the user in. Ends the other sessions of the user and removes
 * the second factor.
 */
export const acceptInvitation = defineCommand({
  name: 'accept-invitation',
  audit: 'always',
  run: async (
    transaction,
    { linkHash, passwordHash, owner, session: { replaces, ...browser } }: AcceptInvitation,
    context,
  ): Promise<Outcome<User>> => {
    const { users, sessions, invitations } = transaction;
    const invitation = await invitations.find(linkHash);
    const user = invitation && (await users.find(invitation.userId));
    const isSetUp = invitation?.purpose === 'setup';
    if (!user || isSetUp !== (owner !== null) || user.disabledAt !== null)
      return refused('invitation_not_found');
    if (isSetUp && (await users.areSetUp())) return refused('invitation_not_found');
    if (!(await invitations.use(linkHash, context.now))) return refused('invitation_not_found');

    const asOwner = owner && { ...owner, role: 'owner' as const };
    const update = () => users.update(user.id, { ...asOwner, passwordHash, ...NO_TOTP });
    const written = await unlessTaken(emailTaken(owner?.email), update);
    if (!written.ok) return written;
    await users.replaceRecoveryCodes(user.id, []);
    await sessions.deleteOf(user.id, null);
    const updated: User = { ...user, ...asOwner, hasPassword: true, hasTotp: false };
    if (owner) context.record({ action: 'user.update', id: user.id, before: user, after: updated });
    const about = { by: invitation?.purpose, second_factor_removed: user.hasTotp };
    context.record({ action: 'user.password', id: user.id, about });
    await endReplaced(transaction, replaces);
    const signedIn = { ...browser, userId: user.id, secondFactor: null, pending: false };
    await insertSession(transaction, context, signedIn);
    return done(updated);
  },
});

interface SetPassword {
  userId: number;
  passwordHash: string;
  /** The password hash that the old password matched. */
  verified: string;
  /** The session that stays; the others of the user end. */
  session: number;
}

/** Changes the password of a user who has entered the old one. */
export const setPassword = defineCommand({
  name: 'set-password',
  audit: 'always',
  run: async (
    { users, sessions, invitations },
    { userId, passwordHash, verified, session }: SetPassword,
    { record },
  ): Promise<Outcome<null>> => {
    if ((await users.secrets(userId))?.passwordHash !== verified) return refused('user_changed_meanwhile');
    await users.update(userId, { passwordHash });
    await invitations.deleteOf(userId);
    const sessions_ended = await sessions.deleteOf(userId, session);
    record({ action: 'user.password', id: userId, about: { sessions_ended } });
    return done(null);
  },
});
