import type { Browser } from '../clients.ts';
import { totpCode } from '../totp.ts';
import { each, type Wire } from './wire.ts';

export const OWNER = { name: 'Olga Owner', email: 'owner@example.test', password: 'correct horse battery' };
export const PASSWORD = 'another long password';
export const ROLES = ['manager', 'support', 'viewer'] as const;
export type People = Record<'owner' | (typeof ROLES)[number], Browser>;

/** Sets up the console and a user of each role. @returns the browsers in which they are signed in */
export async function setUpConsole(wire: Wire): Promise<People> {
  const { group, browser, setupToken } = wire;
  group('console-sign-in');
  const nobody = browser();
  await nobody.call('GET /session');
  await nobody.call('POST /setup', { json: {} });
  nobody.csrf = 'none';
  for (const json of [{ token: setupToken }, { token: 'x' }, {}])
    await nobody.call('POST /setup/link', { json });
  for (const json of [
    {},
    { token: 'x', password: PASSWORD },
    { token: setupToken, password: PASSWORD },
    { token: setupToken, ...OWNER, password: 'short' },
    { token: setupToken, ...OWNER, email: 'nobody' },
    { token: setupToken, ...OWNER, password: OWNER.email, name: 'Olga' },
  ])
    await nobody.call('POST /setup', { json });
  const owner = browser();
  owner.csrf = 'none';
  await owner.call('POST /setup', { json: { token: setupToken, ...OWNER } });
  await owner.call('GET /session');
  await nobody.call('POST /setup/link', { json: { token: setupToken } });

  group('console-users');
  await owner.call('GET /users');
  const people: Partial<People> = { owner };
  for (const role of ROLES) {
    const json = { name: `A ${role}`, email: `${role}@example.test`, role };
    const invited = await owner.call('POST /users', { json });
    const token = String(invited.body?.invitation?.link).replace(/.*#/, '');
    const invitee = browser();
    invitee.csrf = 'none';
    await invitee.call('POST /setup/link', { json: { token } });
    await invitee.call('POST /setup', { json: { token, password: PASSWORD } });
    people[role] = invitee;
  }
  return people as People;
}

/** Signing in and out, the second factor, sessions, and changes that users make to their own account. */
export async function accountRequests(
  { group, browser }: Wire,
  { owner, manager, support, viewer }: People,
): Promise<void> {
  group('console-sign-in');
  const nobody = browser();
  const signIn = { email: 'manager@example.test', password: PASSWORD };
  await nobody.call('POST /session', { json: signIn });
  nobody.csrf = 'none';
  await nobody.call('POST /session', { form: 'email=a' });
  for (const json of [
    {},
    { email: 'nobody', password: 'x' },
    { ...signIn, password: 'wrong' },
    { email: 'nobody@example.test', password: PASSWORD },
  ])
    await nobody.call('POST /session', { json });
  await nobody.call('POST /session', { json: signIn, headers: { origin: 'https://evil.example.test' } });
  await nobody.call('POST /session', { json: signIn, headers: { 'sec-fetch-site': 'cross-site' } });
  await each(nobody.call, ['GET /licenses', 'DELETE /session', 'GET /nothing', 'GET /account']);
  await nobody.call('POST /session', {
    json: { ...signIn, email: 'MANAGER@example.test' },
    headers: { 'sec-fetch-site': 'same-origin', 'user-agent': 'wire browser' },
  });
  await nobody.call('POST /licenses', { json: {} });
  await each(nobody.call, ['GET /session', 'HEAD /session', 'GET /sessions']);
  await nobody.call('POST /session/confirm', { json: { password: 'wrong' } });
  await nobody.call('POST /session/confirm', { json: { password: PASSWORD } });
  await nobody.call('POST /session/confirm', { json: {} });
  await each(nobody.call, [
    'DELETE /sessions/77',
    'DELETE /sessions/x',
    'DELETE /sessions?others=1',
    'DELETE /session',
    'GET /session',
  ]);
  // The other browser ended the previous session.
  await manager.call('POST /session', { json: signIn });
  await manager.call('GET /session');
  const twice = browser();
  twice.csrf = 'none';
  await twice.call('POST /session', { json: signIn });
  const sessions = await manager.call('GET /sessions');
  await manager.call(`DELETE /sessions/${sessions.body?.items?.[0]?.id}`);
  await twice.call('GET /session');

  await viewer.call('GET /account');
  for (const json of [
    { name: 'A Viewer' },
    { email: 'nobody' },
    { name: '' },
    { email: 'owner@example.test' },
    { name: 'A viewer', email: 'viewer2@example.test' },
    {},
  ])
    await viewer.call('PATCH /account', { json });
  for (const json of [
    {},
    { current_password: 'wrong', password: 'yet another long one' },
    { current_password: PASSWORD, password: 'short' },
    { current_password: PASSWORD, password: 'yet another long one' },
  ])
    await viewer.call('POST /account/password', { json });
  await viewer.call('GET /session');
  await secondFactor(owner, browser());
  const { body } = await support.call('POST /account/totp', { json: {} });
  await support.call('POST /account/totp/confirm', { json: { code: totpCode(String(body?.secret)) } });
  const { user } = (await support.call('GET /session')).body;
  await owner.call(`DELETE /users/${user?.id}/totp`);
}

async function secondFactor(owner: Browser, other: Browser): Promise<void> {
  const { call } = owner;
  const json = (code: unknown) => ({ json: { code } });
  await call('POST /account/totp/confirm', json('000000'));
  await call('DELETE /account/totp');
  const secret = String((await call('POST /account/totp', { json: {} })).body?.secret);
  await call('POST /account/totp/confirm', json('12'));
  await call('POST /account/totp/confirm', json(''));
  const confirmed = await call('POST /account/totp/confirm', json(totpCode(secret)));
  const codes: string[] = confirmed.body?.recovery_codes ?? [];
  await call('POST /account/totp/confirm', json(totpCode(secret)));
  await call('POST /account/totp', { json: {} });
  await each(call, ['GET /account', 'GET /session']);

  other.csrf = 'none';
  await other.call('POST /session/second-factor', json('000000'));
  await other.call('POST /session', { json: { email: OWNER.email, password: OWNER.password } });
  await other.call('GET /session');
  await other.call('GET /licenses');
  await other.call('POST /session/second-factor', json(''));
  await other.call('POST /session/second-factor', json('no-code'));
  await other.call('POST /session/second-factor', json(codes[0]));
  await other.call('GET /session');
  await other.call('DELETE /session');
  other.csrf = 'none';
  await other.call('POST /session', { json: { email: OWNER.email, password: OWNER.password } });
  await other.call('POST /session/second-factor', json(codes[0]));
  // The code of the next step: the code of this step was used to switch on the second factor.
  await other.call('POST /session/second-factor', json(totpCode(secret, Date.now() + 30_000)));
  await other.call('POST /session/second-factor', json(codes[1]));
  await each(other.call, ['GET /account', 'DELETE /session']);
  await call('POST /account/recovery-codes', { json: {} });
  await each(call, [
    'GET /account',
    'DELETE /account/totp',
    'DELETE /account/totp',
    'POST /account/recovery-codes',
  ]);
}

/** Users and invitations, and requests that each role may not send. */
export async function userRequests({ group, browser }: Wire, { owner, ...others }: People): Promise<void> {
  group('console-users');
  const { call } = owner;
  for (const json of [{}, { name: '', email: 'x', role: 'king' }]) await call('POST /users', { json });
  const made = await call('POST /users', {
    json: { name: 'Gone', email: 'gone@example.test', role: 'viewer' },
  });
  const id = made.body?.user?.id;
  for (const json of [
    { name: 'Gone 2', role: 'support' },
    { email: 'owner@example.test' },
    { name: null, role: '', email: 'x', disabled: 'maybe' },
    { disabled: true },
    {},
  ])
    await call(`PATCH /users/${id}`, { json });
  await each(call, [
    `POST /users/${id}/invitation`,
    'POST /users/77/invitation',
    'DELETE /users/77/totp',
    `DELETE /users/${id}/totp`,
  ]);
  await call(`PATCH /users/${id}`, { json: { disabled: false } });
  const again = await call(`POST /users/${id}/invitation`);
  const token = String(again.body?.link).replace(/.*#/, '');
  const invitee = browser();
  invitee.csrf = 'none';
  await invitee.call('POST /setup/link', { json: { token } });
  await invitee.call('POST /setup', { json: { token, password: 'Gone 2' } });
  await call('PATCH /users/77', { json: { name: 'x' } });
  const own = (await call('GET /session')).body?.user?.id;
  await call(`PATCH /users/${own}`, { json: { role: 'viewer' } });
  await call(`PATCH /users/${own}`, { json: { disabled: true } });
  await call('GET /users');

  group('console-roles');
  for (const { call: as } of Object.values(others)) {
    await each(
      as,
      [
        'GET /session',
        'GET /users',
        'POST /users',
        'GET /audit?limit=1',
        'GET /api-keys',
        'POST /api-keys',
        'GET /licenses?limit=2&search=WIRE',
        'GET /licenses/1',
        'POST /licenses/1/reveal',
        'GET /licenses/export?search=WIRE-0001',
        'POST /licenses',
        'DELETE /licenses/77',
        'POST /licenses/bulk',
        'POST /licenses/bulk/delete',
        'GET /activations?limit=1',
        'DELETE /activations/77',
        'POST /generators',
        'POST /generators/1/generate',
        'DELETE /generators/77',
        'POST /software',
        'DELETE /software/77',
        'POST /imports/preview',
        'GET /products',
        'GET /licenses?search=…0001&limit=1',
        'GET /licenses?search=E-0001&limit=1',
      ].map(encoded),
    );
  }
}

const encoded = (what: string): string => what.replace('…', '%E2%80%A6');
