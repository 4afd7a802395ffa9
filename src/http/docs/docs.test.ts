import assert from 'node:assert/strict';
import { test } from 'node:test';
import Fastify from 'fastify';
import { serveDocs } from './docs.ts';

test('the API document is made again after a failure', async () => {
  const app = Fastify();
  let asked = 0;
  serveDocs(app, {
    async addRoutes() {
      if (++asked === 1) throw new Error('too many open files');
    },
    apiRoot: '/v1',
    clientRoot: '/client',
    basePath: '',
    version: '1',
    tags: [],
    responses: {},
    webhooks: {},
    guide: '',
  });
  const statusOf = async (path: string) => (await app.inject(path)).statusCode;
  assert.deepEqual([await statusOf('/docs/json'), await statusOf('/docs/json')], [500, 200]);
  assert.deepEqual([await statusOf('/docs/yaml'), asked], [200, 2]);
});
