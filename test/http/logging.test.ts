import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { holdWrites, runSql } from '../support/engine.ts';
import { type Answer, basicHeader, type CallOptions } from '../support/http/api.ts';
import { exchange } from '../support/http/wire.ts';
import { startService } from '../support/service.ts';

const api = await startService({ after }, { patience: 50 });
const { consumerKey, consumerSecret } = api.credentials;
const MARK = 'qUeRyMaRk';
const KEY = 'LOGGED-KEY-4711';

/** The statuses that the client API answered. */
const clientStatuses = new Set<number>();

/** Sends requests of all kinds. Returns all answers, and the secrets that the requests and answers contained. */
async function everything(): Promise<{ answers: Answer[]; secrets: string[] }> {
  const answers: Answer[] = [];
  const call = async (method: string, path: string, options?: CallOptions) => {
    const answer = await api.call(method, path, options);
    answers.push(answer);
    return answer.body.data;
  };
  const client = async (operation: string, json: unknown, token = '') => {
    const response = await fetch(new URL(`/client/v1/${operation}`, api.root), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'idempotency-key': `${MARK}${answers.length}`,
        ...(token !== '' && { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(json),
    });
    const text = await response.text();
    const body = text === '' ? null : JSON.parse(text);
    const { status, headers } = response;
    answers.push({ status, headers, body });
    clientStatuses.add(status);
    const type = status < 400 ? 'application/json; charset=utf-8' : 'application/problem+json';
    assert.equal(headers.get('content-type'), status === 204 ? null : type);
    assert.equal(headers.has('retry-after'), status === 503);
    return body;
  };
  const json = { license_key: KEY, valid_for: 0, status: 3, activations_limit: 2 };
  const byQuery = { consumer_key: consumerKey, consumer_secret: consumerSecret, x: MARK };
  await call('POST', '/licenses', { json });
  await call('POST', '/licenses', { json });
  await call('POST', '/licenses', { query: { ...json, ...byQuery }, credentials: null });
  const hash = `hashed-${api.service.store.read.licenses.hashOf(KEY)}`;
  for (const name of [KEY, `${KEY}/`, hash, `${KEY}%2Fx`, `${KEY}%zz`, `${KEY}%00`, `${KEY}/a/b`]) {
    await call('GET', `/licenses/${name}`, { query: { x: MARK } });
    await call('HEAD', `/licenses/${name}`);
    await call('PUT', `/licenses/${name}`, { json: { status: 9, license_key: KEY } });
    await call('PATCH', `/licenses/${name}`, {
      raw: { body: `{"license_key":"${KEY}`, type: 'application/json' },
    });
    await call('POST', `/licenses/${name}`, { raw: { body: KEY, type: 'image/png' } });
    await call('POST', `/licenses/${name}`, {
      raw: { body: `--x\r\n${KEY}`, type: 'multipart/form-data; boundary=x' },
    });
    await call('GET', `/licenses/${name}`, { credentials: null, query: byQuery });
    await call('GET', `/licenses/${name}`, { credentials: null });
    await call('GET', `/licenses/${name}`, {
      credentials: { consumerKey, consumerSecret: `${consumerSecret}x` },
    });
    await call('GET', `/licenses/${name}`, {
      credentials: { consumerKey: `${consumerKey}x`, consumerSecret },
    });
  }
  const { token } = await call('GET', `/licenses/activate/${KEY}`, {
    query: { label: MARK, 'meta[a]': MARK },
  });
  await call('POST', `/licenses/activate/${KEY}`, { json: { token, label: MARK } });
  for (const route of ['validate', 'deactivate', 'deactivate', 'validate'])
    await call('GET', `/licenses/${route}/${token}`);
  await call('GET', `/licenses/activate/${KEY}`, { query: { token } });
  for (const _ of [1, 2]) await call('GET', `/licenses/activate/${KEY}`);
  await call('GET', `/nothing/${KEY}?${MARK}`);
  await call('GET', '/licenses', { query: { license_key: KEY, page: MARK } });
  await call('GET', '/licenses', { query: { license_key: KEY, per_page: 1 } });
  const { id } = await call('POST', '/generators', {
    json: { name: 'n', charset: 'AB', chunks: 3, chunk_length: 5 },
  });
  const [made] = await call('POST', `/generators/${id}/generate`, { json: { amount: 1, save: true } });
  await call('GET', `/licenses/${made}`);

  await call('PUT', `/licenses/${KEY}`, { json: { activations_limit: 9 } });
  const program = await client('activate', { license_key: KEY, fingerprint: MARK, label: MARK });
  assert.ok(program.activation.token);
  const clientCalls = async () => {
    await client('activate', { license_key: KEY, fingerprint: MARK });
    for (const wrong of [KEY, `${KEY}x`, hash, 5])
      await client('activate', { license_key: wrong, label: KEY, meta: KEY });
    await client('activate', { license_key: `${KEY}x`, fingerprint: MARK });
    for (const operation of ['validate', 'deactivate', 'deactivate', 'validate', 'nothing'])
      await client(operation, { fingerprint: MARK }, program.activation.token);
    await client(`${KEY}/${MARK}?${MARK}`, KEY, program.activation.token);
    await client('validate', {}, `${program.activation.token}x`);
    for (const update of [
      { software: MARK, version: KEY, license_key: KEY },
      { software: KEY, license_key: KEY },
      { software: MARK, license_key: `${KEY}x` },
    ])
      await client('update-check', update);
    await client('update-check', { software: MARK }, program.activation.token);
    await client(`downloads/${program.activation.token}`, undefined);
  };
  await clientCalls();
  const letGo = await holdWrites(api.dataDir);
  await call('PUT', `/licenses/${KEY}`, { json: { order_id: 1 } });
  await client('activate', { license_key: KEY });
  await letGo();
  await runSql(api.dataDir, 'drop table activations');
  await call('GET', `/licenses/${KEY}`);
  await call('GET', `/licenses/activate/${KEY}`, { query: { x: MARK } });
  await call('GET', `/licenses/validate/${token}`);
  await clientCalls();
  return { answers, secrets: [KEY, hash.slice(7), token, made, program.activation.token] };
}

test('no log line contains a license key, credentials, a token or a query string, at any level', async () => {
  const { answers, secrets } = await everything();
  const authorization = basicHeader(api.credentials);
  for (const bytes of [
    `GET /wp-json/dlm/v1/licenses/${KEY}?${MARK} HTTP/9.9\r\nAuthorization: ${authorization}\r\n\r\n`,
    `GET /?rest_route=/dlm/v1/licenses/${KEY}&x=${MARK} HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\r\n\r\n`,
    `GET /wp-json/dlm/v1/licenses HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\r\nX: ${MARK.repeat(9_000)}\r\n\r\n`,
  ]) {
    const answer = await exchange(api.port, bytes);
    const id = answer.headers.get('x-request-id');
    if (id) answers.push({ status: answer.status, headers: new Headers({ 'x-request-id': id }), body: null });
  }

  const statuses = new Set(answers.map(({ status }) => status));
  for (const status of [200, 400, 401, 404, 409, 415, 422, 500, 503])
    assert.ok(statuses.has(status), `${status} was provoked`);
  for (const status of [200, 201, 204, 401, 404, 410, 422, 500, 503])
    assert.ok(clientStatuses.has(status), `${status} was provoked`);
  const forbidden = [
    ...secrets,
    consumerKey,
    consumerSecret,
    consumerKey.slice(3),
    consumerSecret.slice(3),
    MARK,
    authorization.slice(6),
    'consumer_key',
    'rest_route=',
  ];
  assert.ok(api.logs.length >= answers.length);
  for (const line of api.logs) {
    for (const secret of forbidden) {
      assert.ok(!line.toLowerCase().includes(secret.toLowerCase()), `${secret} in ${line}`);
      assert.ok(
        !line.includes(encodeURIComponent(secret)) || /^[\w-]+$/.test(secret),
        `${secret} encoded in ${line}`,
      );
    }
    assert.doesNotMatch(line, /authorization/i);
  }

  const lines = api.logs.map((line) => JSON.parse(line));
  for (const { status, headers } of answers) {
    const own = lines.filter(({ reqId }) => reqId === headers.get('x-request-id'));
    assert.equal(own.filter((line) => line.status === status).length, 1, `one line for the answer ${status}`);
    const { method, route, ms, reason } = own.find((line) => line.status === status);
    // Bytes that are not HTTP have a reason instead of a method and a route.
    if (reason) continue;
    assert.ok(typeof method === 'string' && typeof ms === 'number');
    assert.ok(route === null || route.startsWith('/'));
  }
});
