import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { inspect } from 'node:util';
import { readCompact } from '../../../src/app/leases/compact.ts';
import {
  certificate,
  DAY,
  hash,
  lease,
  type Members,
  NOW,
  revocations,
  root,
  rotated,
  signing,
  spare,
} from './kit.ts';
import { activated, killed, makeDevice, problem, send, startVendor } from './vendor.ts';

const vendor = await startVendor({ after });
test.beforeEach(() => vendor.reset());

/** Returns the payload that the vendor reads from a request or a receipt. */
function readText(text: string, prefix: string, typ: 'lk-request+jwt' | 'lk-release+jwt'): Members {
  assert.ok(text.startsWith(prefix));
  const read = readCompact(text.slice(prefix.length), typ);
  assert.ok(read);
  assert.ok(read.isSignedBy(String(read.payload.x)));
  return read.payload;
}
/** Returns the vendor's answer to a request. */
function answerTo(request: string, changes: Members = {}): string {
  const { x, n, fpr } = readText(request, 'LKREQ1.', 'lk-request+jwt');
  const times = { exp: NOW + 365 * DAY, grc: NOW + 372 * DAY };
  return `LKLEASE1.${lease({ ...times, fp: hash(String(fpr)), cnf: { x }, n, ...changes })}`;
}

