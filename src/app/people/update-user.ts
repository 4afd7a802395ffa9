import { done, type Outcome, refused } from '../../domain/refusal.ts';
import type { Role, User } from '../../domain/user.ts';
import { defineCommand } from '../command.ts';
import { unlessTaken } from '../unless-taken.ts';

export interface UpdateUser {
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
    if (!user || user.email === null) return refused('user_not_found', { named: String(id) });
    const disabledAt = disabled === undefined ? user.disabledAt : disabled ? (user.disabledAt ?? now) : null;
    const updated = { ...user, ...changes, disabledAt };
    const isOwner = user.role === 'owner' && user.hasPassword && user.disabledAt === null;
    const staysOwner = updated.role === 'owner' && disabledAt === null;
    if (isOwner && !staysOwner && (await users.countOtherOwners(id)) === 0)
      return refused('last_owner', { named: user.name });
    if (Object.keys(changes).length > 0 || disabledAt !== user.disabledAt) {
      const taken = refused('user_email_exists', { named: changes.email ?? '' });
      const written = await unlessTaken(taken, () => users.update(id, { ...changes, disabledAt }));
      if (!written.ok) return written;
    }
    if (updated.role !== user.role || disabledAt !== user.disabledAt) await sessions.deleteOf(id, null);
    // A link that was sent went to the old address.
    if (disabledAt !== null || updated.email !== user.email) await invitations.deleteOf(id);
    record({ action: 'user.update', id, before: user, after: updated });
    return done(updated);
  },
});
