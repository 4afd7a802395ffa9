import assert from 'node:assert/strict';
import { test } from 'node:test';
import Fastify from 'fastify';
import { answerOf } from '../../src/http/dlm-v1/errors.ts';
import { errorHandler } from '../../src/http/error-handler.ts';
import { type Dialect, refuse } from '../../src/http/errors.ts';

const v1: Dialect = { prefix: '/v1', answerOf };
const other: Dialect = {
  prefix: '/other/v2',
  answerOf: ({ code }) => ({ status: 418, body: { success: false, why: code } }),
};

test('the dialect of the path renders an error, even for an unknown route; other paths use the first dialect', async (t) => {
  const app = Fastify();
  t.after(() => app.close());
  app.setErrorHandler(errorHandler(v1, other));
  app.setNotFoundHandler(() => {
    throw refuse('no_route');
  });
  app.get('/other/v2/expired', () => {
    throw refuse('license_expired', { at: '2030-01-31 23:59:59' });
  });
  const asked = async (url: string) => {
    const { statusCode, body } = await app.inject(url);
    const { why, code } = JSON.parse(body);
    return [statusCode, why ?? code];
  };
  assert.deepEqual(await asked('/other/v2/expired'), [418, 'license_expired']);
  assert.deepEqual(await asked('/other/v2/nowhere'), [418, 'no_route']);
  assert.deepEqual(await asked('/other/v21'), [404, 'rest_no_route']);
  assert.deepEqual(await asked('/v1/nowhere'), [404, 'rest_no_route']);
});
