import { done, type Outcome, refused } from '../../domain/refusal.ts';
import type { Role, User } from '../../domain/user.ts';
import { UniqueViolation } from '../../store/store.ts';
import type { Command } from '../command.ts';
import { FIRST_USER } from './set-up.ts';

export interface CreateUser {
  name: string;
  email: string;
  role: Role;
  /** Null for who is to set a password by a link. */
  passwordHash: string | null;
}

/** Makes a user who may sign in. The first owner becomes user 1, by whom the service itself acts. */
export const createUser: Command<CreateUser, Outcome<User>> = async (
  { users },
  { name, email, role, passwordHash },
  { now, record },
) => {
  try {
    const first = role === 'owner' ? await users.find(FIRST_USER) : null;
    const isFirst = first !== null && first.role === null && !(await users.areSetUp());
    const id = isFirst ? FIRST_USER : await users.create({ name, email, role, createdAt: now });
    const secret = passwordHash === null ? {} : { passwordHash };
    if (isFirst || passwordHash !== null) await users.update(id, { name, email, role, ...secret });
    const user = await users.find(id);
    if (!user) throw new Error('a user who was just made is not there');
    const subject = { type: 'user', id } as const;
    if (isFirst) record({ action: 'user.update', subject, before: first, after: user });
    else record({ action: 'user.create', subject, after: user });
    return done(user);
  } catch (error) {
    if (error instanceof UniqueViolation) return refused('user_email_exists', { named: email });
    throw error;
  }
};
