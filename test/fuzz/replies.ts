import assert from 'node:assert/strict';
import { Check, Errors } from 'typebox/schema';
import type { Record_ } from '../support/http/api.ts';
import type { WireAnswer } from '../support/http/wire.ts';

/** Errors of any operation, where the framework or the parser refuses before the route does. */
const ANYWHERE = ['rest_bad_request', 'rest_no_route', 'rest_headers_too_large', 'rest_request_timeout'];
const BUSY = 503;

/** Checks an answer against section 4 of the contract. */
export function checkEnvelope(reply: WireAnswer, isHead = false): void {
  const { status, headers } = reply;
  const told = `${status} ${reply.body.slice(0, 500)}`;
  assert.ok(Number.isInteger(status), 'the answer has no status');
  assert.ok(status < 500 || status === BUSY, told);
  assert.equal(headers.get('x-content-type-options'), 'nosniff', told);
  assert.ok(headers.get('x-request-id'), told);
  // Downloads and the assets of the documentation page have their own cache headers.
  if (!/^(?:attachment|inline)/.test(headers.get('content-disposition') ?? '') && status !== 304)
    assert.ok(headers.get('cache-control'), told);
  if (isHead || status === 204 || status === 302 || status === 304) return;
  if (status < 400) {
    if (headers.get('content-type') !== 'application/json; charset=utf-8') return;
    const body = reply.json();
    if ('success' in body) assert.deepEqual(Object.keys(body), ['success', 'data'], told);
    return;
  }
  assert.equal(headers.get('content-type'), 'application/json; charset=utf-8', told);
  assert.equal(headers.get('cache-control'), 'no-store', told);
  const { code, message, data, ...rest } = reply.json();
  assert.deepEqual(rest, {}, told);
  assert.ok(typeof code === 'string' && typeof message === 'string' && message !== '', told);
  assert.equal(data.status, status, told);
  if (status === 401) assert.match(headers.get('www-authenticate') ?? '', /^Basic realm="/, told);
  if (status === BUSY) assert.ok(headers.get('retry-after'), told);
}

/** Checks an answer against the OpenAPI document. */
export function checkDocumented(reply: WireAnswer, operation: Record_): void {
  const told = `${operation.summary}: ${reply.status} ${reply.body.slice(0, 500)}`;
  if (reply.status >= 400 && ANYWHERE.includes(reply.json().code)) return;
  const response = operation.responses[reply.status];
  assert.ok(response, `not documented: ${told}`);
  for (const name of Object.keys(response.headers ?? {}))
    if (name !== 'Link') assert.ok(reply.headers.has(name.toLowerCase()), `no ${name}: ${told}`);
  const schema = response.content?.['application/json']?.schema;
  if (!schema) return;
  const body = reply.json();
  assert.ok(Check(schema, body), `${told}\n${JSON.stringify(Errors(schema, body)[1].slice(0, 3))}`);
}
