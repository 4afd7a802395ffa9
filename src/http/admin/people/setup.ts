import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { hashPassword } from '../../../app/people/passwords.ts';
import { hashToken, makeSessionToken } from '../../../app/people/session-tokens.ts';
import { toDatetime } from '../../../domain/datetime.ts';
import { emailAddress, emailKeyOf } from '../../../domain/email-address.ts';
import { optional, required, text } from '../../../domain/fields.ts';
import { problem } from '../../../domain/problem.ts';
import { INVITATION_PURPOSES, type Invitation } from '../../../domain/session.ts';
import { newPassword, passwordFault, type User, userName } from '../../../domain/user.ts';
import { clientOf } from '../../client-address.ts';
import { refuse, unwrap } from '../../errors.ts';
import { secrets } from '../../input.ts';
import { sessionHashOf, setSessionCookie } from '../../people/cookies.ts';
import { actorOf } from '../../people/session.ts';
import type { Services } from '../../services.ts';
import { adminRouter, nullable } from '../route.ts';
import { SignedIn, signedIn } from './session.ts';
import type { SignInLimit } from './sign-in-limit.ts';

const token = required(text({ max: 100, description: 'The part of the link behind #' }));
const setupShape = {
  token,
  name: optional(userName),
  email: optional(emailAddress),
  password: required(newPassword),
};

/** The links that set a password: for the first owner, for an invited user, and for a user who lost the password. */
export function setupRoutes(app: FastifyInstance, services: Services, limit: SignInLimit): void {
  const { store, execute, clock, installation } = services;
  const route = adminRouter(app, 'Setup');

  /**
   * Finds a link by the token that was sent.
   * @throws 404 for an unknown, used or expired link, and for a set-up link once an owner has a password
   */
  async function findLink(
    sent: string,
  ): Promise<{ invitation: Invitation; user: User; linkHash: Uint8Array }> {
    const linkHash = hashToken(sent);
    const invitation = await store.read.invitations.find(linkHash);
    const user = invitation && (await store.read.users.find(invitation.userId));
    const isDone = invitation?.purpose === 'setup' && (await store.read.users.areSetUp());
    const isGood = invitation && user?.disabledAt === null && invitation.expiresAt > toDatetime(clock());
    if (!isGood || isDone) throw refuse('invitation_not_found');
    return { invitation, user, linkHash };
  }

  route.post('/setup/link', {
    operationId: 'readSetupLink',
    summary: 'Get the purpose of a link',
    description: 'A POST, so that the secret of the link is in no address.',
    session: 'nobody',
    input: secrets({ token }),
    data: Type.Object({
      purpose: Type.Enum(INVITATION_PURPOSES),
      name: nullable(Type.String()),
      email: nullable(Type.String()),
      expires_at: Type.String(),
    }),
    async handler({ input }) {
      const { invitation, user } = await findLink(input.token);
      const { purpose, expiresAt } = invitation;
      const { name, email } = purpose === 'setup' ? { name: null, email: null } : user;
      return { purpose, name, email, expiresAt };
    },
  });

  route.post('/setup', {
    operationId: 'setUp',
    summary: 'Set a password with a link, and sign in',
    description: 'A set-up link also takes the name and the email address of the first owner.',
    session: 'nobody',
    input: secrets(setupShape),
    data: SignedIn,
    async handler({ request, reply, input }) {
      const { invitation, user, linkHash } = await findLink(input.token);
      const owner = invitation.purpose === 'setup' ? ownerOf(input) : null;
      const fault = passwordFault(input.password, owner ?? user);
      if (fault !== null) throw refuse('invalid', { fields: { password: fault } });
      const passwordHash = await hashPassword(input.password);
      const { token, tokenHash } = makeSessionToken();
      const session = { tokenHash, replaces: sessionHashOf(request), ...clientOf(request) };
      const acceptance = { linkHash, passwordHash, owner, session };
      const accepted = unwrap(await execute('accept-invitation', acceptance, actorOf(request, user.id)));
      setSessionCookie(request, reply, token);
      limit.remember(request, reply, emailKeyOf(accepted.email ?? ''));
      return signedIn(accepted, token, installation.version);
    },
  });
}

/** Returns the name and the address of an owner. @throws 422 naming the missing parameters */
function ownerOf({ name, email }: { name: string | null; email: string | null }) {
  if (name !== null && email !== null) return { name, email };
  const missing = problem('required');
  const fields = { ...(name === null && { name: missing }), ...(email === null && { email: missing }) };
  throw refuse('invalid', { fields });
}
