import type { FastifyReply, FastifyRequest } from 'fastify';
import { CONSOLE_PATH } from '../console.ts';

/** Null where the browser shows none of this name and form. */
export function cookieOf(request: FastifyRequest, name: string, form: RegExp): string | null {
  const { cookie } = request.headers;
  const value = cookie === undefined ? undefined : request.server.parseCookie(cookie)[name];
  return value !== undefined && form.test(value) ? value : null;
}

/** Gives the browser a cookie that it shows to the console alone, and to no script. @param seconds for which it keeps it */
export function setCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  { name, value, seconds }: { name: string; value: string; seconds: number },
): void {
  // A Host that is none has no path; whoever sent it finds out what becomes of its cookie.
  const origin = URL.parse(request.publicOrigin()) ?? new URL(`${request.protocol}://localhost`);
  const cookie = request.server.serializeCookie(name, value, {
    httpOnly: true,
    sameSite: 'strict',
    secure: origin.protocol === 'https:' || request.protocol === 'https',
    path: `${origin.pathname.replace(/\/$/, '')}${CONSOLE_PATH}`,
    maxAge: seconds,
  });
  reply.header('set-cookie', cookie);
}
