import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CONSOLE_PATH } from '../console.ts';

/** Holds the token of the browser's session. The database may end the session earlier than the cookie. */
const SESSION = { name: 'latchkey_session', form: /^[A-Za-z0-9_-]{43}$/, seconds: 30 * 86_400 };
/**
 * Marks a browser in which an account has signed in before: the limit of sign-ins counts its attempts separately. Holds the
 * id of the browser and a seal of id and account. Browsers keep cookies for 400 days at most.
 */
const DEVICE = {
  name: 'latchkey_device',
  form: /^([A-Za-z0-9_-]{22})\.([0-9a-f]{64})$/,
  seconds: 400 * 86_400,
};
const DEVICE_ID_BYTES = 16;

/** A keyed hash: 64 hex digits. */
type Hash = (text: string) => string;

/** Returns the session token of the request, or null. */
export const sessionTokenOf = (request: FastifyRequest): string | null =>
  cookieOf(request, SESSION)?.[0] ?? null;

/** @param token null deletes the cookie */
export const setSessionCookie = (request: FastifyRequest, reply: FastifyReply, token: string | null): void =>
  setCookie(request, reply, {
    ...SESSION,
    value: token ?? '',
    ...(token === null && { seconds: 0 }),
  });

/** Returns the id of the browser if the account has signed in with it before, else null. */
export function deviceOf(request: FastifyRequest, hash: Hash, emailKey: string): string | null {
  const [, device, seal] = cookieOf(request, DEVICE) ?? [];
  if (!device || !seal) return null;
  return timingSafeEqual(Buffer.from(seal), Buffer.from(sealOf(hash, device, emailKey))) ? device : null;
}

/** Marks the browser as one in which the account has signed in. */
export function rememberDevice(
  request: FastifyRequest,
  reply: FastifyReply,
  hash: Hash,
  emailKey: string,
): void {
  const device = deviceOf(request, hash, emailKey) ?? randomBytes(DEVICE_ID_BYTES).toString('base64url');
  setCookie(request, reply, { ...DEVICE, value: `${device}.${sealOf(hash, device, emailKey)}` });
}

const sealOf = (hash: Hash, device: string, emailKey: string): string =>
  hash(`sign-in device ${device} ${emailKey}`);

function cookieOf(request: FastifyRequest, { name, form }: { name: string; form: RegExp }) {
  const { cookie } = request.headers;
  return cookie === undefined ? null : form.exec(request.server.parseCookie(cookie)[name] ?? '');
}

/** Sets a cookie that the browser sends to the console only and hides from scripts. */
function setCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  { name, value, seconds }: { name: string; value: string; seconds: number },
): void {
  // A Host header that is no host has no path to read. Only its sender gets the cookie.
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
