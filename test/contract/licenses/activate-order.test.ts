import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { startService } from '../../support/service.ts';

let now = Date.parse('2030-06-01T12:00:00Z');
const api = await startService({ after }, { clock: () => now });
test.beforeEach(() => {
  now = Date.parse('2030-06-01T12:00:00Z');
});
const PAST = '2020-01-01 00:00:00';

/** Creates a license with one seat: taken, or free with a deactivated activation that can be reactivated. */
async function license({ full, ...values }: { full: boolean; expires_at?: string; status?: number }) {
  const { license_key } = await api.license({ activations_limit: 1 });
  const first = await api.activation(license_key, { label: 'first', 'meta[a]': 'b' });
  await api.ok('GET', `/licenses/deactivate/${first.token}`);
  const second = full ? await api.activation(license_key) : null;
  await api.ok('PUT', `/licenses/${license_key}`, { json: values });
  return { license_key, deactivated: first.token as string, active: second?.token as string };
}
const activate = (license_key: string, token?: string) =>
  [`/licenses/activate/${license_key}`, { query: token ? { token } : {} }] as const;

suite('the order of the checks', () => {
  test('an unknown license comes before the token', async () => {
    const { deactivated } = await license({ full: false });
    const body = await api.fails(404, 'data_error', 'GET', ...activate('NO-SUCH', deactivated));
    assert.equal(body.data.code, 404);
  });
  test('an unknown token comes before expired, disabled and full', async () => {
    const { license_key } = await license({ full: true, expires_at: PAST, status: 5 });
    const body = await api.fails(404, 'data_error', 'GET', ...activate(license_key, '0'.repeat(40)));
    assert.match(body.message, /0{40}.*could not be found/);
  });
  test('a token of another license comes before expired, disabled and full', async () => {
    const { license_key } = await license({ full: true, expires_at: PAST, status: 5 });
    const { deactivated } = await license({ full: false });
    const body = await api.fails(404, 'data_error', 'GET', ...activate(license_key, deactivated));
    assert.match(body.message, /another license/);
  });
  test('a token of another license comes before an active token', async () => {
    const { license_key } = await license({ full: false });
    const { active } = await license({ full: true });
    const body = await api.fails(404, 'data_error', 'GET', ...activate(license_key, active));
    assert.match(body.message, /another license/);
  });
  test('an active token comes before expired, disabled and full', async () => {
    const { license_key, active } = await license({ full: true, expires_at: PAST, status: 5 });
    const body = await api.fails(404, 'data_error', 'GET', ...activate(license_key, active));
    assert.match(body.message, /already active/);
  });
  test('expired comes before disabled and full: 405 license_expired', async () => {
    const { license_key, deactivated } = await license({ full: true, expires_at: PAST, status: 5 });
    await api.fails(405, 'license_expired', 'GET', ...activate(license_key));
    await api.fails(405, 'license_expired', 'GET', ...activate(license_key, deactivated));
  });
  test('disabled comes before full: 405 license_disabled', async () => {
    const { license_key, deactivated } = await license({ full: true, status: 5 });
    await api.fails(405, 'license_disabled', 'GET', ...activate(license_key));
    await api.fails(405, 'license_disabled', 'GET', ...activate(license_key, deactivated));
  });
  test('full comes last: 404 license_activation_limit_reached', async () => {
    const { license_key, deactivated } = await license({ full: true });
    await api.fails(404, 'license_activation_limit_reached', 'GET', ...activate(license_key));
    await api.fails(404, 'license_activation_limit_reached', 'GET', ...activate(license_key, deactivated));
  });
  for (const status of [1, 2, 3, 4]) {
    test(`status ${status} allows activations; only 5 does not`, async () => {
      const { license_key } = await license({ full: false, status });
      await api.ok('GET', ...activate(license_key));
    });
  }
  test('a license cannot be activated from the second after expires_at on', async () => {
    const { license_key } = await api.license({ expires_at: '2030-06-01 12:00:05' });
    now += 5_999;
    await api.activation(license_key);
    now += 1;
    await api.fails(405, 'license_expired', 'GET', ...activate(license_key));
  });
  test('a refused activation takes no seat and changes nothing', async () => {
    const { license_key, deactivated } = await license({ full: false, status: 5 });
    const before = await api.ok('GET', `/licenses/${license_key}`);
    await api.fails(405, 'license_disabled', 'GET', ...activate(license_key));
    await api.fails(405, 'license_disabled', 'GET', ...activate(license_key, deactivated));
    assert.deepEqual(await api.ok('GET', `/licenses/${license_key}`), before);
    await api.fails(404, 'data_error', 'GET', `/licenses/validate/${deactivated}`);
  });
});

suite('activating with the token of a deactivated activation of the same license', () => {
  test('reactivates it and keeps its label and data', async () => {
    const { license_key, id } = await api.license({ activations_limit: 1 });
    const headers = { 'user-agent': 'first/1' };
    const query = { label: 'first', 'meta[a]': 'b' };
    const first = await api.ok('GET', `/licenses/activate/${license_key}`, { query, headers });
    now += 60_000;
    const { updated_at: never } = first;
    assert.equal(never, null);
    await api.ok('GET', `/licenses/deactivate/${first.token}`);
    now += 60_000;
    const again = await api.ok('POST', `/licenses/activate/${license_key}`, {
      json: { token: first.token, label: 'other', meta: { c: 'd' } },
      headers: { 'user-agent': 'second/2' },
    });
    assert.deepEqual(again, {
      ...first,
      updated_at: '2030-06-01 12:02:00',
      last_seen_at: '2030-06-01 12:02:00',
    });
    assert.deepEqual([again.license.id, again.license.times_activated], [id, 1]);
    assert.deepEqual(await api.ok('GET', `/licenses/validate/${first.token}`), again);
  });
  test('never exceeds the limit under concurrent requests', async () => {
    const { license_key } = await api.license({ activations_limit: 3 });
    const made = [];
    for (const _ of [1, 2, 3]) made.push(await api.activation(license_key));
    for (const { token } of made) await api.ok('GET', `/licenses/deactivate/${token}`);
    const tokens = made.flatMap(({ token }) => [token, token, undefined]);
    const answers = await Promise.all(
      tokens.map((token) => api.call('GET', ...activate(license_key, token))),
    );
    assert.equal(answers.filter(({ status }) => status === 200).length, 3);
    const granted = answers.filter(({ status }) => status === 200).map(({ body }) => body.data.token);
    assert.equal(new Set(granted).size, 3);
    const license_ = await api.ok('GET', `/licenses/${license_key}`);
    assert.deepEqual([license_.times_activated, license_.activations.length], [3, 3]);
  });
});
