import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { cookieOf, setCookie } from './cookies.ts';

/** The cookie of a browser in which an account has signed in before: its attempts are counted apart from everybody's. */
const NAME = 'latchkey_device';
/** What tells browsers apart, and what shows that we have made it for the account. */
const FORM = /^([A-Za-z0-9_-]{22})\.([0-9a-f]{64})$/;
const ID_BYTES = 16;
/** Browsers keep none for longer. */
const SECONDS = 400 * 86_400;

/** A hash that nobody else can make: 64 hex digits. */
type Hash = (text: string) => string;

const sealOf = (hash: Hash, device: string, emailKey: string): string =>
  hash(`sign-in device ${device} ${emailKey}`);

/** What the browser is called by, where the account has signed in with it; else null. */
export function deviceOf(request: FastifyRequest, hash: Hash, emailKey: string): string | null {
  const [, device, seal] = FORM.exec(cookieOf(request, NAME, FORM) ?? '') ?? [];
  if (!device || !seal) return null;
  return timingSafeEqual(Buffer.from(seal), Buffer.from(sealOf(hash, device, emailKey))) ? device : null;
}

/** Has the browser be known as one of the account. */
export function rememberDevice(
  request: FastifyRequest,
  reply: FastifyReply,
  hash: Hash,
  emailKey: string,
): void {
  const device = deviceOf(request, hash, emailKey) ?? randomBytes(ID_BYTES).toString('base64url');
  const value = `${device}.${sealOf(hash, device, emailKey)}`;
  setCookie(request, reply, { name: NAME, value, seconds: SECONDS });
}
