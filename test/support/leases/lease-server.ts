import assert from 'node:assert/strict';
import { after, beforeEach } from 'node:test';
import { type Expected, verifyLease, verifyRevocations } from '../../../sdk/javascript/src/verify.ts';
import { startService } from '../service.ts';
import { rootsOf } from './leases.ts';

export const [HOUR, DAY] = [3_600, 86_400];
const START = Date.parse('2030-06-01T12:00:00Z');

/** Starts a server whose clock the tests set. @returns it with functions that act as programs */
export async function startLeaseServer() {
  let now = START;
  beforeEach(() => {
    now = START;
  });
  const clock = () => now;
  const api = await startService({ after }, { clock });
  const roots = await rootsOf(api.service);
  const root = new URL('/client/v1', api.root).href;
  const seconds = () => Math.floor(now / 1_000);
  const pass = (some: number) => {
    now += some * 1_000;
  };
  const verified = (text: string, expected: Partial<Expected> = {}) =>
    verifyLease(text, { roots, now: seconds(), ...expected });
  const listIn = async (response: Response) => {
    const found = await verifyRevocations(await response.text(), { roots });
    assert.ok(found.ok, JSON.stringify(found));
    return found.list;
  };
  /** Sends a request to the client API. */
  async function post(path: string, body: unknown, token?: string, more: Record<string, string> = {}) {
    const response = await fetch(root + path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...more,
        ...(token && { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? null : JSON.parse(text) };
  }
  const activate = async (license_key: string, sent: object = {}) => {
    const answer = await post('/activate', { license_key, fingerprint: 'fp', ...sent });
    assert.ok(answer.status < 300, JSON.stringify(answer.body));
    return answer;
  };
  return {
    api,
    root,
    clock,
    seconds,
    pass,
    post,
    activate,
    verified,
    listIn,
    /** Creates a license, and activates it for a device. */
    async device(values: Record<string, unknown> = {}, sent: object = {}) {
      const license = await api.license(values);
      const activated = await activate(license.license_key, sent);
      const { id, token } = activated.body.activation;
      const change = (json: object) => api.ok('PUT', `/licenses/${license.license_key}`, { json });
      return { license, id, token, lease: activated.body.lease as string, change };
    },
    /** Validates, and returns the lease in the answer. */
    async renewed(token: string, sent: object = { fingerprint: 'fp' }): Promise<string> {
      const { status, body } = await post('/validate', sent, token);
      assert.equal(status, 200, JSON.stringify(body));
      return body.lease;
    },
    /** Returns the content of a lease, which must be good. */
    async read(text: string, expected: Partial<Expected> = {}) {
      const found = await verified(text, expected);
      assert.ok(found.ok, JSON.stringify(found));
      return found.lease;
    },
    /** Returns the revocation list as programs receive it some seconds later. */
    async revocations() {
      pass(6);
      return listIn(await fetch(`${root}/revocations`));
    },
  };
}
