import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type, { type Static } from 'typebox';
import { hashPassword, isPassword } from '../../app/passwords.ts';
import { makeRecoveryCodes, makeTotpSecret, totpAddress, totpStep } from '../../app/second-factor.ts';
import { optional, required } from '../../domain/fields.ts';
import {
  emailAddress,
  emailKeyOf,
  givenPassword,
  newPassword,
  passwordFault,
  userName,
} from '../../domain/user.ts';
import { invalid, problemOf, unwrap } from '../errors.ts';
import { parameterSchema } from '../parameter-schema.ts';
import { secretInput } from '../requests.ts';
import type { Services } from '../services.ts';
import { consoleActorOf, sessionOf } from '../session.ts';
import { adminSchema } from './route-schema.ts';
import { codeShape } from './second-factor.ts';
import { type SessionOptions, SignedIn, signedIn } from './session.ts';
import type { SignInLimit } from './sign-in-limit.ts';

const tags = ['Account'];
const session = 'anybody';

const currentPassword = required(givenPassword);
const accountShape = {
  name: optional(userName),
  email: optional(emailAddress),
  currentPassword: optional(givenPassword),
};
const passwordShape = { currentPassword, password: required(newPassword) };
const confirmedShape = { currentPassword };

const Nothing = Type.Object({});
const Totp = Type.Object({
  secret: Type.String({ description: 'Base32, for who types it' }),
  address: Type.String({ description: 'otpauth://…, for a QR code' }),
});
const RecoveryCodes = Type.Object({ recovery_codes: Type.Array(Type.String()) });

/** What users change of themselves. What an open browser must not be enough for asks for the password. */
export function accountRoutes(
  app: FastifyInstance,
  services: Services,
  { version }: SessionOptions,
  limit: SignInLimit,
): void {
  const { store, execute, clock } = services;

  /** The hash that the password was right for. @throws 422, or 429 where it was tried too often */
  async function confirm(
    request: FastifyRequest,
    reply: FastifyReply,
    password: string | null,
  ): Promise<string> {
    if (password === null) throw invalid({ current_password: 'is required.' });
    const { userId, email } = sessionOf(request);
    await limit.count(request, reply, emailKeyOf(email));
    const kept = (await store.read.users.secrets(userId))?.passwordHash ?? null;
    if (kept === null || !(await isPassword(password, kept)))
      throw invalid({ current_password: 'is wrong.' });
    return kept;
  }

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
      description: 'Another address takes the password.',
      tags,
      body: parameterSchema(accountShape, 'update'),
      data: SignedIn,
    }),
    handler: async (request, reply): Promise<Static<typeof SignedIn>> => {
      const own = sessionOf(request);
      const { name, email, currentPassword } = secretInput(accountShape, request);
      if (email !== null && email !== own.email) await confirm(request, reply, currentPassword);
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
      if (fault !== null) throw invalid({ password: fault });
      const verified = await confirm(request, reply, currentPassword);
      const passwordHash = await hashPassword(password);
      const input = { userId: own.userId, passwordHash, verified, session: own.id };
      unwrap(await execute('set-password', input, consoleActorOf(request)));
      return {};
    },
  });

  app.post('/account/totp', {
    config: { session },
    schema: adminSchema({
      operationId: 'beginTotp',
      summary: 'A secret for an authenticator',
      description: 'It counts when a code of it was shown.',
      tags,
      body: parameterSchema(confirmedShape, 'create'),
      data: Totp,
    }),
    handler: async (request, reply): Promise<Static<typeof Totp>> => {
      const { currentPassword } = secretInput(confirmedShape, request);
      const { userId, email } = sessionOf(request);
      await confirm(request, reply, currentPassword);
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
      if (secret === null) throw problemOf({ reason: 'user_changed_meanwhile' });
      const step = await totpStep(secret, code.replace(/\s/g, ''), clock());
      if (step === null) throw invalid({ code: 'is wrong; see that the clock of the device is right.' });
      const { codes, hashes } = makeRecoveryCodes();
      const input = { userId, secret, step, recoveryHashes: hashes, session: id };
      unwrap(await execute('confirm-totp', input, consoleActorOf(request)));
      return { recovery_codes: codes };
    },
  });

  app.post('/account/totp/remove', {
    config: { session },
    schema: adminSchema({
      operationId: 'removeOwnTotp',
      summary: 'Switch the second factor off',
      tags,
      body: parameterSchema(confirmedShape, 'create'),
      data: Nothing,
    }),
    handler: async (request, reply) => {
      const { currentPassword } = secretInput(confirmedShape, request);
      const { userId, id } = sessionOf(request);
      await confirm(request, reply, currentPassword);
      unwrap(await execute('remove-totp', { userId, session: id }, consoleActorOf(request)));
      return {};
    },
  });

  app.post('/account/recovery-codes', {
    config: { session },
    schema: adminSchema({
      operationId: 'replaceRecoveryCodes',
      summary: 'New recovery codes; those before are good no more',
      tags,
      body: parameterSchema(confirmedShape, 'create'),
      data: RecoveryCodes,
    }),
    handler: async (request, reply): Promise<Static<typeof RecoveryCodes>> => {
      const { currentPassword } = secretInput(confirmedShape, request);
      const { userId } = sessionOf(request);
      await confirm(request, reply, currentPassword);
      const { codes, hashes } = makeRecoveryCodes();
      unwrap(await execute('replace-recovery-codes', { userId, hashes }, consoleActorOf(request)));
      return { recovery_codes: codes };
    },
  });
}
