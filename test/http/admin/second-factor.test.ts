import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { TOTP } from 'otpauth';
import { SYSTEM } from '../../../src/domain/actor.ts';
import { consoleClient, cookieOf } from '../../support/console/console.ts';
import { quickHash } from '../../support/console/passwords.ts';
import { storedBytes } from '../../support/engine.ts';
import { newName } from '../../support/http/api.ts';
import { startService } from '../../support/service.ts';

let now = Date.now();
const api = await startService({ after }, { clock: () => now });
const nobody = consoleClient(api, { 'x-csrf-token': '1' });
const PASSWORD = 'correct horse battery';
const passwordHash = await quickHash(PASSWORD);
const codeAt = (secret: string, at = now): string => new TOTP({ secret }).generate({ timestamp: at });
const WRONG = '000000';

/** Signs in with the password and returns the client that still needs the second factor. */
async function passwordShown(email: string) {
  const { headers, body } = await nobody.post('/session', { email, password: PASSWORD });
  assert.deepEqual(body, { second_factor: true });
  return consoleClient(api, { cookie: cookieOf(headers), 'x-csrf-token': '1' });
}

/** Creates a user who has begun to set up an authenticator. */
async function withPending() {
  const email = `${newName().toLowerCase()}@example.test`;
  const user = { name: 'T', email, role: 'manager', passwordHash } as const;
  assert.ok((await api.service.execute('create-user', user, SYSTEM)).ok);
  const { headers } = await nobody.post('/session', { email, password: PASSWORD });
  const cookie = cookieOf(headers);
  const { csrf_token } = await consoleClient(api, { cookie }).ok('GET', '/session');
  const client = consoleClient(api, { cookie, 'x-csrf-token': csrf_token });
  const { secret, address } = await client.ok('POST', '/account/totp');
  assert.match(address, /^otpauth:\/\/totp\/Latchkey:.*secret=/);
  const confirm = (code: string) => client.post('/account/totp/confirm', { code });
  return { email, client, secret, confirm };
}

/** Creates a user with a second factor, whose current code is already used. */
async function withTotp() {
  const { confirm, ...user } = await withPending();
  assert.equal((await confirm(WRONG)).status, 422);
  const { status, body } = await confirm(codeAt(user.secret));
  assert.equal(status, 200);
  return { ...user, codes: body.recovery_codes };
}

test('a password alone leads only to the code prompt, and a code counts once', async () => {
  const { email, client, secret } = await withTotp();
  const shown = await passwordShown(email);
  assert.deepEqual(await shown.ok('GET', '/session'), {
    signed_in: false,
    setup_needed: false,
    second_factor: true,
  });
  assert.equal((await shown.get('/account')).status, 401);
  assert.equal(
    (await shown.post('/session/second-factor', { code: codeAt(secret) })).status,
    422,
    'the code was used to switch on the second factor',
  );
  now += 30_000;
  const code = codeAt(secret);
  const others = await Promise.all([shown, await passwordShown(email), await passwordShown(email)]);
  const answers = await Promise.all(others.map((one) => one.post('/session/second-factor', { code })));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 422, 422]);
  const won = answers.find(({ status }) => status === 200);
  assert.equal(won?.body.user.totp, true);
  const cookie = cookieOf(won?.headers as Headers);
  assert.ok(others.every(({ headers }) => headers.cookie !== cookie));
  const sessions = await consoleClient(api, { cookie }).ok('GET', '/sessions');
  assert.deepEqual(
    sessions.items.map((one: { second_factor: boolean }) => one.second_factor),
    [true, false],
  );
  assert.equal((await client.get('/account')).status, 200);
});

test('after five wrong codes the password is needed again, even if more codes are sent concurrently', async () => {
  const { email, secret } = await withTotp();
  now += 30_000;
  const shown = await passwordShown(email);
  const answers = await Promise.all(
    Array.from({ length: 9 }, () => shown.post('/session/second-factor', { code: WRONG })),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [401, 401, 401, 401, 401, 422, 422, 422, 422]);
  assert.equal((await shown.post('/session/second-factor', { code: codeAt(secret) })).status, 401);
});

