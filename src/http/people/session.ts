import { timingSafeEqual } from 'node:crypto';
import fastifyCookie from '@fastify/cookie';
import type { FastifyInstance, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import { csrfTokenOf, hashToken } from '../../app/people/session-tokens.ts';
import type { Actor } from '../../domain/actor.ts';
import { toDatetime } from '../../domain/datetime.ts';
import { isConfirmed, isLive, touchedSince } from '../../domain/session.ts';
import { type Permission, type Role, roleMay } from '../../domain/user.ts';
import type { SessionOfUser } from '../../store/store.ts';
import { clientOf } from '../client-address.ts';
import { refuse } from '../errors.ts';
import type { Services } from '../services.ts';
import { sessionTokenOf } from './cookies.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set on routes of the console: who may call the route. */
    session?: SessionNeed;
    /**
     * The user must have entered the password in the last few minutes: with this route, a thief of a session could take over
     * an account or keep access after the session has ended.
     */
    confirmed?: true;
  }
  interface FastifyRequest {
    /** The user who has signed in to the console; null on other routes. */
    session: Session | null;
  }
}

/** The permission that a user needs, 'anybody' for any user who has signed in, or 'nobody' for a route without a session. */
export type SessionNeed = Permission | 'anybody' | 'nobody';

/** A user who has signed in to the console. */
export interface Session {
  id: number;
  user: SessionOfUser['user'] & { role: Role };
  /** Whether the password was entered in the last few minutes. */
  isConfirmed: boolean;
  /** The token in the browser's cookie. Answers contain only values derived from it. */
  token: string;
}

const SAFE = ['GET', 'HEAD'];

/**
 * Returns a hook that refuses requests of the console without a session or without the permission of the route, and requests
 * that a page of another origin may have sent. It reads the session for each request, so an ended session is refused at
 * once.
 */
export async function sessionHook(
  app: FastifyInstance,
  services: Services,
): Promise<onRequestAsyncHookHandler> {
  // Skip the plugin's hook: requests of the v1 API have no cookies.
  await app.register(fastifyCookie, { hook: false });
  app.decorateRequest('session', null);
  return async (request) => {
    const needed = request.route.config.session;
    if (needed === undefined) return;
    const changes = !SAFE.includes(request.method);
    refuseOtherOrigins(request, changes);
    if (needed === 'nobody') return changes ? refuseForms(request) : undefined;
    const session = await findSession(request, services);
    if (!session) throw refuse('sign_in_needed');
    if (changes) refuseForged(request, session);
    if (needed !== 'anybody') needPermission(session, needed);
    if (request.route.config.confirmed) needConfirmed(session);
    request.session = session;
  };
}

/** Requires a permission. @throws 403 unless the user has it */
export function needPermission({ user: { role } }: Session, permission: Permission): void {
  if (!roleMay(role, permission)) throw refuse('role_not_allowed', { role });
}

/** Requires a recently entered password. @throws 403 unless it was entered in the last few minutes */
export function needConfirmed({ isConfirmed }: Session): void {
  if (!isConfirmed) throw refuse('password_needed');
}

/**
 * Returns the session of the request, its user and its token, if the session is live and its user may sign in; else null. The
 * session may still wait for its second factor.
 */
export async function findAnySession(request: FastifyRequest, { store, clock }: Services) {
  const token = sessionTokenOf(request);
  const found = token === null ? null : await store.read.sessions.find(hashToken(token));
  if (token === null || !found) return null;
  const { session, user } = found;
  const { role, disabledAt } = user;
  if (!isLive(session, toDatetime(clock())) || role === null || disabledAt !== null) return null;
  return { session, user: { ...user, role }, token };
}

/** Returns the session of the request if its user has signed in, else null. */
export async function findSession(request: FastifyRequest, services: Services): Promise<Session | null> {
  const found = await findAnySession(request, services);
  if (!found || found.session.pending) return null;
  const now = toDatetime(services.clock());
  const { session, user, token } = found;
  if (session.lastSeenAt < touchedSince(now)) {
    const actor: Actor = { ...actorOf(request, user.id), origin: null };
    // The request does not wait for this. If it fails, the next request tries again.
    services.execute('touch-session', { id: session.id }, actor).catch(() => {});
  }
  return { id: session.id, user, token, isConfirmed: isConfirmed(session, now) };
}

/**
 * Refuses requests from pages of other origins, also those that change no record: an export is long, and is recorded as the
 * user's. Browsers send Sec-Fetch-Site if they are recent and the address is https or of this machine, else Origin.
 */
function refuseOtherOrigins(request: FastifyRequest, changes: boolean): void {
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (site !== undefined) {
    // "none": no page has sent it, for example the user has opened a bookmark.
    if (site !== 'same-origin' && (changes || site !== 'none')) throw refuse('other_site');
  } else if (origin !== undefined && !isSameHost(origin, request.publicOrigin()))
    throw refuse('other_origin');
}

/** Compares only the host, because an unknown proxy may have terminated TLS. */
function isSameHost(origin: string, own: string): boolean {
  const host = URL.parse(origin)?.host;
  return host !== undefined && host === URL.parse(own)?.host;
}

/** Refuses forms of other sites: they cannot send this header or this type without a preflight request. */
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
  if (!request.session) throw new Error('the route has no session');
  return request.session;
}

/** Returns the actor of a request with a session. */
export const consoleActorOf = (request: FastifyRequest): Actor =>
  actorOf(request, sessionOf(request).user.id);

/** Returns the actor of a user who is signing in. */
export const actorOf = (request: FastifyRequest, userId: number): Actor => ({
  userId,
  via: 'console',
  apiKeyId: null,
  origin: clientOf(request).ipAddress,
  products: null,
});

/** Whether the user who has signed in also has this permission. */
export const mayAlso = (request: FastifyRequest, permission: Permission): boolean =>
  roleMay(sessionOf(request).user.role, permission);
