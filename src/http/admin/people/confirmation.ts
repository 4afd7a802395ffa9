import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { isPassword } from '../../../app/people/passwords.ts';
import { required } from '../../../domain/fields.ts';
import { emailKeyOf, givenPassword } from '../../../domain/user.ts';
import { invalid, unwrap } from '../../errors.ts';
import { parameterSchema } from '../../parameter-schema.ts';
import { consoleActorOf, sessionOf } from '../../people/session.ts';
import { secretInput } from '../../requests.ts';
import type { Services } from '../../services.ts';
import { adminSchema } from '../route-schema.ts';
import { logRefused } from './session.ts';
import type { SignInLimit } from './sign-in-limit.ts';

const shape = { password: required(givenPassword) };

/** What an open browser, or a stolen session, must not be enough for: whoever has signed in gives the password again. */
export function confirmationRoutes(app: FastifyInstance, services: Services, limit: SignInLimit): void {
  const verify = ownPassword(services, limit);

  app.post('/session/confirm', {
    config: { session: 'anybody' },
    schema: adminSchema({
      operationId: 'confirmSession',
      summary: 'Give the password again',
      description:
        'For ten minutes, what was answered 403 `password_needed` is done. Signing in does the same.',
      tags: ['Session'],
      body: parameterSchema(shape, 'create'),
      data: Type.Object({}),
    }),
    handler: async (request, reply) => {
      const { password } = secretInput(shape, request);
      const { id, userId } = sessionOf(request);
      const verified = await verify(request, reply, password);
      if (verified === null) throw invalid('password', 'wrong');
      unwrap(await services.execute('confirm-session', { id, userId, verified }, consoleActorOf(request)));
      return {};
    },
  });
}

/**
 * The hash that the password of who has signed in was right for; null where it is wrong.
 * @throws 429 where it was tried too often
 */
export function ownPassword({ store }: Services, limit: SignInLimit) {
  return async (request: FastifyRequest, reply: FastifyReply, password: string): Promise<string | null> => {
    const { userId, email } = sessionOf(request);
    await limit.count(request, reply, emailKeyOf(email));
    const kept = (await store.read.users.secrets(userId))?.passwordHash ?? null;
    if (await isPassword(password, kept)) return kept;
    logRefused(request, 'a password that was asked for again was wrong');
    return null;
  };
}
