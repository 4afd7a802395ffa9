import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type, { type Static } from 'typebox';
import { isPassword } from '../../../app/people/passwords.ts';
import { csrfTokenOf, hashToken, makeSessionToken } from '../../../app/people/session-tokens.ts';
import { toDatetime } from '../../../domain/datetime.ts';
import { required } from '../../../domain/fields.ts';
import {
  emailAddress,
  emailKeyOf,
  givenPassword,
  PERMISSIONS,
  type Permission,
  ROLES,
  roleMay,
} from '../../../domain/user.ts';
import { clientOf } from '../../client.ts';
import { refuse } from '../../errors.ts';
import { parameterSchema } from '../../parameter-schema.ts';
import {
  actorOf,
  consoleActorOf,
  findSession,
  isGood,
  type Session,
  sessionOf,
} from '../../people/session.ts';
import { sessionTokenOf, setSessionCookie } from '../../people/session-cookie.ts';
import { secretInput } from '../../requests.ts';
import type { Services } from '../../services.ts';
import { adminSchema } from '../route-schema.ts';
import type { SignInLimit } from './sign-in-limit.ts';

const tags = ['Session'];

const literals = <T extends string>(values: readonly T[]) => Type.Unsafe<T>({ type: 'string', enum: values });

export const SignedIn = Type.Object({
  signed_in: Type.Literal(true),
  user: Type.Object({
    id: Type.Integer(),
    name: Type.String(),
    email: Type.String(),
    role: literals(ROLES),
    totp: Type.Boolean({ description: 'Whether a second factor is asked for' }),
  }),
  permissions: Type.Array(literals<Permission>(PERMISSIONS)),
  csrf_token: Type.String({ description: 'To be sent as x-csrf-token with whatever is no GET' }),
  version: Type.String(),
});
const SignedOut = Type.Object({
  signed_in: Type.Literal(false),
  setup_needed: Type.Boolean({ description: 'There is no owner yet who can sign in: a start prints a link' }),
  second_factor: Type.Boolean({ description: 'The password was right, and the second factor is waited for' }),
});
const Asked = Type.Object({ second_factor: Type.Boolean({ description: 'A second factor is to be shown' }) });

const signInShape = { email: required(emailAddress), password: required(givenPassword) };

export interface SessionOptions {
  version: string;
}

/** Who has signed in, as the console asks for it. */
export const signedIn = (
  session: Omit<Session, 'id' | 'isConfirmed'>,
  version: string,
): Static<typeof SignedIn> => ({
  signed_in: true,
  user: {
    id: session.userId,
    name: session.name,
    email: session.email,
    role: session.role,
    totp: session.hasTotp,
  },
  permissions: PERMISSIONS.filter((one) => roleMay(session.role, one)),
  csrf_token: csrfTokenOf(session.token),
  version,
});

export function sessionRoutes(
  app: FastifyInstance,
  services: Services,
  { version }: SessionOptions,
  limit: SignInLimit,
): void {
  const { store, execute } = services;

  app.get('/session', {
    config: { session: 'nobody' },
    schema: adminSchema({
      operationId: 'getSession',
      summary: 'Who has signed in',
      tags,
      data: Type.Union([SignedIn, SignedOut]),
    }),
    handler: async (request): Promise<Static<typeof SignedIn> | Static<typeof SignedOut>> => {
      const session = await findSession(request, services);
      if (session) return signedIn(session, version);
      const setup_needed = !(await store.read.users.areSetUp());
      return { signed_in: false, setup_needed, second_factor: await isPending(request, services) };
    },
  });

  app.post('/session', {
    config: { session: 'nobody' },
    schema: adminSchema({
      operationId: 'signIn',
      summary: 'Sign in',
      tags,
      body: parameterSchema(signInShape, 'create'),
      data: Asked,
    }),
    handler: async (request, reply): Promise<Static<typeof Asked>> => {
      const { email, password } = secretInput(signInShape, request);
      const emailKey = emailKeyOf(email);
      await limit.count(request, reply, emailKey);
      const user = await store.read.users.findByEmail(emailKey);
      // As much is asked of the database for who is not there, and nothing more for who may not sign in.
      const secrets = await store.read.users.secrets(user?.id ?? 0);
      const passwordHash = secrets?.passwordHash ?? null;
      const isRight = await isPassword(password, passwordHash);
      if (!user || passwordHash === null || !isRight || user.disabledAt !== null) throw refused(request);
      const earlier = sessionTokenOf(request);
      const { token, tokenHash } = makeSessionToken();
      const made = await execute(
        'create-session',
        {
          ...clientOf(request),
          ...{ userId: user.id, passwordHash, tokenHash },
          replaces: earlier === null ? null : hashToken(earlier),
        },
        actorOf(request, user.id),
      );
      if (!made.ok) throw refused(request);
      setSessionCookie(request, reply, token);
      if (!made.value.pending) limit.remember(request, reply, emailKey);
      return { second_factor: made.value.pending };
    },
  });

  app.delete('/session', {
    config: { session: 'anybody' },
    schema: adminSchema({ operationId: 'signOut', summary: 'Sign out', tags, data: Type.Object({}) }),
    handler: async (request, reply) => {
      const { id, userId } = sessionOf(request);
      // Another tab may have been first, which is as good.
      await execute('end-sessions', { userId, which: { id } }, consoleActorOf(request));
      endCookie(request, reply);
      return {};
    },
  });
}

const endCookie = (request: FastifyRequest, reply: FastifyReply) => setSessionCookie(request, reply, null);

/** One answer for whoever cannot sign in, and whyever. */
function refused(request: FastifyRequest) {
  logRefused(request, 'a sign-in to the console was refused');
  return refuse('sign_in_refused');
}

/** The log has from where, and not as whom. */
export function logRefused(request: FastifyRequest, what: string): void {
  const { ipAddress: ip } = clientOf(request);
  request.log.warn({ event: 'sign_in_failed', ip }, what);
}

/** Whether the request shows a session that waits for its second factor. */
async function isPending(request: FastifyRequest, { store, clock }: Services): Promise<boolean> {
  const token = sessionTokenOf(request);
  const found = token === null ? null : await store.read.sessions.find(hashToken(token));
  return found?.session.pending === true && isGood(found, toDatetime(clock()));
}