suite('an offline device', () => {
  test('writes a request, accepts the lease that answers it, and frees its seat with a receipt', async () => {
    vendor.instead = killed;
    const device = makeDevice(vendor, { product: 1001 });
    const latchkey = device.start();
    await assert.rejects(latchkey.offlineRequest(' '), { code: 'invalid_request' });
    const request = await latchkey.offlineRequest(' ACME-0001\n', { label: 'Press 4' });
    const { key, lbl, prd, iat, x, fpr } = readText(request, 'LKREQ1.', 'lk-request+jwt');
    assert.deepEqual([key, lbl, prd, iat, fpr], ['ACME-0001', 'Press 4', 1001, NOW, x]);
    device.clock += 3 * DAY;
    const { state, until } = await device.start().acceptLease(`\n${answerTo(request)}\n`);
    assert.deepEqual([state, until], ['licensed', new Date((NOW + 365 * DAY) * 1_000)]);
    device.clock += 300 * DAY;
    assert.equal((await device.start().check()).state, 'licensed');

    const receipt = await device.start().offlineRelease();
    assert.equal(await latchkey.offlineRelease(), receipt);
    const { sub, lic, ...released } = readText(receipt, 'LKOFF1.', 'lk-release+jwt');
    assert.deepEqual([sub, lic, released.x], ['act_41', 'lic_7', x]);
    assert.equal((await device.start().check()).reason, 'not_activated');
    await assert.rejects(device.start().acceptLease(answerTo(request)), { code: 'other_device' });
    const next = readText(await device.start().offlineRequest('ACME-0001'), 'LKREQ1.', 'lk-request+jwt');
    assert.notEqual(next.x, x);
  });

  test('accepts only a lease that answers its own request', async () => {
    const device = makeDevice(vendor);
    const latchkey = device.start();
    const other = answerTo(await makeDevice(vendor).start().offlineRequest('ACME-0001'));
    await assert.rejects(latchkey.acceptLease(other), { code: 'other_device' });
    await assert.rejects(latchkey.acceptLease('LKLEASE1.x'), { code: 'malformed' });
    const request = await latchkey.offlineRequest('ACME-0001');
    await assert.rejects(latchkey.acceptLease(answerTo(request, { n: 'other' })), { code: 'other_nonce' });
    await assert.rejects(latchkey.acceptLease(answerTo(request, { n: undefined })), { code: 'other_nonce' });
    const requests = [request];
    for (let i = 0; i < 5; i++) requests.push(await latchkey.offlineRequest('ACME-0001'));
    const [forgotten, ...kept] = requests.map((one) => answerTo(one)) as [string, string, string];
    await assert.rejects(latchkey.acceptLease(forgotten), { code: 'other_nonce' });
    const broken = kept[0].replace(/.{76}/g, '$&\r\n');
    for (const same of [broken, kept[0], `${kept[0]}\n`])
      assert.equal((await latchkey.acceptLease(same)).state, 'licensed');
    await assert.rejects(latchkey.acceptLease(kept[1]), { code: 'other_nonce' });
  });

  test('needs a new lease, but no network, after its clock was far ahead', async () => {
    vendor.instead = killed;
    const device = makeDevice(vendor);
    await device.start().acceptLease(answerTo(await device.start().offlineRequest('ACME-0001')));
    device.clock += 3_000 * DAY;
    assert.equal((await device.start().check()).state, 'expired');
    device.clock = NOW;
    assert.equal((await device.start().check()).state, 'clock');
    await device.start().acceptLease(answerTo(await device.start().offlineRequest('ACME-0001')));
    assert.equal((await device.start().check()).state, 'licensed');
  });

  test('gives the age of its lease as the reason, not the network that it does not have', async () => {
    vendor.instead = killed;
    const device = makeDevice(vendor);
    await device.start().acceptLease(answerTo(await device.start().offlineRequest('ACME-0001')));
    for (const [days, state] of [
      [365, 'grace'],
      [372, 'expired'],
    ] as const) {
      device.clock = NOW + days * DAY;
      const { state: found, reason } = await device.start().check({ fresh: true });
      assert.deepEqual([found, reason], [state, 'lease_expired']);
      assert.equal((await device.state()).retry.reason, 'unreachable');
    }
  });

  test('dates a receipt no earlier than its lease, even if its clock is behind', async () => {
    vendor.instead = killed;
    const device = makeDevice(vendor);
    device.clock = NOW - 200;
    const request = await device.start().offlineRequest('ACME-0001');
    await device.start().acceptLease(answerTo(request, { iat: NOW }));
    const { iat } = readText(await device.start().offlineRelease(), 'LKOFF1.', 'lk-release+jwt');
    assert.equal(iat, NOW);
  });

  test('accepts a lease even if its clock is almost a day behind', async () => {
    vendor.instead = killed;
    const device = makeDevice(vendor);
    device.clock = NOW - DAY + 1;
    const request = await device.start().offlineRequest('ACME-0001');
    assert.equal((await device.start().acceptLease(answerTo(request))).state, 'licensed');
  });

  test('needs a device key', async () => {
    const latchkey = makeDevice(vendor, { deviceKey: undefined }).start();
    await assert.rejects(latchkey.offlineRequest('ACME-0001'), TypeError);
    assert.equal((await latchkey.activate('ACME-0001')).state, 'licensed');
    await assert.rejects(latchkey.offlineRelease(), TypeError);
  });
});

suite('a license file', () => {
  const file = lease({ sub: undefined });
  test('is accepted on any device by programs with acceptLicenseFiles', async () => {
    vendor.instead = killed;
    const device = makeDevice(vendor, { acceptLicenseFiles: true });
    assert.equal((await device.start().acceptLease(file)).state, 'licensed');
    assert.equal((await device.start().check()).state, 'licensed');
    await assert.rejects(device.start().acceptLease(lease()), { code: 'other_device' });
    await assert.rejects(device.start().offlineRelease(), { code: 'not_activated' });
    await assert.rejects(device.start().deactivate(), { code: 'not_activated', message: /license file/ });
  });
  test('that has ended replaces nothing', async () => {
    const device = makeDevice(vendor, { acceptLicenseFiles: true });
    await device.start().activate('ACME-0001');
    const before = await device.state();
    const ended = lease({ sub: undefined, exp: NOW - 1, grc: NOW, iat: NOW - DAY, ref: NOW - DAY });
    await assert.rejects(device.start().acceptLease(ended), { code: 'lease_expired' });
    assert.deepEqual(await device.state(), before);
  });
  test('for one device is accepted only there', async () => {
    const [device, other] = [makeDevice(vendor, { acceptLicenseFiles: true }), makeDevice(vendor)];
    const { x, fpr } = readText(
      await device.start().offlineRequest('ACME-0001'),
      'LKREQ1.',
      'lk-request+jwt',
    );
    const own = lease({ fp: hash(String(fpr)), cnf: { x } });
    assert.equal((await device.start().acceptLease(own)).state, 'licensed');
    await assert.rejects(other.start({ acceptLicenseFiles: true }).acceptLease(own), {
      code: 'other_device',
    });
  });
  test('is refused by other programs, even if a user puts it into the storage', async () => {
    const device = makeDevice(vendor);
    await assert.rejects(device.start().acceptLease(file), { code: 'other_device' });
    await device.storage.save(JSON.stringify({ lease: file }));
    assert.equal((await device.start().check()).reason, 'other_device');
  });
});

