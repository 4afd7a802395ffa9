import { timingSafeEqual } from 'node:crypto';
import fastifyCookie from '@fastify/cookie';
import type { FastifyInstance, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import { csrfTokenOf, hashToken } from '../../app/people/session-tokens.ts';
import type { Actor } from '../../domain/actor.ts';
import { type Datetime, toDatetime } from '../../domain/datetime.ts';
import { isConfirmed, isLive, touchedSince } from '../../domain/session.ts';
import { type Permission, type Role, roleMay } from '../../domain/user.ts';
import type { SessionOfUser } from '../../store/store.ts';
import { clientOf } from '../client.ts';
import { refuse } from '../errors.ts';
import type { Services } from '../services.ts';
import { sessionTokenOf } from './cookies.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A route of the console. */
    session?: SessionNeed;
    /**
     * The user must have given the password in the last minutes: with this route, a thief of a session could take over an
     * account or keep access after the session has ended.
     */
    confirmed?: true;
  }
  interface FastifyRequest {
    /** Who has signed in to the console; null elsewhere. */
    session: Session | null;
  }
}

/** The permission that a user needs, 'anybody' for any user who has signed in, or 'nobody' for a route without a session. */
export type SessionNeed = Permission | 'anybody' | 'nobody';

/** A user who has signed in to the console. */
export interface Session {
  id: number;
  userId: number;
  name: string;
  email: string;
  role: Role;
  hasTotp: boolean;
  /** Whether the password was given in the last minutes. */
  isConfirmed: boolean;
  /** What the browser has: only what is made of it leaves the service. */
  token: string;
}

const SAFE = ['GET', 'HEAD'];

/**
 * A hook that lets no request of the console past without a session whose user may do what it asks for, nor a change that
 * a page of another origin may have asked for. The session is looked up for each request: what has ended has ended.
 */
export async function sessionHook(
  app: FastifyInstance,
  services: Services,
): Promise<onRequestAsyncHookHandler> {
  // Without its hook: requests of the API have no cookies to be read.
  await app.register(fastifyCookie, { hook: false });
  app.decorateRequest('session', null);
  return async (request) => {
    const needed = request.route.config.session;
    if (needed === undefined) return;
    const changes = !SAFE.includes(request.method);
    if (changes) refuseOtherOrigins(request);
    if (needed === 'nobody') return changes ? refuseForms(request) : undefined;
    const session = await findSession(request, services);
    if (!session) throw refuse('sign_in_needed');
    if (changes) refuseForged(request, session);
    if (needed !== 'anybody' && !roleMay(session.role, needed))
      throw refuse('role_not_allowed', { role: session.role });
    if (request.route.config.confirmed) needConfirmed(session);
    request.session = session;
  };
}

/** @throws 403 where the password was not given in the last minutes */
export function needConfirmed({ isConfirmed }: Session): void {
  if (!isConfirmed) throw refuse('password_needed');
}

/** Who has signed in, where the request shows a session that is good. */
export async function findSession(
  request: FastifyRequest,
  { store, execute, clock }: Pick<Services, 'store' | 'execute' | 'clock'>,
): Promise<Session | null> {
  const token = sessionTokenOf(request);
  const found = token === null ? null : await store.read.sessions.find(hashToken(token));
  if (token === null || !found) return null;
  const now = toDatetime(clock());
  const { session, user } = found;
  if (session.pending || !isGood(found, now)) return null;
  if (session.lastSeenAt < touchedSince(now)) {
    const actor: Actor = { ...actorOf(request, user.id), origin: null };
    // Nobody waits for it, and the next request does it where this one could not.
    execute('touch-session', { id: session.id }, actor).catch(() => {});
  }
  const { id: userId, name, email, role, hasTotp } = user;
  return {
    ...{ id: session.id, userId, name, email: email ?? '', role: role as Role, hasTotp, token },
    isConfirmed: isConfirmed(session, now),
  };
}

/** Whether a session has not ended, and its user may sign in. */
export const isGood = ({ session, user }: SessionOfUser, now: Datetime): boolean =>
  isLive(session, now) && user.role !== null && user.disabledAt === null;

/** Browsers say of every request whose page has asked for it, where they are new enough and the address is one they trust. */
function refuseOtherOrigins(request: FastifyRequest): void {
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (site !== undefined) {
    if (site !== 'same-origin') throw refuse('other_site');
  } else if (origin !== undefined && !isSameHost(origin, request.publicOrigin()))
    throw refuse('other_origin');
}

/** The scheme is not compared: a proxy that nobody has told us of may have ended https. */
function isSameHost(origin: string, own: string): boolean {
  const host = URL.parse(origin)?.host;
  return host !== undefined && host === URL.parse(own)?.host;
}

/** A form of another site can send neither this header nor this type without being asked first. */
function refuseForms({ headers }: FastifyRequest): void {
  if (!headers['x-csrf-token']) throw refuse('csrf_missing');
  if (!/^application\/json\b/i.test(headers['content-type'] ?? ''))
    throw refuse('unsupported_type', { types: 'JSON' });
}

function refuseForged({ headers }: FastifyRequest, { token }: Session): void {
  const sent = Buffer.from(String(headers['x-csrf-token'] ?? ''));
  const expected = Buffer.from(csrfTokenOf(token));
  if (sent.length !== expected.length || !timingSafeEqual(sent, expected)) throw refuse('csrf_wrong');
}

export function sessionOf(request: FastifyRequest): Session {
  if (!request.session) throw new Error('a route without a session acts for nobody');
  return request.session;
}

/** On whose behalf a request of the console acts. */
export const consoleActorOf = (request: FastifyRequest): Actor => actorOf(request, sessionOf(request).userId);

/** As a user who signs in just now. */
export const actorOf = (request: FastifyRequest, userId: number): Actor => ({
  userId,
  via: 'console',
  apiKeyId: null,
  origin: clientOf(request).ipAddress,
  products: null,
});

/** Whether who has signed in may also do this. */
export const mayAlso = (request: FastifyRequest, permission: Permission): boolean =>
  roleMay(sessionOf(request).role, permission);
