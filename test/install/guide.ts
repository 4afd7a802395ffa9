import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/program.ts';
import { type Ask, DOMAIN, untilDone } from './machine.ts';

/** The commands in the nth block under a heading of docs/operate/install.md, with the domain of the tests. */
export function commandsOf(heading: string, nth = 0): string[] {
  const page = readFileSync(join(ROOT, 'docs/operate/install.md'), 'utf8');
  const section = page.split(/^## /m).find((one) => one.startsWith(`${heading}\n`));
  const block = [...(section ?? '').matchAll(/^```sh\n(.*?)^```/gms)][nth]?.[1];
  assert.ok(block, `docs/operate/install.md has no commands under ${heading}`);
  return block.trim().replaceAll('licenses.example.com', DOMAIN).split('\n');
}

/** Does the first steps after an installation: creates, activates and validates a license from outside. */
export async function useOverHttps(ask: Ask, auth: string): Promise<void> {
  const api = '/wp-json/dlm/v1/licenses';
  const ok = async (...[method, path, form]: [string, string, Record<string, string>?]) => {
    const { status, body } = await ask(method, api + path, auth, form);
    assert.equal(status, 200, body);
    return JSON.parse(body).data;
  };
  await untilReady(ask);
  const form = { license_key: 'ACME-0001', valid_for: '365', status: 'active', activations_limit: '2' };
  await ok('POST', '', form);
  const { token } = await ok('GET', '/activate/ACME-0001?label=Laptop');
  assert.equal((await ok('GET', `/validate/${token}`)).license.license_key, 'ACME-0001');
  assert.equal((await ask('GET', `${api}/validate/${token}`, 'ck_wrong:cs_wrong')).status, 401);
  const { status, headers } = await ask('GET', '/console/sign-in');
  assert.equal(status, 200);
  assert.match(String(headers['content-type']), /^text\/html/);
}

export const untilReady = (ask: Ask): Promise<void> =>
  untilDone(async () => assert.equal((await ask('GET', '/readyz')).status, 200));