suite('the revocation list', () => {
  /** Gives a device a license file, and lets it fetch a list. */
  async function fetched(list: string, device = makeDevice(vendor, { acceptLicenseFiles: true })) {
    vendor.instead = killed;
    if ((await device.state()).lease === undefined)
      await device.start().acceptLease(lease({ sub: undefined }));
    vendor.instead = (_, response) => send(response, 200, 'application/jwt', list);
    const { state } = await device.start().check({ fresh: true });
    vendor.instead = killed;
    assert.equal((await device.start().check()).state, state);
    return { device, state };
  }

  test('ends the lease of a revoked license, even offline', async () => {
    const { device, state } = await fetched(revocations({ lic: [[7, NOW]] }));
    assert.equal(state, 'revoked');
    assert.equal(vendor.asked.at(-1)?.operation, 'revocations');
    assert.equal(vendor.asked.at(-1)?.headers.authorization, undefined);
    // An older list without the license does not restore the lease.
    assert.equal((await fetched(revocations({ seq: 4 }), device)).state, 'revoked');
    assert.equal((await fetched(revocations({ seq: 6 }), device)).state, 'licensed');
  });
  test('changes nothing if it is forged or lists others', async () => {
    assert.equal((await fetched(revocations({ lic: [[8, NOW]], act: [[7, NOW]] }))).state, 'licensed');
    const forged = revocations({ lic: [[7, NOW]] }, certificate({}, rotated));
    const { device, state } = await fetched(forged);
    assert.equal(state, 'licensed');
    assert.equal((await device.state()).retry.reason, 'untrusted_answer');
  });
});

suite('keys change without an update of the program', () => {
  test('a program trusts a rotated signing key and the spare root, and never again trusts a revoked key', async () => {
    const { device, latchkey } = await activated(vendor);
    const answers = (crt: string, key = rotated) => {
      vendor.instead = ({ body }, response) => {
        const x = body.fingerprint;
        const text = lease({ n: body.nonce, fp: hash(String(x)), cnf: { x } }, crt, key);
        send(response, 200, 'application/json', JSON.stringify({ activation: {}, lease: text }));
      };
    };
    answers(certificate({}, root, rotated));
    assert.equal((await latchkey.check({ fresh: true })).state, 'licensed');
    answers(certificate({ rvk: [signing.kid, root.kid] }, spare, rotated));
    assert.equal((await latchkey.check({ fresh: true })).state, 'licensed');
    assert.deepEqual((await device.state()).revokedKeys, [signing.kid, root.kid]);
    const good = (await device.state()).lease;
    for (const [crt, key] of [
      [certificate({}, spare, signing), signing],
      [certificate({}, root, rotated), rotated],
    ] as const) {
      answers(crt, key);
      await latchkey.check({ fresh: true });
      assert.equal((await device.state()).lease, good);
      assert.equal((await device.state()).retry.reason, 'untrusted_answer');
    }
  });
});