test('ten wrong codes block the authenticator for five minutes, even after a new sign-in', async () => {
  const { email, secret, codes } = await withTotp();
  now += 30_000;
  for (let nth = 0, shown = await passwordShown(email); nth < 10; nth++) {
    const { status } = await shown.post('/session/second-factor', { code: WRONG });
    assert.equal(status, nth % 5 === 4 ? 401 : 422);
    // Signs in again in the browser that failed.
    if (nth % 5 === 4) {
      const again = await shown.post('/session', { email, password: PASSWORD });
      shown = consoleClient(api, { cookie: cookieOf(again.headers), 'x-csrf-token': '1' });
    }
  }
  const shown = await passwordShown(email);
  assert.equal((await shown.post('/session/second-factor', { code: codeAt(secret) })).status, 429);
  assert.equal((await shown.post('/session/second-factor', { code: codes[0] })).status, 200);
  now += 5 * 60_000;
  const later = await passwordShown(email);
  assert.equal((await later.post('/session/second-factor', { code: codeAt(secret) })).status, 200);
});

test('a sign-in waits five minutes for the code', async () => {
  const { email, secret } = await withTotp();
  const shown = await passwordShown(email);
  now += 5 * 60_000;
  assert.equal((await shown.post('/session/second-factor', { code: codeAt(secret) })).status, 401);
});

test('a recovery code counts once, and new recovery codes replace all old ones', async () => {
  const { email, client, codes } = await withTotp();
  assert.equal(new Set(codes).size, 10);
  const [first, second] = codes as [string, string];
  const two = [await passwordShown(email), await passwordShown(email)];
  const answers = await Promise.all(
    two.map((one, i) =>
      one.post('/session/second-factor', { code: i === 0 ? first : ` ${first.toUpperCase()} ` }),
    ),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 422]);
  assert.equal((await client.ok('GET', '/account')).recovery_codes_left, 9);
  await client.ok('POST', '/account/recovery-codes');
  assert.equal(
    (await (await passwordShown(email)).post('/session/second-factor', { code: second })).status,
    422,
  );
});

test('confirming a new authenticator needs a password from the last ten minutes', async () => {
  const { client, secret, confirm } = await withPending();
  now += 10 * 60_000 + 1_000;
  const refused = await confirm(codeAt(secret));
  assert.deepEqual([refused.status, refused.body.code], [403, 'password_needed']);
  await client.ok('POST', '/session/confirm', { password: PASSWORD });
  assert.equal((await confirm(codeAt(secret))).status, 200);
});

test('the secret of a new authenticator allows five codes, even if more are sent concurrently', async () => {
  const { client, secret, confirm } = await withPending();
  const answers = await Promise.all(Array.from({ length: 9 }, () => confirm(WRONG)));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [409, 409, 409, 409, 409, 422, 422, 422, 422]);
  const late = await confirm(codeAt(secret));
  assert.deepEqual([late.status, late.body.data.reason.code], [409, 'totp_expired']);
  const { secret: next } = await client.ok('POST', '/account/totp');
  assert.equal((await confirm(codeAt(next))).status, 200);
});

test('an authenticator is confirmed with a code however it is typed', async () => {
  const { secret, confirm } = await withPending();
  const code = codeAt(secret);
  const arabic = code.replace(/\d/g, (digit) => String.fromCharCode(0x660 + Number(digit)));
  assert.equal((await confirm(arabic)).status, 422);
  const full = code.replace(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit)));
  assert.equal((await confirm(`${full.slice(0, 3)}-${full.slice(3)}`)).status, 200);
});

test('the secret of a new authenticator is valid for fifteen minutes', async () => {
  const { client, secret, confirm } = await withPending();
  now += 15 * 60_000;
  await client.ok('POST', '/session/confirm', { password: PASSWORD });
  assert.equal((await confirm(codeAt(secret))).body.data.reason.code, 'totp_expired');
});

test('a user can switch off the second factor', async () => {
  const { email, client } = await withTotp();
  await client.ok('DELETE', '/account/totp');
  assert.deepEqual(await nobody.ok('POST', '/session', { email, password: PASSWORD }), {
    second_factor: false,
  });
  assert.equal((await client.ok('GET', '/account')).recovery_codes_left, 0);
  assert.equal((await client.post('/account/totp/confirm', { code: WRONG })).status, 409);
});

test('no secret is stored or logged in plain text', async () => {
  const { secret, codes } = await withTotp();
  const stored = await storedBytes(api.dataDir);
  for (const clear of [secret, PASSWORD, ...codes])
    assert.ok(
      stored.every((bytes) => !bytes.includes(clear)),
      'a secret in plain text',
    );
  for (const clear of [secret, PASSWORD, ...codes]) assert.ok(!api.logs.join('').includes(clear));
});
