import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { hashPassword } from '../../../app/people/passwords.ts';
import {
  makeRecoveryCodes,
  makeTotpSecret,
  plainCode,
  totpAddress,
  totpStep,
} from '../../../app/people/second-factor.ts';
import { emailAddress } from '../../../domain/email-address.ts';
import { optional, required } from '../../../domain/fields.ts';
import { givenPassword, newPassword, passwordFault, userName } from '../../../domain/user.ts';
import { invalid, refuse } from '../../errors.ts';
import { secrets, update } from '../../input.ts';
import { needConfirmed, sessionOf } from '../../people/session.ts';
import type { Services } from '../../services.ts';
import { adminRouter } from '../route.ts';
import { codeShape, ownPassword, SignedIn, signedIn } from './session.ts';
import type { SignInLimit } from './sign-in-limit.ts';

const session = 'anybody';

const accountShape = { name: optional(userName), email: optional(emailAddress) };
const passwordShape = { currentPassword: required(givenPassword), password: required(newPassword) };

const RecoveryCodes = Type.Object({ recovery_codes: Type.Array(Type.String()) });

/** The account of the user who has signed in. Changes that would help the thief of a session require the password. */
export function accountRoutes(app: FastifyInstance, services: Services, limit: SignInLimit): void {
  const { store, clock, installation } = services;
  const route = adminRouter(app, 'Account');

  route.get('/account', {
    operationId: 'getAccount',
    summary: 'Get the number of recovery codes left',
    session,
    data: Type.Object({ recovery_codes_left: Type.Integer() }),
    handler: async ({ request }) => ({
      recoveryCodesLeft: await store.read.users.countRecoveryCodes(sessionOf(request).user.id),
    }),
  });

  route.patch('/account', {
    operationId: 'updateAccount',
    summary: 'Change the name or the email address',
    description: 'A new email address takes the password: POST /session/confirm.',
    session,
    input: update(accountShape),
    data: SignedIn,
    async handler({ request, input: { name, email }, execute }) {
      const own = sessionOf(request);
      if (email != null && email !== own.user.email) needConfirmed(own);
      const changes = { ...(name != null && { name }), ...(email != null && { email }) };
      const updated = await execute('update-user', { id: own.user.id, changes });
      return signedIn(updated, own.token, installation.version);
    },
  });

  route.post('/account/password', {
    operationId: 'changePassword',
    summary: 'Change the password and end the sessions of other browsers',
    session,
    input: secrets(passwordShape),
    async handler({ request, reply, input: { currentPassword, password }, execute }) {
      const { user, id } = sessionOf(request);
      const fault = passwordFault(password, user);
      if (fault !== null) throw refuse('invalid', { fields: { password: fault } });
      const verified = await ownPassword(services, limit, request, reply, currentPassword);
      if (verified === null) throw invalid('currentPassword', 'wrong');
      const passwordHash = await hashPassword(password);
      await execute('set-password', { userId: user.id, passwordHash, verified, session: id });
    },
  });

  route.post('/account/totp', {
    operationId: 'beginTotp',
    summary: 'Create a secret for an authenticator',
    description: 'The second factor is on once a code of this secret is confirmed.',
    session,
    confirmed: true,
    data: Type.Object({
      secret: Type.String({ description: 'Base32, to be typed in' }),
      address: Type.String({ description: 'otpauth://…, for a QR code' }),
    }),
    async handler({ request, execute }) {
      const { id: userId, email } = sessionOf(request).user;
      const secret = await makeTotpSecret();
      await execute('begin-totp', { userId, secret });
      return { secret, address: await totpAddress(secret, email ?? '') };
    },
  });

  route.post('/account/totp/confirm', {
    operationId: 'confirmTotp',
    summary: 'Switch the second factor on with a code of the authenticator',
    description: 'The secret expires after fifteen minutes or five codes.',
    session,
    confirmed: true,
    input: secrets(codeShape),
    data: RecoveryCodes,
    async handler({ request, input: { code }, execute }) {
      const { user, id } = sessionOf(request);
      const kept = await store.read.users.secrets(user.id);
      const secret = kept?.totpPending ?? null;
      if (secret === null) throw refuse('totp_expired');
      const step = await totpStep(secret, plainCode(code), clock());
      const { codes, hashes } = makeRecoveryCodes();
      const input = { userId: user.id, secret, step, recoveryHashes: hashes, session: id };
      const { right, left } = await execute('confirm-totp', input);
      if (!right) throw left > 0 ? invalid('code', 'wrong_totp') : refuse('totp_expired');
      return { recoveryCodes: codes };
    },
  });

  route.delete('/account/totp', {
    operationId: 'removeOwnTotp',
    summary: 'Switch the second factor off',
    session,
    confirmed: true,
    async handler({ request, execute }) {
      const { user, id } = sessionOf(request);
      await execute('remove-totp', { userId: user.id, session: id });
    },
  });

  route.post('/account/recovery-codes', {
    operationId: 'replaceRecoveryCodes',
    summary: 'Replace the recovery codes',
    session,
    confirmed: true,
    data: RecoveryCodes,
    async handler({ request, execute }) {
      const { codes, hashes } = makeRecoveryCodes();
      await execute('replace-recovery-codes', { userId: sessionOf(request).user.id, hashes });
      return { recoveryCodes: codes };
    },
  });
}