suite('the other operations', () => {
  test('deactivate frees the seat, and forgets the lease only once the server has answered', async () => {
    const { device, latchkey } = await activated(vendor, { random: () => 0 });
    vendor.instead = killed;
    await assert.rejects(latchkey.deactivate(), { code: 'unreachable' });
    assert.equal((await device.start().check()).state, 'licensed');
    vendor.instead = null;
    await latchkey.deactivate();
    const [first, last] = [vendor.asked.at(-4), vendor.asked.at(-1)];
    assert.equal(last?.headers.authorization, 'Bearer token-1');
    assert.notEqual(first?.headers['idempotency-key'], last?.headers['idempotency-key']);
    assert.equal((await latchkey.check()).reason, 'not_activated');
    await latchkey.deactivate();
    assert.equal((await latchkey.activate('ACME-0001')).state, 'licensed');
    vendor.instead = problem(401, 'unauthenticated');
    await latchkey.deactivate();
  });

  test('activate rejects with the problem from the server, including everything that a user needs', async () => {
    const { latchkey } = await activated(vendor);
    const holders = [{ label: 'Off…', last_seen_at: '2026-11-22T10:15:00Z' }];
    vendor.instead = problem(409, 'seat_limit_reached', {
      ...{ detail: 'All seats are taken.', holders, takeover_allowed: true },
    });
    const failure = await latchkey
      .activate(' ACME-0002\n', { takeover: true, borrowHours: 8 })
      .catch((error) => error);
    assert.deepEqual([failure.code, failure.message], ['seat_limit_reached', 'All seats are taken.']);
    assert.deepEqual([failure.problem.holders, failure.problem.takeover_allowed], [holders, true]);
    const { license_key, takeover, borrow_hours } = vendor.asked.at(-1)?.body ?? {};
    assert.deepEqual([license_key, takeover, borrow_hours], ['ACME-0002', true, 8]);
    // The previous license is unchanged.
    assert.equal((await latchkey.check()).state, 'licensed');
  });

  test('an error tells what the network did', async () => {
    const errorOf = (timeout: number): Promise<string> =>
      makeDevice(vendor, { timeout, random: () => 0 })
        .start()
        .activate('ACME-0001')
        .then(() => assert.fail(), inspect);
    vendor.instead = (_, response) => void response.writeHead(301, { location: '/login' }).end();
    assert.match(await errorOf(10_000), /: unreachable\..*unexpected redirect/s);
    vendor.instead = () => undefined;
    assert.match(await errorOf(10), /No answer within 10 ms/);
    vendor.instead = (_, response) => send(response, 404, 'text/html', '<h1>Not found</h1>');
    assert.match(await errorOf(10_000), /: untrusted_answer \(HTTP 404\)\./);
  });

  test('updateCheck returns the update, or null', async () => {
    const { device, latchkey } = await activated(vendor, { software: 'acme-editor' });
    const update = { version: '1.4.0', download_url: null, denied: 'license_expired' };
    vendor.instead = (_, response) => send(response, 200, 'application/json', JSON.stringify({ update }));
    assert.deepEqual(await latchkey.updateCheck({ version: '1.3.0' }), update);
    assert.deepEqual(vendor.asked.at(-1)?.body, { software: 'acme-editor', version: '1.3.0' });
    await latchkey.updateCheck({ software: undefined });
    assert.deepEqual(vendor.asked.at(-1)?.body, { software: 'acme-editor' });
    await latchkey.updateCheck({ software: 7 });
    assert.deepEqual(vendor.asked.at(-1)?.body, { software: 7 });
    vendor.instead = (_, response) => send(response, 200, 'application/json', '{"update":null}');
    assert.equal(await latchkey.updateCheck(), null);
    vendor.instead = killed;
    await assert.rejects(latchkey.updateCheck(), { code: 'unreachable' });
    await device.storage.clear();
    await assert.rejects(device.start().updateCheck(), { code: 'not_activated' });
  });
});
