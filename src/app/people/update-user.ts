import { done, type Outcome, refused } from '../../domain/refusal.ts';
import type { Role, User } from '../../domain/user.ts';
import { UniqueViolation } from '../../store/store.ts';
import type { Command } from '../command.ts';

export interface UpdateUser {
  id: number;
  changes: { name?: string; email?: string; role?: Role; disabled?: boolean };
}

/** Changes a user. Another role, or being disabled, counts at once: the user's sessions end. */
export const updateUser: Command<UpdateUser, Outcome<User>> = async (
  { users, sessions, invitations },
  { id, changes: { disabled, ...changes } },
  { now, record },
) => {
  const user = await users.find(id);
  if (!user || user.email === null) return refused('user_not_found', { named: String(id) });
  const disabledAt = disabled === undefined ? user.disabledAt : disabled ? (user.disabledAt ?? now) : null;
  const role = changes.role ?? user.role;
  const isOwner = user.role === 'owner' && user.hasPassword && user.disabledAt === null;
  const staysOwner = role === 'owner' && disabledAt === null;
  if (isOwner && !staysOwner && (await users.countOtherOwners(id)) === 0)
    return refused('last_owner', { named: user.name });
  try {
    if (Object.keys(changes).length > 0 || disabledAt !== user.disabledAt)
      await users.update(id, { ...changes, disabledAt });
  } catch (error) {
    if (error instanceof UniqueViolation) return refused('user_email_exists', { named: changes.email ?? '' });
    throw error;
  }
  const updated = { ...user, ...changes, disabledAt };
  if (role !== user.role || disabledAt !== user.disabledAt) await sessions.deleteOf(id, null);
  // A link that is on its way goes to the address that the user had.
  if (disabledAt !== null || updated.email !== user.email) await invitations.deleteOf(id);
  record({ action: 'user.update', subject: { type: 'user', id }, before: user, after: updated });
  return done(updated);
};
