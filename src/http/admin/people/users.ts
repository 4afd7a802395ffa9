import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { makeLinkToken } from '../../../app/people/session-tokens.ts';
import { emailAddress } from '../../../domain/email-address.ts';
import { flag, oneOf, optional, required } from '../../../domain/fields.ts';
import { ROLES, type Role, type User, userName } from '../../../domain/user.ts';
import type { Call } from '../../call.ts';
import { CONSOLE_PATH } from '../../console.ts';
import { record } from '../../docs/components.ts';
import { refuse } from '../../errors.ts';
import { create, update } from '../../input.ts';
import type { Services } from '../../services.ts';
import { onePage, pageOf } from '../paging.ts';
import { adminRouter, etag, idOf, nullable, withEtag } from '../route.ts';

const session = 'users.manage';
/** Requires the password: the thief of an owner's session could otherwise create owners or take over accounts. */
const confirmed = true;
const userId = ({ id }: { id: string }) => idOf(id, 'user');

const createShape = { name: required(userName), email: required(emailAddress), role: required(oneOf(ROLES)) };
const updateShape = {
  name: optional(userName, { clearable: false }),
  email: optional(emailAddress, { clearable: false }),
  role: optional(oneOf(ROLES), { clearable: false }),
  disabled: optional(flag, { clearable: false }),
};

const UserRecord = record('User', {
  id: Type.Integer(),
  name: Type.String(),
  email: Type.String(),
  role: Type.Enum(ROLES),
  totp: Type.Boolean(),
  has_password: Type.Boolean({ description: 'False until the user follows the invitation link' }),
  disabled_at: nullable(Type.String()),
  last_seen_at: nullable(Type.String()),
  created_at: Type.String(),
  etag,
});
const Invitation = Type.Object({
  link: Type.String({ description: 'Sets a password. Only this answer shows it' }),
  expires_at: Type.String(),
});

export function userRoutes(app: FastifyInstance, { store }: Services): void {
  const route = adminRouter(app, 'Users');
  const tagged = withEtag('user', store);
  const present = (user: User) => ({ ...tagged(user), role: user.role as Role, totp: user.hasTotp });

  async function invite({ request, execute }: Call, user: User) {
    const { token, tokenHash } = makeLinkToken();
    const purpose = user.hasPassword ? 'reset' : 'invitation';
    const input = { userId: user.id, purpose, tokenHash } as const;
    const expiresAt = await execute('invite-user', input);
    return { link: `${request.publicOrigin()}${CONSOLE_PATH}/setup#${token}`, expiresAt };
  }

  route.get('/users', {
    operationId: 'listUsers',
    summary: 'List users, oldest first',
    session,
    data: pageOf(UserRecord),
    handler: async () => onePage((await store.read.users.list()).map(present)),
  });

  route.post('/users', {
    operationId: 'createUser',
    summary: 'Create a user and a link to set the password',
    session,
    confirmed,
    input: create(createShape),
    data: Type.Object({ user: UserRecord, invitation: Invitation }),
    async handler(call) {
      const input = { ...call.input, passwordHash: null };
      const user = await call.execute('create-user', input);
      return { user: present(user), invitation: await invite(call, user) };
    },
  });

  route.patch('/users/:id', {
    operationId: 'updateUser',
    summary: 'Change the name, email address or role of a user, disable or enable the user',
    session,
    confirmed,
    edits: 'user',
    input: update(updateShape),
    data: UserRecord,
    handler: async ({ params, input: changes, execute }) =>
      present(await execute('update-user', { id: userId(params), changes })),
  });

  route.post('/users/:id/invitation', {
    operationId: 'inviteUser',
    summary: 'Create a new link to set the password of a user',
    description: 'Following it also switches the second factor off. Earlier links stop working.',
    session,
    confirmed,
    data: Invitation,
    async handler(call) {
      const user = await store.read.users.find(userId(call.params));
      if (!user) throw refuse('record_not_found', { kind: 'user', named: call.params.id });
      return invite(call, user);
    },
  });

  route.delete('/users/:id/totp', {
    operationId: 'removeTotp',
    summary: 'Switch the second factor of a user off',
    session,
    confirmed,
    handler: ({ params, execute }) => execute('remove-totp', { userId: userId(params), session: null }),
  });
}
