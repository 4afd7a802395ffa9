import type { FastifyReply, FastifyRequest } from 'fastify';
import { cookieOf, setCookie } from './cookies.ts';

/** The cookie that a browser shows its session by. */
const NAME = 'latchkey_session';
/** Tokens have 43 characters; anything longer is none. */
const TOKEN_FORM = /^[A-Za-z0-9_-]{43}$/;
/** Where the session ends sooner it is the database that says so. */
const SECONDS = 30 * 86_400;

/** Null where there is none that a session could have. */
export const sessionTokenOf = (request: FastifyRequest): string | null => cookieOf(request, NAME, TOKEN_FORM);

/** @param token null takes the cookie away */
export const setSessionCookie = (request: FastifyRequest, reply: FastifyReply, token: string | null): void =>
  setCookie(request, reply, { name: NAME, value: token ?? '', seconds: token === null ? 0 : SECONDS });
