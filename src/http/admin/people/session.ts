import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { checkPassword } from '../../../app/people/passwords.ts';
import { readCode } from '../../../app/people/second-factor.ts';
import { csrfTokenOf, hashToken, makeSessionToken } from '../../../app/people/session-tokens.ts';
import { emailAddress, emailKeyOf } from '../../../domain/email-address.ts';
import { required, text } from '../../../domain/fields.ts';
import { givenPassword, PERMISSIONS, ROLES, type Role, roleMay, type User } from '../../../domain/user.ts';
import { clientOf } from '../../client-address.ts';
import { record } from '../../docs/components.ts';
import { invalid, refuse, unwrap } from '../../errors.ts';
import { secrets } from '../../input.ts';
import { logOf } from '../../logging.ts';
import { sessionHashOf, setSessionCookie } from '../../people/cookies.ts';
import { actorOf, findAnySession, findSession, sessionOf } from '../../people/session.ts';
import type { Services } from '../../services.ts';
import { adminRouter } from '../route.ts';
import type { SignInLimit } from './sign-in-limit.ts';

export const SignedIn = record('SignedIn', {
  signed_in: Type.Literal(true),
  user: Type.Object({
    id: Type.Integer(),
    name: Type.String(),
    email: Type.String(),
    role: Type.Enum(ROLES),
    totp: Type.Boolean({ description: 'Whether signing in takes a second factor' }),
  }),
  permissions: Type.Array(Type.Enum(PERMISSIONS)),
  csrf_token: Type.String({ description: 'Send it as x-csrf-token with every request except GET' }),
  version: Type.String(),
});
const SignedOut = Type.Object({
  signed_in: Type.Literal(false),
  setup_needed: Type.Boolean({ description: 'There are no users yet. The server prints a set-up link' }),
  second_factor: Type.Boolean({ description: 'The password was right; the second factor is missing' }),
});

const signInShape = { email: required(emailAddress), password: required(givenPassword) };
const passwordShape = { password: required(givenPassword) };
export const codeShape = {
  code: required(text({ max: 64, description: 'A code of the authenticator, or a recovery code' })),
};

/** Presents a user who has signed in, and who therefore has a role. @param token of the session */
export const signedIn = (
  user: Pick<User, 'id' | 'name' | 'email' | 'role' | 'hasTotp'>,
  token: string,
  version: string,
) => {
  const role = user.role as Role;
  return {
    signedIn: true as const,
    user: { ...user, role, totp: user.hasTotp },
    permissions: PERMISSIONS.filter((one) => roleMay(role, one)),
    csrfToken: csrfTokenOf(token),
    version,
  };
};

