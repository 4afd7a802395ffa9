import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { DAY } from '../../sdk/javascript/test/kit.ts';
import { makeDevice } from '../../sdk/javascript/test/vendor.ts';
import { REREAD_MS } from '../../src/app/keys/create-signer.ts';
import { SYSTEM } from '../../src/domain/actor.ts';
import { copyExample } from '../support/example.ts';
import { temporaryFolder } from '../support/folder.ts';
import { basicHeader } from '../support/http/api.ts';
import { rootsOf } from '../support/leases/leases.ts';
import { ROOT } from '../support/program.ts';
import { startService } from '../support/service.ts';

// Runs the SDK against the real server, on a shared clock.

/** The examples use the clock of this machine. */
const START = Math.floor(Date.now() / 1_000);
let now = START;
const api = await startService({ after }, { clock: () => now * 1_000 });
const roots = await rootsOf(api.service);
const vendor = { url: new URL(api.root).origin };
test.beforeEach(() => {
  now = START;
});

/** A device on the server's clock. */
const deviceOf = (options: Partial<Parameters<typeof makeDevice>[1]> = {}) =>
  makeDevice(vendor, { roots, now: () => now * 1_000, ...options });

test('a device is activated, renewed, stopped when its license is disabled, and deactivated', async () => {
  const license = await api.license({ activations_limit: 1, product_id: 1001, entitlements: ['pro'] });
  const change = (json: object) => api.ok('PUT', `/licenses/${license.license_key}`, { json });
  const device = deviceOf({ product: 1001 });
  const latchkey = device.start();
  await assert.rejects(latchkey.activate('ACME-NONE'), { code: 'license_not_found' });
  const activated = await latchkey.activate(license.license_key, { label: 'Laptop' });
  assert.deepEqual([activated.state, activated.entitlements], ['licensed', ['pro']]);
  assert.equal((await latchkey.activate(license.license_key)).state, 'licensed');
  await assert.rejects(deviceOf().start().activate(license.license_key), {
    code: 'seat_limit_reached',
  });

  const { lease } = await device.state();
  now += 2 * DAY;
  assert.equal((await latchkey.check({ fresh: true })).state, 'licensed');
  assert.notEqual((await device.state()).lease, lease);

  await change({ status: 'disabled' });
  const { state, reason } = await latchkey.check({ fresh: true });
  assert.deepEqual([state, reason], ['revoked', 'license_disabled']);
  await change({ status: 'active' });
  assert.equal((await device.start().check()).state, 'licensed');

  await latchkey.deactivate();
  assert.equal((await latchkey.check()).reason, 'not_activated');
  assert.equal((await deviceOf().start().activate(license.license_key)).state, 'licensed');
});

test('a copied lease is useless on another device, and an expired license differs from an expired lease', async () => {
  const expiry = new Date((START + 10 * DAY) * 1_000);
  const license = await api.license({ expires_at: expiry.toISOString().slice(0, 19).replace('T', ' ') });
  const device = deviceOf();
  const { until } = await device.start().activate(license.license_key);
  assert.deepEqual(until, expiry);
  const copy = deviceOf();
  await copy.storage.save((await device.storage.load()) ?? '');
  assert.equal((await copy.start().check()).reason, 'fingerprint_mismatch');
  now += 10 * DAY;
  const offline = device.start({ fetch: () => Promise.reject(new TypeError('fetch failed')) });
  const { state, reason } = await offline.check();
  assert.deepEqual([state, reason], ['expired', 'license_expired']);
});

test('a device that lost its key gets its seat back by its fingerprint, and leases go to the new key', async () => {
  const { license_key: key } = await api.license({ activations_limit: 1 });
  const [before, after] = [1, 2].map(() => deviceOf({ fingerprint: 'id of the system' }));
  for (const device of [before, after])
    assert.equal((await device?.start().activate(key))?.state, 'licensed');
  now += 15 * DAY;
  const stale = await before?.start().check();
  assert.deepEqual([stale?.state, stale?.reason], ['grace', 'other_device']);
  await assert.rejects(deviceOf({ fingerprint: 'another' }).start().activate(key), {
    code: 'seat_limit_reached',
  });
});

test('a program trusts the signing keys after a rotation, and those of the spare root', async (t) => {
  // The server's signer rereads its key every few seconds.
  const { now: steady } = performance;
  let ahead = 0;
  t.mock.method(performance, 'now', () => steady.call(performance) + ahead);
  const { license_key: key } = await api.license();
  const device = deviceOf();
  await device.start().activate(key);
  const { execute } = api.service;
  const rotate = () =>
    execute('rotate-signing-key', { rootKey: null, revoke: true, onlyIfDue: false }, SYSTEM);
  const useSpare = () => execute('use-spare-root', { rootKey: null, keepOld: false, again: false }, SYSTEM);
  for (const change of [rotate, rotate, useSpare]) {
    assert.ok((await change()).ok);
    ahead += 2 * REREAD_MS;
    assert.equal((await device.start().check({ fresh: true })).state, 'licensed');
  }
  assert.equal((await device.state()).revokedKeys.length, 3);
});

