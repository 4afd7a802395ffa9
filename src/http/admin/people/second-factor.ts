import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { readCode } from '../../../app/people/second-factor.ts';
import { hashToken, makeSessionToken } from '../../../app/people/session-tokens.ts';
import { toDatetime } from '../../../domain/datetime.ts';
import { required, text } from '../../../domain/fields.ts';
import { emailKeyOf } from '../../../domain/user.ts';
import { clientOf } from '../../client.ts';
import { invalid, refuse, unwrap } from '../../errors.ts';
import { parameterSchema } from '../../parameter-schema.ts';
import { actorOf, isGood } from '../../people/session.ts';
import { sessionTokenOf, setSessionCookie } from '../../people/session-cookie.ts';
import { secretInput } from '../../requests.ts';
import type { Services } from '../../services.ts';
import { adminSchema } from '../route-schema.ts';
import { logRefused, type SessionOptions, SignedIn, signedIn } from './session.ts';
import type { SignInLimit } from './sign-in-limit.ts';

export const codeShape = {
  code: required(text({ max: 64, description: 'Of the authenticator, or a recovery code' })),
};

export function secondFactorRoutes(
  app: FastifyInstance,
  { store, execute, clock }: Services,
  { version }: SessionOptions,
  limit: SignInLimit,
): void {
  app.post('/session/second-factor', {
    config: { session: 'nobody' },
    schema: adminSchema({
      operationId: 'showSecondFactor',
      summary: 'Sign in with a code, after the password',
      tags: ['Session'],
      body: parameterSchema(codeShape, 'create'),
      data: SignedIn,
    }),
    handler: async (request, reply): Promise<Static<typeof SignedIn>> => {
      const { code } = secretInput(codeShape, request);
      const expired = () => refuse('second_factor_expired');
      const pending = sessionTokenOf(request);
      if (pending === null) throw expired();
      const pendingHash = hashToken(pending);
      const found = await store.read.sessions.find(pendingHash);
      if (!found?.session.pending || !isGood(found, toDatetime(clock()))) throw expired();
      const { user } = found;
      const emailKey = emailKeyOf(user.email ?? '');
      await limit.count(request, reply, emailKey);
      const secrets = await store.read.users.secrets(user.id);
      const entered = await readCode(code, secrets?.totpSecret ?? '', clock());
      const { token, tokenHash } = makeSessionToken();
      const { right, left } = unwrap(
        await execute(
          'complete-session',
          { pendingHash, code: entered, tokenHash, ...clientOf(request) },
          actorOf(request, user.id),
        ),
      );
      if (right) {
        setSessionCookie(request, reply, token);
        limit.remember(request, reply, emailKey);
        const { id: userId, name, email, role, hasTotp } = user;
        if (role === null) throw expired();
        return signedIn({ userId, name, email: email ?? '', role, hasTotp, token }, version);
      }
      logRefused(request, 'a second factor was refused');
      if (left === 0) {
        setSessionCookie(request, reply, null);
        throw expired();
      }
      throw invalid('code', 'wrong_code', { left });
    },
  });
}
