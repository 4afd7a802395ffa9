import { type Outcome, refused } from '../../domain/refusal.ts';
import type { Role, User } from '../../domain/user.ts';
import { defineCommand } from '../command.ts';
import { unlessTaken } from '../unless-taken.ts';
import { FIRST_USER } from './set-up.ts';

export interface CreateUser {
  name: string;
  email: string;
  role: Role;
  /** `null` until the user sets a password through a link. */
  passwordHash: string | null;
}

/** Creates a user who may sign in. The first owner becomes user 1, in whose name the service itself acts. */
export const createUser = defineCommand({
  name: 'create-user',
  audit: 'always',
  run: async ({ users }, input: CreateUser, { now, record }): Promise<Outcome<User>> => {
    const { name, email, role, passwordHash } = input;
    const first = role === 'owner' ? await users.find(FIRST_USER) : null;
    const isFirst = first !== null && first.role === null && !(await users.areSetUp());
    const made = await unlessTaken(refused('user_email_exists', { named: email }), async () => {
      const id = isFirst ? FIRST_USER : await users.create({ name, email, role, createdAt: now });
      const secret = passwordHash === null ? {} : { passwordHash };
      if (isFirst || passwordHash !== null) await users.update(id, { name, email, role, ...secret });
      const user = await users.find(id);
      if (!user) throw new Error('a user who was just created is missing');
      return user;
    });
    if (!made.ok) return made;
    const { value: after } = made;
    if (isFirst) record({ action: 'user.update', id: after.id, before: first, after });
    else record({ action: 'user.create', id: after.id, after });
    return made;
  },
});
