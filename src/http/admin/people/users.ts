import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type, { type Static } from 'typebox';
import { makeLinkToken } from '../../../app/people/session-tokens.ts';
import { flag, oneOf, optional, required } from '../../../domain/fields.ts';
import { emailAddress, ROLES, type Role, type User, userName } from '../../../domain/user.ts';
import { CONSOLE_PATH } from '../../console.ts';
import { refuse, unwrap } from '../../errors.ts';
import { parameterSchema } from '../../parameter-schema.ts';
import { consoleActorOf } from '../../people/session.ts';
import { presenter } from '../../presenter.ts';
import { createInput, updateInput } from '../../requests.ts';
import type { Services } from '../../services.ts';
import { idOf } from '../ids.ts';
import { onePage } from '../paging.ts';
import { adminSchema, nullable, pageOf } from '../route-schema.ts';

const tags = ['Users'];
const session = 'users.manage';
/** Who has the session of an owner could make owners, or get into the accounts that there are. */
const confirmed = true;
const path = { id: Type.Integer() };
type ById = { Params: { id: string } };

const createShape = { name: required(userName), email: required(emailAddress), role: required(oneOf(ROLES)) };
const updateShape = {
  name: optional(userName, { clearable: false }),
  email: optional(emailAddress, { clearable: false }),
  role: optional(oneOf(ROLES), { clearable: false }),
  disabled: optional(flag, { clearable: false }),
};

const UserRecord = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  email: Type.String(),
  role: Type.Unsafe<Role>({ type: 'string', enum: ROLES }),
  totp: Type.Boolean(),
  has_password: Type.Boolean({ description: 'False for who has not followed the invitation yet' }),
  disabled_at: nullable(Type.String()),
  last_seen_at: nullable(Type.String()),
  created_at: Type.String(),
});
const Invitation = Type.Object({
  link: Type.String({ description: 'Shown this once; it sets a password' }),
  expires_at: Type.String(),
});
const Invited = Type.Object({ user: UserRecord, invitation: Invitation });

const presentFields = presenter(UserRecord);
const present = (user: User): Static<typeof UserRecord> =>
  presentFields({ ...user, role: user.role as Role, totp: user.hasTotp });

export function userRoutes(app: FastifyInstance, { store, execute }: Services): void {
  async function invite(request: FastifyRequest, user: User): Promise<Static<typeof Invitation>> {
    const { token, tokenHash } = makeLinkToken();
    const purpose = user.hasPassword ? 'reset' : 'invitation';
    const input = { userId: user.id, purpose, tokenHash } as const;
    const expires_at = unwrap(await execute('invite-user', input, consoleActorOf(request)));
    return { link: `${request.publicOrigin()}${CONSOLE_PATH}/setup#${token}`, expires_at };
  }

  app.get('/users', {
    config: { session },
    schema: adminSchema({
      operationId: 'listUsers',
      summary: 'Who may sign in, oldest first',
      tags,
      data: pageOf(UserRecord),
    }),
    handler: async () => onePage((await store.read.users.list()).map(present)),
  });

  app.post('/users', {
    config: { session, confirmed },
    schema: adminSchema({
      operationId: 'createUser',
      summary: 'Create a user, who sets a password by a link',
      tags,
      body: parameterSchema(createShape, 'create'),
      data: Invited,
    }),
    handler: async (request): Promise<Static<typeof Invited>> => {
      const input = { ...createInput(createShape, request), passwordHash: null };
      const user = unwrap(await execute('create-user', input, consoleActorOf(request)));
      return { user: present(user), invitation: await invite(request, user) };
    },
  });

  app.patch<ById>('/users/:id', {
    config: { session, confirmed },
    schema: adminSchema({
      operationId: 'updateUser',
      summary: 'Change name, address or role, disable or enable',
      tags,
      path,
      body: parameterSchema(updateShape, 'update'),
      data: UserRecord,
    }),
    handler: async (request) => {
      const { name, email, role, disabled } = updateInput(updateShape, request);
      const changes = {
        ...(name != null && { name }),
        ...(email != null && { email }),
        ...(role != null && { role }),
        ...(disabled != null && { disabled }),
      };
      const input = { id: idOf(request.params.id, 'user_not_found'), changes };
      return present(unwrap(await execute('update-user', input, consoleActorOf(request))));
    },
  });

  app.post<ById>('/users/:id/invitation', {
    config: { session, confirmed },
    schema: adminSchema({
      operationId: 'inviteUser',
      summary: 'A new link to set a password',
      description: 'For who has one it also switches the second factor off. Links before are good no more.',
      tags,
      path,
      data: Invitation,
    }),
    handler: async (request) => {
      const user = await store.read.users.find(idOf(request.params.id, 'user_not_found'));
      if (!user) throw refuse('user_not_found', { named: request.params.id });
      return invite(request, user);
    },
  });

  app.delete<ById>('/users/:id/totp', {
    config: { session, confirmed },
    schema: adminSchema({
      operationId: 'removeTotp',
      summary: 'Switch the second factor of a user off',
      tags,
      path,
      data: Type.Object({}),
    }),
    handler: async (request) => {
      const userId = idOf(request.params.id, 'user_not_found');
      unwrap(await execute('remove-totp', { userId, session: null }, consoleActorOf(request)));
      return {};
    },
  });
}
