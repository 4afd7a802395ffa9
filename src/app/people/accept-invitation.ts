import { done, type Outcome, refused } from '../../domain/refusal.ts';
import type { User } from '../../domain/user.ts';
import { defineCommand } from '../command.ts';
import { unlessTaken } from '../unless-taken.ts';
import { begin, type NewSession } from './create-session.ts';

export interface AcceptInvitation {
  /** Of the token in the link. */
  linkHash: Uint8Array;
  passwordHash: string;
  /** Name and address of the first owner; null for a user whom somebody else has created. */
  owner: { name: string; email: string } | null;
  session: NewSession;
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
    { linkHash, passwordHash, owner, session }: AcceptInvitation,
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
    const noTotp = { totpSecret: null, totpPending: null, totpLastStep: null };
    const written = await unlessTaken(refused('user_email_exists', { named: owner?.email ?? '' }), () =>
      users.update(user.id, { ...asOwner, passwordHash, ...noTotp }),
    );
    if (!written.ok) return written;
    await users.replaceRecoveryCodes(user.id, []);
    await sessions.deleteOf(user.id, null);
    const updated: User = { ...user, ...asOwner, hasPassword: true, hasTotp: false };
    if (owner) context.record({ action: 'user.update', id: user.id, before: user, after: updated });
    const about = { by: invitation?.purpose, second_factor_removed: user.hasTotp };
    context.record({ action: 'user.password', id: user.id, about });
    await begin(transaction, context, { ...session, userId: user.id, secondFactor: null, pending: false });
    return done(updated);
  },
});
