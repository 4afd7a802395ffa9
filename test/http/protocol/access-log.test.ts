import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { runSql } from '../../support/engine.ts';
import { basicHeader, type Record_ } from '../../support/http/api.ts';
import { Wire } from '../../support/http/wire.ts';
import { type Options, startService } from '../../support/service.ts';
import { until } from '../../support/until.ts';

/** Starts a service and opens a connection. Returns functions that send a request and find its log line. */
async function logging(t: TestContext, server: NonNullable<Options['server']>) {
  const api = await startService(t, { server });
  const wire = await Wire.open(api.port);
  t.after(() => wire.close());
  const get = (path: string, headers = '') => {
    const authorization = `Authorization: ${basicHeader(api.credentials)}\r\n`;
    return wire.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n${authorization}${headers}\r\n`).answer();
  };
  // The server writes the line after it has sent the whole answer, perhaps after the answer has arrived.
  const lineOf = async (reqId: unknown) => {
    let found: Record_;
    await until(() => {
      found = api.logs.map((line) => JSON.parse(line)).find((line) => line.reqId === reqId);
      return found !== undefined;
    });
    return found;
  };
  return { api, get, lineOf };
}

test('the log has one line for each answer, with all its details', async (t) => {
  const { api, get, lineOf } = await logging(t, { logLevel: 'info' });
  const before = Date.now();
  for (const [path, route, status, apiKey] of [
    ['/wp-json/dlm/v1/licenses/NO-SUCH', '/wp-json/dlm/v1/licenses/:license_key', 404, 1],
    ['/wp-json/dlm/v1/nothing-here', null, 404, 1],
    ['/healthz', '/healthz', 200, undefined],
  ] as const) {
    const { headers } = await get(path);
    const line = await lineOf(headers.get('x-request-id'));
    const { time, ms, reqId, ...rest } = line;
    assert.deepEqual(Object.keys(line), [
      ...['level', 'time', 'reqId', 'method', 'route', 'status', 'ms'],
      ...(apiKey ? ['apiKey'] : []),
      'ip',
    ]);
    assert.deepEqual(rest, {
      level: 'info',
      method: 'GET',
      route,
      status,
      ip: '127.0.0.1',
      ...(apiKey && { apiKey }),
    });
    assert.ok(Date.parse(time) >= before && Date.parse(time) <= Date.now());
    assert.ok(typeof ms === 'number' && ms >= 0);
  }
  assert.ok(api.logs.every((line) => line.indexOf('\n') === line.length - 1));
});

test('a forwarded address is logged without its port; an invalid address is not logged', async (t) => {
  const { api, get, lineOf } = await logging(t, { logLevel: 'info', trustProxy: true });
  const forwarded = {
    '203.0.113.9': '203.0.113.9',
    '203.0.113.9:4711': '203.0.113.9',
    '::ffff:203.0.113.9': '203.0.113.9',
    '2001:db8::1': '2001:db8::1',
    '[2001:db8::1]:4711': '2001:db8::1',
  };
  const odd = ['"', '\\', '{"a":"b', '</script>', "';--", '\t', 'x'.repeat(5_000)].map((text) => `a${text}b`);
  const all = [...Object.entries(forwarded), ...odd.map((text) => [text, '127.0.0.1'] as const)];
  for (const [sent, logged] of all) {
    const { status, headers } = await get('/wp-json/dlm/v1/licenses', `X-Forwarded-For: ${sent}\r\n`);
    assert.equal(status, 200);
    assert.equal((await lineOf(headers.get('x-request-id'))).ip, logged);
  }
  assert.ok(api.logs.every((line) => line.indexOf('\n') === line.length - 1));
});

for (const [logLevel, levels] of [
  ['warn', ['error']],
  ['error', ['error']],
  ['silent', []],
] as const) {
  test(`level ${logLevel}: no line for an answer, ${levels.length > 0 ? 'one' : 'nor'} for a failure`, async (t) => {
    const { api, get } = await logging(t, { logLevel });
    assert.equal((await get('/wp-json/dlm/v1/licenses')).status, 200);
    await runSql(api.dataDir, 'drop table activations');
    assert.equal((await get('/wp-json/dlm/v1/licenses/validate/none')).status, 500);
    assert.equal((await get('/healthz')).status, 200);
    assert.deepEqual(
      api.logs.map((line) => JSON.parse(line).level),
      levels,
    );
  });
}
