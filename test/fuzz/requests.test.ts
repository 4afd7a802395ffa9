import { after, test } from 'node:test';
import fc from 'fast-check';
import type { Record_ } from '../support/http/api.ts';
import { resolved } from '../support/http/document.ts';
import { startService } from '../support/service.ts';
import { count, holds, type Tally } from './budget.ts';
import { createClient } from './connection.ts';
import { render } from './render.ts';
import { checkDocumented, checkEnvelope } from './replies.ts';
import { type FuzzRequest, requestsOf } from './requests.ts';
import { assertSame, openSnapshots, type Snapshot } from './snapshot.ts';
import { assertQuiet, makeWorld } from './world.ts';

/**
 * The service answers any request as the contract and the OpenAPI document say, and a refused one changes
 * nothing.
 */
const ROOT = '/wp-json/dlm/v1';
const MAX_REQUESTS = 60;
const RUNS = 10;

const api = await startService({ after });
const document = resolved((await api.call('GET', '/openapi.json', { credentials: null })).body);

function operationOf(named: string): Record_ {
  const [method = '', path = ''] = named.split(' ');
  return document.paths[path][method];
}

/** Returns whether a request may change something. A GET can do so on three routes only. */
const mayChange = ({ method, segments }: FuzzRequest, status: number): boolean =>
  status < 400 &&
  method !== 'HEAD' &&
  method !== 'OPTIONS' &&
  // A license file is recorded.
  (method !== 'GET' || /activate|download/.test(segments[1] ?? '') || segments[2] === 'file');

test('any request is answered as documented and changes nothing if it is refused', async (t) => {
  const snapshots = await openSnapshots(api.dataDir);
  const tally: Tally = new Map();
  const requests = fc.array(requestsOf(document), { minLength: 1, maxLength: MAX_REQUESTS, size: 'max' });
  try {
    await holds(t, requests, RUNS, tally, async (some) => {
      // Discard log lines of an earlier run that failed on its answers.
      api.logs.length = 0;
      const world = await makeWorld(api);
      const client = createClient(api.port);
      /** The snapshot before the request; null after a request that may have changed something. */
      let before: Snapshot | null = null;
      try {
        for (const request of some) {
          before ??= await snapshots.take();
          const isHead = request.method === 'HEAD';
          const bytes = render(request, world, ROOT);
          const reply = await client.send(bytes, isHead);
          const told = `${request.method} ${bytes.subarray(0, 300).toString('latin1')}`;
          count(tally, String(reply.status));
          try {
            checkEnvelope(reply, isHead);
            if (request.operation && !isHead) checkDocumented(reply, operationOf(request.operation));
          } catch (error) {
            throw new Error(`${told}: ${(error as Error).message}`);
          }
          if (mayChange(request, reply.status)) before = null;
          else assertSame(before, await snapshots.take(), told);
        }
      } finally {
        client.close();
      }
      assertQuiet(api.logs.splice(0).join(''), world);
    });
    await api.ok('GET', '/licenses');
  } finally {
    await snapshots.close();
  }
});