export function sessionRoutes(app: FastifyInstance, services: Services, limit: SignInLimit): void {
  const { store, execute, clock, installation } = services;
  const { version } = installation;
  const route = adminRouter(app, 'Session');

  route.get('/session', {
    operationId: 'getSession',
    summary: 'Get the user who has signed in',
    session: 'nobody',
    data: Type.Union([SignedIn, SignedOut]),
    async handler({ request }) {
      const session = await findSession(request, services);
      if (session) return signedIn(session.user, session.token, version);
      const { users } = store.read;
      const setupNeeded = !(await users.areSetUp()) && (await users.list()).length === 0;
      return {
        signedIn: false as const,
        setupNeeded,
        secondFactor: (await findAnySession(request, services))?.session.pending ?? false,
      };
    },
  });

  route.post('/session', {
    operationId: 'signIn',
    summary: 'Sign in',
    session: 'nobody',
    input: secrets(signInShape),
    data: Type.Object({
      second_factor: Type.Boolean({ description: 'A second factor is needed: POST /session/second-factor' }),
    }),
    async handler({ request, reply, input: { email, password } }) {
      // Every refusal has the same answer, so that nobody learns which addresses have an account.
      const refused = () => {
        logRefused(request, 'a sign-in to the console was refused');
        return refuse('sign_in_refused');
      };
      const emailKey = emailKeyOf(email);
      const account = await checkPassword(password, async () => {
        await limit.count(request, reply, emailKey);
        const user = await store.read.users.findByEmail(emailKey);
        // Run the same queries for an unknown address.
        const kept = await store.read.users.secrets(user?.id ?? 0);
        return { user, passwordHash: kept?.passwordHash ?? null };
      });
      if (!account?.user || account.user.disabledAt !== null) throw refused();
      const { user, passwordHash } = account;
      const { token, tokenHash } = makeSessionToken();
      const browser = { ...clientOf(request), replaces: sessionHashOf(request) };
      const session = { ...browser, userId: user.id, passwordHash, tokenHash };
      const created = await execute('create-session', session, actorOf(request, user.id));
      if (!created.ok) throw refused();
      setSessionCookie(request, reply, token);
      const { pending } = created.value;
      if (!pending) limit.remember(request, reply, emailKey);
      return { secondFactor: pending };
    },
  });

  route.post('/session/second-factor', {
    operationId: 'showSecondFactor',
    summary: 'Complete signing in with a code, after the password',
    session: 'nobody',
    input: secrets(codeShape),
    data: SignedIn,
    async handler({ request, reply, input: { code } }) {
      const expired = () => refuse('second_factor_expired');
      const found = await findAnySession(request, services);
      if (!found?.session.pending) throw expired();
      const { user } = found;
      const emailKey = emailKeyOf(user.email ?? '');
      await limit.count(request, reply, emailKey);
      const kept = await store.read.users.secrets(user.id);
      const entered = await readCode(code, kept?.totpSecret ?? '', clock());
      const { token, tokenHash } = makeSessionToken();
      const completion = {
        pendingHash: hashToken(found.token),
        code: entered,
        tokenHash,
        ...clientOf(request),
      };
      const { right, left } = unwrap(
        await execute('complete-session', completion, actorOf(request, user.id)),
      );
      if (right) {
        setSessionCookie(request, reply, token);
        limit.remember(request, reply, emailKey);
        return signedIn(user, token, version);
      }
      logRefused(request, 'a second factor was refused');
      if (left > 0) throw invalid('code', 'wrong_code', { left });
      setSessionCookie(request, reply, null);
      throw expired();
    },
  });

  route.post('/session/confirm', {
    operationId: 'confirmSession',
    summary: 'Give the password again',
    description:
      'For ten minutes, routes that refuse with 403 `password_needed` work. Signing in has the same effect.',
    session: 'anybody',
    input: secrets(passwordShape),
    async handler({ request, reply, input: { password }, execute }) {
      const { id, user } = sessionOf(request);
      const verified = await ownPassword(services, limit, request, reply, password);
      if (verified === null) throw invalid('password', 'wrong');
      await execute('confirm-session', { id, userId: user.id, verified });
    },
  });

  route.delete('/session', {
    operationId: 'signOut',
    summary: 'Sign out',
    session: 'anybody',
    async handler({ request, reply, actor }) {
      const { id, user } = sessionOf(request);
      // The outcome is ignored: another tab may have ended the session already.
      await execute('end-sessions', { userId: user.id, which: { id } }, actor);
      setSessionCookie(request, reply, null);
    },
  });
}

/**
 * Checks the password of the user who has signed in.
 * @returns the stored hash, or null for a wrong password
 * @throws 429 after too many attempts
 */
export async function ownPassword(
  { store }: Services,
  limit: SignInLimit,
  request: FastifyRequest,
  reply: FastifyReply,
  password: string,
): Promise<string | null> {
  const { id, email } = sessionOf(request).user;
  const account = await checkPassword(password, async () => {
    await limit.count(request, reply, emailKeyOf(email ?? ''));
    return { passwordHash: (await store.read.users.secrets(id))?.passwordHash ?? null };
  });
  if (account === null) logRefused(request, 'a password that was asked for again was wrong');
  return account?.passwordHash ?? null;
}

/** Logs the address of the client, but not the name of the account. */
function logRefused(request: FastifyRequest, message: string): void {
  const { ipAddress: ip } = clientOf(request);
  logOf(request).warn({ event: 'sign_in_failed', ip }, message);
}
