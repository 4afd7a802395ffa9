import type { Datetime } from '../../domain/datetime.ts';
import { done, type Outcome, refused } from '../../domain/refusal.ts';
import { type InvitationPurpose, invitationEnd } from '../../domain/session.ts';
import type { Command } from '../command.ts';

export interface InviteUser {
  userId: number;
  purpose: InvitationPurpose;
  tokenHash: Uint8Array;
}

/** Makes a link good by which a user sets a password; those that the user had are so no more. Until when. */
export const inviteUser: Command<InviteUser, Outcome<Datetime>> = async (
  { users, invitations },
  { userId, purpose, tokenHash },
  { now, record },
) => {
  const user = await users.find(userId);
  const isGood =
    user && (purpose === 'setup' ? user.role === null && !(await users.areSetUp()) : user.role !== null);
  if (!isGood) return refused('user_not_found', { named: String(userId) });
  if (user.disabledAt !== null) return refused('user_disabled', { named: user.name });
  const expiresAt = invitationEnd(now, purpose);
  await invitations.replace({ userId, purpose, tokenHash, createdAt: now, expiresAt });
  const about = { purpose, expires_at: expiresAt };
  // The link of the set-up is made anew by every start until there is somebody to tell of it.
  if (purpose !== 'setup') record({ action: 'user.invite', subject: { type: 'user', id: userId }, about });
  return done(expiresAt);
};
