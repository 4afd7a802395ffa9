import assert from 'node:assert/strict';
import { after, beforeEach } from 'node:test';
import { type Expected, verifyLease, verifyRevocations } from '../../sdk/javascript/src/verify.ts';
import { rootsOf } from './leases.ts';
import { startService } from './service.ts';

export const [HOUR, DAY] = [3_600, 86_400];
const START = Date.parse('2030-06-01T12:00:00Z');

/** A server whose clock the tests set, and programs that ask it. */
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
  return {
    ...{ api, root, clock, seconds, pass, verified, listIn },
    /** Asks the client API. */
    async post(path: string, body: unknown, token?: string) {
      const response = await fetch(root + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
        body: JSON.stringify(body),
      });
      const text = await response.text();
      return { status: response.status, body: text === '' ? null : JSON.parse(text) };
    },
    /** What a good lease says. */
    async read(text: string, expected: Partial<Expected> = {}) {
      const found = await verified(text, expected);
      assert.ok(found.ok, JSON.stringify(found));
      return found.lease;
    },
    /** The revocation list as programs get it some seconds later. */
    async revocations() {
      pass(6);
      return listIn(await fetch(`${root}/revocations`));
    },
  };
}
