import type { FastifyInstance } from 'fastify';
import Type, { type Static } from 'typebox';
import { hashPassword } from '../../../app/people/passwords.ts';
import {
  makeRecoveryCodes,
  makeTotpSecret,
  totpAddress,
  totpStep,
} from '../../../app/people/second-factor.ts';
import { optional, required } from '../../../domain/fields.ts';
import { emailAddress, givenPassword, newPassword, passwordFault, userName } from '../../../domain/user.ts';
import { invalid, refuse, unwrap } from '../../errors.ts';
import { parameterSchema } from '../../parameter-schema.ts';
import { consoleActorOf, needConfirmed, sessionOf } from '../../people/session.ts';
import { createInput, secretInput } from '../../requests.ts';
import type { Services } from '../../services.ts';
import { adminSchema } from '../route-schema.ts';
import { ownPassword } from './confirmation.ts';
import { codeShape } from './second-factor.ts';
import { type SessionOptions, SignedIn, signedIn } from './session.ts';
import type { SignInLimit } from './sign-in-limit.ts';

const tags = ['Account'];
const session = 'anybody';

const accountShape = { name: optional(userName), email: optional(emailAddress) };
const passwordShape = { currentPassword: required(givenPassword), password: required(newPassword) };

const Nothing = Type.Object({});
const Totp = Type.Object({
  secret: Type.String({ description: 'Base32, for who types it' }),
  address: Type.String({ description: 'otpauth://…, for a QR code' }),
});
const RecoveryCodes = Type.Object({ recovery_codes: Type.Array(Type.String()) });

/** What users change of themselves. What an open browser must not be enough for takes the password. */
export function accountRoutes(
  app: FastifyInstance,
  services: Services,
  { version }: SessionOptions,
  limit: SignInLimit,
): void {
  const { store, execute, clock } = services;
  const verify = ownPassword(services, limit);

  app.get('/account', {
    config: { session },
    schema: adminSchema({
      operationId: 'getAccount',
      summary: 'How one signs in',
      tags,
      data: Type.Object({ recovery_codes_left: Type.Integer() }),
    }),
    handler: async (request) => ({
      recovery_codes_left: await store.read.users.countRecoveryCodes(sessionOf(request).userId),
    }),
  });

  app.patch('/account', {
    config: { session },
    schema: adminSchema({
      operationId: 'updateAccount',
      summary: 'Change name or address',
      description: 'Another address takes the password: POST /session/confirm.',
      tags,
      body: parameterSchema(accountShape, 'update'),
      data: SignedIn,
    }),
    handler: async (request): Promise<Static<typeof SignedIn>> => {
      const own = sessionOf(request);
      const { name, email } = createInput(accountShape, request);
      if (email !== null && email !== own.email) needConfirmed(own);
      const changes = { ...(name !== null && { name }), ...(email !== null && { email }) };
      const updated = unwrap(
        await execute('update-user', { id: own.userId, changes }, consoleActorOf(request)),
      );
      return signedIn({ ...own, name: updated.name, email: updated.email ?? '' }, version);
    },
  });

  app.post('/account/password', {
    config: { session },
    schema: adminSchema({
      operationId: 'changePassword',
      summary: 'Change the password; other browsers are signed out',
      tags,
      body: parameterSchema(passwordShape, 'create'),
      data: Nothing,
    }),
    handler: async (request, reply) => {
      const { currentPassword, password } = secretInput(passwordShape, request);
      const own = sessionOf(request);
      const fault = passwordFault(password, own);
      if (fault !== null) throw refuse('invalid', { fields: { password: fault } });
      const verified = await verify(request, reply, currentPassword);
      if (verified === null) throw invalid('currentPassword', 'wrong');
      const passwordHash = await hashPassword(password);
      const input = { userId: own.userId, passwordHash, verified, session: own.id };
      unwrap(await execute('set-password', input, consoleActorOf(request)));
      return {};
    },
  });

  app.post('/account/totp', {
    config: { session, confirmed: true },
    schema: adminSchema({
      operationId: 'beginTotp',
      summary: 'A secret for an authenticator',
      description: 'It counts when a code of it was shown.',
      tags,
      data: Totp,
    }),
    handler: async (request): Promise<Static<typeof Totp>> => {
      const { userId, email } = sessionOf(request);
      const secret = await makeTotpSecret();
      unwrap(await execute('begin-totp', { userId, secret }, consoleActorOf(request)));
      return { secret, address: await totpAddress(secret, email) };
    },
  });

  app.post('/account/totp/confirm', {
    config: { session },
    schema: adminSchema({
      operationId: 'confirmTotp',
      summary: 'Switch the second factor on, by a code of the authenticator',
      tags,
      body: parameterSchema(codeShape, 'create'),
      data: RecoveryCodes,
    }),
    handler: async (request): Promise<Static<typeof RecoveryCodes>> => {
      const { code } = secretInput(codeShape, request);
      const { userId, id } = sessionOf(request);
      const secrets = await store.read.users.secrets(userId);
      const secret = secrets?.totpPending ?? null;
      if (secret === null) throw refuse('user_changed_meanwhile');
      const step = await totpStep(secret, code.replace(/\s/g, ''), clock());
      if (step === null) throw invalid('code', 'wrong_totp');
      const { codes, hashes } = makeRecoveryCodes();
      const input = { userId, secret, step, recoveryHashes: hashes, session: id };
      unwrap(await execute('confirm-totp', input, consoleActorOf(request)));
      return { recovery_codes: codes };
    },
  });

  app.delete('/account/totp', {
    config: { session, confirmed: true },
    schema: adminSchema({
      operationId: 'removeOwnTotp',
      summary: 'Switch the second factor off',
      tags,
      data: Nothing,
    }),
    handler: async (request) => {
      const { userId, id } = sessionOf(request);
      unwrap(await execute('remove-totp', { userId, session: id }, consoleActorOf(request)));
      return {};
    },
  });

  app.post('/account/recovery-codes', {
    config: { session, confirmed: true },
    schema: adminSchema({
      operationId: 'replaceRecoveryCodes',
      summary: 'New recovery codes; those before are good no more',
      tags,
      data: RecoveryCodes,
    }),
    handler: async (request): Promise<Static<typeof RecoveryCodes>> => {
      const { userId } = sessionOf(request);
      const { codes, hashes } = makeRecoveryCodes();
      unwrap(await execute('replace-recovery-codes', { userId, hashes }, consoleActorOf(request)));
      return { recovery_codes: codes };
    },
  });
}
