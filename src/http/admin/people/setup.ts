import type { FastifyInstance } from 'fastify';
import Type, { type Static } from 'typebox';
import { hashPassword } from '../../../app/people/passwords.ts';
import { hashToken, makeSessionToken } from '../../../app/people/session-tokens.ts';
import { toDatetime } from '../../../domain/datetime.ts';
import { optional, required, text } from '../../../domain/fields.ts';
import { problem } from '../../../domain/problem.ts';
import { INVITATION_PURPOSES, type Invitation, type InvitationPurpose } from '../../../domain/session.ts';
import {
  emailAddress,
  emailKeyOf,
  newPassword,
  passwordFault,
  type User,
  userName,
} from '../../../domain/user.ts';
import { clientOf } from '../../client.ts';
import { refuse, unwrap } from '../../errors.ts';
import { parameterSchema } from '../../parameter-schema.ts';
import { actorOf } from '../../people/session.ts';
import { setSessionCookie } from '../../people/session-cookie.ts';
import { secretInput } from '../../requests.ts';
import type { Services } from '../../services.ts';
import { adminSchema, nullable } from '../route-schema.ts';
import { type SessionOptions, SignedIn, signedIn } from './session.ts';
import type { SignInLimit } from './sign-in-limit.ts';

const tags = ['Setup'];

const token = required(text({ max: 100, description: 'What stands behind the # of the link' }));
const linkShape = { token };
const setupShape = {
  token,
  name: optional(userName),
  email: optional(emailAddress),
  password: required(newPassword),
};

const Link = Type.Object({
  purpose: Type.Unsafe<InvitationPurpose>({ type: 'string', enum: INVITATION_PURPOSES }),
  name: nullable(Type.String()),
  email: nullable(Type.String()),
  expires_at: Type.String(),
});

/** What a link lets do that sets a password: of the first owner, of who is invited, of who has lost it. */
export function setupRoutes(
  app: FastifyInstance,
  { store, execute, clock }: Services,
  { version }: SessionOptions,
  limit: SignInLimit,
): void {
  /** @throws 404 for a link that is not good */
  async function linked(sent: string): Promise<{ invitation: Invitation; user: User; linkHash: Uint8Array }> {
    const linkHash = hashToken(sent);
    const invitation = await store.read.invitations.find(linkHash);
    const user = invitation && (await store.read.users.find(invitation.userId));
    if (!invitation || !user || user.disabledAt !== null || invitation.expiresAt <= toDatetime(clock()))
      throw refuse('invitation_not_found');
    return { invitation, user, linkHash };
  }

  app.post('/setup/link', {
    config: { session: 'nobody' },
    schema: adminSchema({
      operationId: 'readSetupLink',
      summary: 'What a link is for',
      description: 'By POST, so that the secret of the link stands in no address.',
      tags,
      body: parameterSchema(linkShape, 'create'),
      data: Link,
    }),
    handler: async (request): Promise<Static<typeof Link>> => {
      const { invitation, user } = await linked(secretInput(linkShape, request).token);
      const isSetUp = invitation.purpose === 'setup';
      return {
        purpose: invitation.purpose,
        name: isSetUp ? null : user.name,
        email: isSetUp ? null : user.email,
        expires_at: invitation.expiresAt,
      };
    },
  });

  app.post('/setup', {
    config: { session: 'nobody' },
    schema: adminSchema({
      operationId: 'setUp',
      summary: 'Set a password by a link, and sign in',
      description: 'The link of the set-up also takes the name and the address of the first owner.',
      tags,
      body: parameterSchema(setupShape, 'create'),
      data: SignedIn,
    }),
    handler: async (request, reply): Promise<Static<typeof SignedIn>> => {
      const sent = secretInput(setupShape, request);
      const { invitation, user, linkHash } = await linked(sent.token);
      const owner = invitation.purpose === 'setup' ? ownerOf(sent) : null;
      const fault = passwordFault(sent.password, owner ?? user);
      if (fault !== null) throw refuse('invalid', { fields: { password: fault } });
      const passwordHash = await hashPassword(sent.password);
      const { token, tokenHash } = makeSessionToken();
      const { id, name, email, role } = unwrap(
        await execute(
          'accept-invitation',
          { linkHash, passwordHash, owner, session: { tokenHash, ...clientOf(request) } },
          actorOf(request, user.id),
        ),
      );
      if (role === null) throw new Error('a link was accepted of who cannot sign in');
      setSessionCookie(request, reply, token);
      limit.remember(request, reply, emailKeyOf(email ?? ''));
      return signedIn({ userId: id, name, email: email ?? '', role, hasTotp: false, token }, version);
    },
  });
}

/** @throws 422 naming what is missing */
function ownerOf({ name, email }: { name: string | null; email: string | null }) {
  if (name !== null && email !== null) return { name, email };
  const missing = problem('required');
  const fields = { ...(name === null && { name: missing }), ...(email === null && { email: missing }) };
  throw refuse('invalid', { fields });
}
