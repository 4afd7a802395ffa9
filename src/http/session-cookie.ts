import type { FastifyReply, FastifyRequest } from 'fastify';
import { CONSOLE_PATH } from './console.ts';

/** The cookie that a browser shows its session by. */
const NAME = 'latchkey_session';
/** Tokens have 43 characters; anything longer is none. */
const TOKEN_FORM = /^[A-Za-z0-9_-]{43}$/;

/** Null where there is none that a session could have. */
export function sessionTokenOf(request: FastifyRequest): string | null {
  const { cookie } = request.headers;
  const token = cookie === undefined ? undefined : request.server.parseCookie(cookie)[NAME];
  return token !== undefined && TOKEN_FORM.test(token) ? token : null;
}

/** @param token null takes the cookie away */
export function setSessionCookie(request: FastifyRequest, reply: FastifyReply, token: string | null): void {
  // A Host that is none has no path; whoever sent it finds out what becomes of its cookie.
  const origin = URL.parse(request.publicOrigin()) ?? new URL(`${request.protocol}://localhost`);
  const cookie = request.server.serializeCookie(NAME, token ?? '', {
    httpOnly: true,
    sameSite: 'strict',
    secure: origin.protocol === 'https:' || request.protocol === 'https',
    path: `${origin.pathname.replace(/\/$/, '')}${CONSOLE_PATH}`,
    // Where the session ends sooner it is the database that says so.
    ...(token === null ? { maxAge: 0 } : { maxAge: 30 * 86_400 }),
  });
  reply.header('set-cookie', cookie);
}
