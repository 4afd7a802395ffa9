import type { Browser } from '../clients.ts';
import type { People } from './console-people.ts';
import { each, type Wire } from './wire.ts';

/** Every route of the v1 API, for a record that does not exist. */
const V1: readonly string[] = [
  'GET /licenses',
  'POST /licenses',
  'GET /licenses/999',
  'PUT /licenses/999',
  'PATCH /licenses/999',
  'POST /licenses/999',
  'DELETE /licenses/999',
  'GET /licenses/activate/999',
  'POST /licenses/activate/999',
  'GET /licenses/validate/999',
  'GET /licenses/deactivate/999',
  'GET /generators',
  'POST /generators',
  'GET /generators/999',
  'PUT /generators/999',
  'PATCH /generators/999',
  'POST /generators/999',
  'DELETE /generators/999',
  'POST /generators/999/generate',
  'GET /software',
  'POST /software',
  'GET /software/999',
  'PUT /software/999',
  'PATCH /software/999',
  'POST /software/999',
  'DELETE /software/999',
  'GET /software/999/releases',
  'POST /software/999/releases',
  'PUT /software/999/releases/999',
  'PATCH /software/999/releases/999',
  'POST /software/999/releases/999',
  'DELETE /software/999/releases/999',
  'GET /software/download/999',
  'GET /software/999/downloads',
  'GET /audit',
  'GET /audit/counts',
];

/** Every route of the console API, for a record that does not exist. */
const CONSOLE: readonly string[] = [
  'GET /session',
  'POST /session',
  'DELETE /session',
  'POST /session/second-factor',
  'GET /sessions',
  'DELETE /sessions',
  'DELETE /sessions/999',
  'POST /session/confirm',
  'POST /setup/link',
  'POST /setup',
  'GET /account',
  'PATCH /account',
  'POST /account/password',
  'POST /account/totp',
  'DELETE /account/totp',
  'POST /account/totp/confirm',
  'POST /account/recovery-codes',
  'GET /users',
  'POST /users',
  'PATCH /users/999',
  'POST /users/999/invitation',
  'DELETE /users/999/totp',
  'GET /generators',
  'POST /generators',
  'GET /generators/999',
  'PATCH /generators/999',
  'DELETE /generators/999',
  'POST /generators/preview',
  'POST /generators/999/generate',
  'GET /products',
  'GET /software',
  'POST /software',
  'GET /software/999',
  'PATCH /software/999',
  'DELETE /software/999',
  'GET /software/999/downloads',
  'GET /software/999/releases',
  'POST /software/999/releases',
  'POST /software/999/releases/check',
  'PATCH /software/999/releases/999',
  'DELETE /software/999/releases/999',
  'GET /software/999/releases/999/file',
  'POST /imports/columns',
  'POST /imports/preview',
  'POST /imports',
  'GET /licenses',
  'POST /licenses',
  'GET /licenses/999',
  'PATCH /licenses/999',
  'DELETE /licenses/999',
  'POST /licenses/999/reveal',
  'POST /licenses/bulk',
  'POST /licenses/bulk/delete',
  'GET /licenses/999/history',
  'GET /licenses/export',
  'POST /licenses/export',
  'GET /activations',
  'GET /licenses/999/activations',
  'POST /activations/999/deactivate',
  'POST /activations/999/reactivate',
  'DELETE /activations/999',
  'GET /dashboard',
  'GET /api-keys',
  'POST /api-keys',
  'POST /api-keys/999/rotate',
  'PATCH /api-keys/999',
  'DELETE /api-keys/999',
  'GET /audit/users',
  'GET /audit',
  'GET /settings',
];

const HAS_BODY = /^(?:POST|PUT|PATCH) /;
const CHANGES = /^(?:POST|PUT|PATCH|DELETE) /;
/** Routes that end a session or change an account, and routes that need no session. */
const OF_SESSIONS = /\/(?:session|sessions|setup|account)\b/;

/** Calls each v1 route without credentials, with a key that may call only another route, and with unreadable bodies. */
export async function everyRoute({ group, api, v1, keys }: Wire): Promise<void> {
  group('v1-routes');
  await each(v1(null), V1);
  // The server writes the counts every few seconds: today's counts are recorded after the restart.
  await each(
    v1(keys.narrow),
    V1.map((one) => (one === 'GET /audit/counts' ? `${one}?to=2001-01-01` : one)),
  );
  for (const what of V1.filter((one) => HAS_BODY.test(one))) {
    await api(what, { body: '{', type: 'application/json' });
    await api(what, { body: '<x/>', type: 'application/xml' });
    await api(what, { json: {} });
  }
  for (const method of ['PUT', 'PATCH', 'POST']) {
    await api(`${method} /licenses/WIRE-0002`, { json: { status: 'x', order_id: 'y' } });
    await api(`${method} /generators/1`, { json: { chunks: 'x' } });
    await api(`${method} /software/1`, { json: { access: 'x' } });
    await api(`${method} /software/1/releases/1`, { json: { rollout: 'x' } });
  }
  for (const named of ['WIRE-0003', 'WIRE-0004', 'unknown']) await api(`POST /licenses/activate/${named}`);
}

/** Calls each console route without a session, without the CSRF token of a session, and with each role. */
export async function everyConsoleRoute({ group, browser }: Wire, people: People): Promise<void> {
  group('console-routes');
  const nobody = browser();
  await each(nobody.call, CONSOLE);
  const untold: Browser = browser();
  for (const [name, value] of people.viewer.cookies) untold.cookies.set(name, value);
  await each(
    untold.call,
    CONSOLE.filter((one) => CHANGES.test(one)),
  );
  const others = CONSOLE.filter(
    (one) => !OF_SESSIONS.test(one) && !/dashboard|settings|GET .audit/.test(one),
  );
  for (const role of ['manager', 'support', 'viewer'] as const) await each(people[role].call, others);
}
