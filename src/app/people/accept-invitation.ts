import { done, type Outcome, refused } from '../../domain/refusal.ts';
import type { User } from '../../domain/user.ts';
import { UniqueViolation } from '../../store/store.ts';
import type { Command } from '../command.ts';
import { begin, type NewSession } from './create-session.ts';

export interface AcceptInvitation {
  /** Of the link. */
  linkHash: Uint8Array;
  passwordHash: string;
  /** Who the first owner is; null for a link of somebody whom others have named. */
  owner: { name: string; email: string } | null;
  session: NewSession;
}

/** Sets a password by a link, which is good once, and signs its user in. The other sessions of the user, and the second factor, end. */
export const acceptInvitation: Command<AcceptInvitation, Outcome<User>> = async (
  transaction,
  { linkHash, passwordHash, owner, session },
  context,
) => {
  const { users, sessions, invitations } = transaction;
  const invitation = await invitations.find(linkHash);
  const user = invitation && (await users.find(invitation.userId));
  const isSetUp = invitation?.purpose === 'setup';
  if (!user || isSetUp !== (owner !== null) || user.disabledAt !== null)
    return refused('invitation_not_found');
  if (isSetUp && (await users.areSetUp())) return refused('invitation_not_found');
  if (!(await invitations.use(linkHash, context.now))) return refused('invitation_not_found');
  const totp = { totpSecret: null, totpPending: null, totpLastStep: null };
  try {
    await users.update(user.id, { ...(owner && { ...owner, role: 'owner' }), passwordHash, ...totp });
  } catch (error) {
    if (error instanceof UniqueViolation) return refused('user_email_exists', { named: owner?.email ?? '' });
    throw error;
  }
  await users.replaceRecoveryCodes(user.id, []);
  await sessions.deleteOf(user.id, null);
  const updated: User = {
    ...user,
    ...(owner && { ...owner, role: 'owner' as const }),
    hasPassword: true,
    hasTotp: false,
  };
  const subject = { type: 'user', id: user.id } as const;
  if (owner) context.record({ action: 'user.update', subject, before: user, after: updated });
  const about = { by: invitation?.purpose, second_factor_removed: user.hasTotp };
  context.record({ action: 'user.password', subject, about });
  await begin(transaction, context, { ...session, userId: user.id, secondFactor: null, pending: false });
  return done(updated);
};