test('a program that accepts license files uses one like a lease', async () => {
  const { license_key: key } = await api.license({ entitlements: ['pro'] });
  const headers = { authorization: basicHeader(api.credentials) };
  const file = await (await fetch(`${api.root}/licenses/${key}/file`, { headers })).text();
  const latchkey = deviceOf({ acceptLicenseFiles: true }).start();
  const { state, entitlements } = await latchkey.acceptLease(file);
  assert.deepEqual([state, entitlements], ['licensed', ['pro']]);
  // Waits for the list that it has begun to fetch in the background: the next check would use that one.
  assert.equal((await latchkey.check({ fresh: true })).state, 'licensed');
  await api.ok('PUT', `/licenses/${key}`, { json: { status: 'disabled' } });
  // The server checks for changes every few seconds.
  now += 10;
  assert.equal((await latchkey.check({ fresh: true })).state, 'revoked');
  await assert.rejects(deviceOf().start().acceptLease(file), { code: 'other_device' });
});

/** Runs an example with the source of the SDK. */
const run = (file: string, args: string[], env: NodeJS.ProcessEnv = {}) =>
  new Promise<[code: number, output: string]>((resolve) => {
    execFile(
      process.execPath,
      ['--conditions=latchkey-source', file, ...args],
      { env: { ...process.env, ...env } },
      (error, stdout, stderr) => resolve([Number(error?.code ?? 0), stdout + stderr]),
    );
  });

test('the command line example activates over the network', async () => {
  const { license_key: key } = await api.license({ entitlements: ['pro'] });
  const program = join(copyExample('cli', 'acme.js', vendor.url, roots), 'acme.js');
  const HOME = temporaryFolder();
  const [code, output] = await run(program, ['activate', 'ACME-NONE'], { HOME });
  assert.equal(code, 2);
  assert.match(output, /^Not licensed: not_activated\.$/m);
  assert.match(output, /\(license_not_found\)/);
  assert.deepEqual(await run(program, ['activate', key], { HOME }), [0, 'Licensed: pro.\n']);
  assert.deepEqual(await run(program, [], { HOME }), [0, 'Licensed: pro.\n']);
});

test('the command line example works on a device without network', async () => {
  const { license_key: key } = await api.license({ activations_limit: 1 });
  const program = join(copyExample('cli', 'acme.js', 'http://127.0.0.1:9', roots), 'acme.js');
  const HOME = temporaryFolder();
  const bring = (path: string, body: object) =>
    fetch(`${vendor.url}/client/v1/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const [, asked] = await run(program, ['request', key], { HOME });
  const request = asked.trim();
  const { lease } = (await (await bring('offline-activate', { request })).json()) as { lease: string };
  assert.deepEqual(await run(program, ['accept', lease], { HOME }), [0, 'Licensed.\n']);
  const [code, released] = await run(program, ['release'], { HOME });
  assert.equal(code, 0);
  assert.deepEqual(await run(program, [], { HOME }), [1, 'Not licensed: not_activated.\n']);
  assert.equal((await bring('offline-deactivate', { receipt: released.trim() })).status, 204);
  assert.equal((await api.ok('GET', `/licenses/${key}`)).times_activated, 0);
});

test("the Electron example works in the main process, with a stand-in for Electron's module", async () => {
  const { license_key: key } = await api.license({ entitlements: ['pro'] });
  const folder = copyExample('electron', 'main.js', vendor.url, roots);
  const electron = join(folder, 'node_modules/electron');
  mkdirSync(electron);
  const program = join(electron, 'index.js');
  copyFileSync(join(ROOT, 'test/support/fake-electron.js'), program);
  writeFileSync(join(electron, 'package.json'), '{"type":"module","exports":"./index.js"}');
  const data = temporaryFolder();
  const start = async (...steps: string[]) => {
    const [code, output] = await run(program, [join(folder, 'main.js'), data, ...steps]);
    assert.equal(code, 0, output);
    return output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  };
  const [page, refused, activated] = await start('license:activate=ACME-NONE', `license:activate=${key}`);
  assert.deepEqual(
    [page[1], refused[1].code, activated[1].state],
    ['activate.html', 'license_not_found', 'licensed'],
  );
  assert.doesNotMatch(readFileSync(join(data, 'userData/license'), 'latin1'), /token/);
  const [again, checked] = await start('license:check', 'license:deactivate');
  assert.deepEqual([again[1], checked[1].entitlements], ['index.html', ['pro']]);
});
