import assert from 'node:assert/strict';
import { csrfTokenOf, makeSessionToken } from '../../../src/app/people/session-tokens.ts';
import { SYSTEM } from '../../../src/domain/actor.ts';
import type { Role } from '../../../src/domain/user.ts';
import { type Answer, newName, type Record_ } from '../http/api.ts';
import { send } from '../http/send.ts';
import type { Running } from '../service.ts';

/** A client of the console's API, signed in or not. */
export interface ConsoleClient {
  /** `http://127.0.0.1:…/console/api` */
  root: string;
  /** The headers of every request. */
  headers: Record<string, string>;
  get(path: string): Promise<Answer>;
  post(path: string, body?: unknown): Promise<Answer>;
  patch(path: string, body?: unknown): Promise<Answer>;
  delete(path: string): Promise<Answer>;
  /** Makes a call that must succeed, and returns its body. */
  ok(method: string, path: string, body?: unknown): Promise<Record_>;
  /** A raw request with the cookie and the CSRF token, for streams and uploads. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
}

export interface SignedInClient extends ConsoleClient {
  user: { id: number; name: string; email: string; role: Role; passwordHash: string };
  /** The session token. */
  token: string;
}

/** Creates a client of the console's API that sends exactly these headers. */
export function consoleClient(
  { port }: Pick<Running, 'port'>,
  headers: Record<string, string>,
): ConsoleClient {
  const root = `http://127.0.0.1:${port}/console/api`;
  const request = (path: string, init: RequestInit = {}) =>
    fetch(root + path, { redirect: 'manual', ...init, headers: { ...headers, ...(init.headers as object) } });
  async function call(method: string, path: string, body?: unknown): Promise<Answer> {
    const sent =
      body === undefined
        ? { headers, body: null }
        : { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const { status, headers: received, text } = await send(new URL(root + path), { method, ...sent });
    const isJson = received.get('content-type')?.startsWith('application/json');
    return { status, headers: received, body: isJson ? JSON.parse(text) : text };
  }
  return {
    root,
    headers,
    fetch: request,
    get: (path) => call('GET', path),
    post: (path, body) => call('POST', path, body),
    patch: (path, body) => call('PATCH', path, body),
    delete: (path) => call('DELETE', path),
    async ok(method, path, body) {
      const answer = await call(method, path, body);
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      return answer.body;
    },
  };
}

/** Returns the session cookie that an answer sets. */
export const cookieOf = (headers: Headers): string => headers.getSetCookie()[0]?.split(';')[0] ?? '';

/** Signs in a new user of a role without hashing a password. No password matches the user's hash. */
export async function signedIn(
  api: Pick<Running, 'service' | 'port'>,
  role: Role,
  name: string = newName(),
): Promise<SignedInClient> {
  const { execute } = api.service;
  const email = `${name.toLowerCase().replaceAll(' ', '.')}@example.test`;
  const passwordHash = `$none$${name}`;
  const made = await execute('create-user', { name, email, role, passwordHash }, SYSTEM);
  assert.ok(made.ok, JSON.stringify(made));
  const { id } = made.value;
  const { token, tokenHash } = makeSessionToken();
  const session = await execute(
    'create-session',
    { userId: id, passwordHash, tokenHash, ipAddress: '127.0.0.1', userAgent: null, replaces: null },
    { ...SYSTEM, userId: id, via: 'console' },
  );
  assert.ok(session.ok);
  const headers = { cookie: `latchkey_session=${token}`, 'x-csrf-token': csrfTokenOf(token) };
  return { ...consoleClient(api, headers), token, user: { id, name, email, role, passwordHash } };
}
