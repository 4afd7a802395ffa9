import type { Datetime } from '../../domain/datetime.ts';
import { done, type Outcome, refused } from '../../domain/refusal.ts';
import { type InvitationPurpose, invitationEnd } from '../../domain/session.ts';
import { defineCommand } from '../command.ts';

export interface InviteUser {
  userId: number;
  purpose: InvitationPurpose;
  tokenHash: Uint8Array;
}

/** Makes a link through which a user sets a password; earlier links of the user stop working. Returns when it expires. */
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
    if (!isGood) return refused('user_not_found', { named: String(userId) });
    if (user.disabledAt !== null) return refused('user_disabled', { named: user.name });
    const expiresAt = invitationEnd(now, purpose);
    await invitations.replace({ userId, purpose, tokenHash, createdAt: now, expiresAt });
    // Every start makes a new setup link, until there is an owner.
    if (purpose !== 'setup')
      record({ action: 'user.invite', id: userId, about: { purpose, expires_at: expiresAt } });
    return done(expiresAt);
  },
});
