import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hashToken } from '../../app/people/session-tokens.ts';
import { CONSOLE_PATH } from '../console.ts';

interface Cookie {
  name: string;
  /** Matches valid values. */
  form: RegExp;
  seconds: number;
}

/** Holds the token of the browser's session. The database may end the session earlier than the cookie. */
const SESSION: Cookie = { name: 'latchkey_session', form: /^[A-Za-z0-9_-]{43}$/, seconds: 30 * 86_400 };
/**
 * Marks a browser in which an account has signed in before: the limit of sign-ins counts its attempts separately. Holds the
 * id of the browser and a seal of id and account. Browsers keep cookies for 400 days at most.
 */
const DEVICE: Cookie = {
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

/** Returns the hash of the session token of the request, or null. */
export function sessionHashOf(request: FastifyRequest): Buffer | null {
  const token = sessionTokenOf(request);
  return token === null ? null : hashToken(token);
}

/** Sets or deletes the session cookie. @param token null deletes the cookie */
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

/**
 * Returns the name and the attributes of a cookie. Over https, browsers accept the prefix `__Host-` only from this host
 * itself, so no other subdomain can set a cookie of this name. The prefix requires the path "/", so the name tells several
 * installations on one host apart by their base paths.
 */
function placeOf(request: FastifyRequest, name: string) {
  // An invalid Host header has no path to read. Only its sender gets the cookie.
  const origin = URL.parse(request.publicOrigin()) ?? new URL(`${request.protocol}://localhost`);
  const basePath = origin.pathname.replace(/\/$/, '');
  return origin.protocol === 'https:' || request.protocol === 'https'
    ? { name: `__Host-${name}${basePath.replace(/\W/g, '_')}`, secure: true, path: '/' }
    : { name, secure: false, path: basePath + CONSOLE_PATH };
}

/** Returns null if the request has several cookies of the name: another host of the site may have set one of them. */
function cookieOf(request: FastifyRequest, { name, form }: Cookie): RegExpExecArray | null {
  const prefix = `${placeOf(request, name).name}=`;
  const [one, ...others] = (request.headers.cookie ?? '')
    .split(/; */)
    .filter((sent) => sent.startsWith(prefix));
  return one === undefined || others.length > 0 ? null : form.exec(one.slice(prefix.length));
}

/** Sets a cookie that the browser hides from scripts. */
function setCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  { value, seconds, ...cookie }: Cookie & { value: string },
): void {
  const { name, ...place } = placeOf(request, cookie.name);
  const options = { ...place, httpOnly: true, sameSite: 'strict', maxAge: seconds } as const;
  reply.header('set-cookie', request.server.serializeCookie(name, value, options));
}
