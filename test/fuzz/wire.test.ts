import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { basicHeader } from '../support/http/api.ts';
import { comingIn } from '../support/http/multipart.ts';
import { startService } from '../support/service.ts';
import { count, holds, type Tally } from './budget.ts';
import { answersIn, bound, talk } from './connection.ts';
import { bytesOf, connections } from './messages.ts';
import { checkEnvelope } from './replies.ts';
import { assertSame, openSnapshots, type Snapshot } from './snapshot.ts';
import { assertQuiet, makeWorld, type World } from './world.ts';

/**
 * Whatever bytes a connection sends, the service answers or closes it, and never reads requests that were not
 * sent.
 */
const RUNS = 60;
const CONTINUE = 100;

const api = await startService({ after });
const authorization = `Authorization: ${basicHeader(api.credentials)}`;

test('any bytes are answered or refused, and refused bytes change nothing', async (t) => {
  const snapshots = await openSnapshots(api.dataDir);
  const tally: Tally = new Map();
  let world: World = new Map();
  /** The current snapshot; null if anything may have changed. */
  let present: Snapshot | null = null;
  try {
    await holds(t, connections, RUNS, tally, async (connection) => {
      const { messages } = connection;
      if (!present) {
        world = await makeWorld(api);
        present = await snapshots.take();
      }
      const before = present;
      present = null;
      const firstBad = messages.findIndex(({ kind }) => kind !== 'good');
      // Good messages are answered in any case: the last one closes the connection.
      const settled = async () => {
        if (firstBad < 0) await bound();
        for (let i = 0; i < 3; i++) await api.ok('GET', '/generators', { query: { per_page: 1 } });
      };
      const { received, closed } = await talk(api.port, bytesOf(connection, world, authorization), settled);
      const final = answersIn(received).filter(({ status }) => status !== CONTINUE);
      count(tally, 'messages', messages.length);
      count(tally, 'answers', final.length);
      for (const answer of final) checkEnvelope(answer, answer.body === '');
      if (messages[firstBad]?.kind === 'ambiguous') {
        count(tally, 'ambiguous');
        assert.ok(final.length <= firstBad + 1, 'an answer follows an ambiguous message');
        const { status } = final[firstBad] ?? {};
        assert.ok(status === undefined || status >= 400, `an ambiguous message is answered ${status}`);
      }
      if (firstBad < 0 && closed) assert.equal(final.length, messages.length + 1, 'a message got no answer');
      if (closed && final.every(({ status }) => status >= 400)) {
        present = await snapshots.take();
        assertSame(before, present, 'refused messages');
      }
      assertQuiet(api.logs.splice(0).join(''), world);
    });
    await comingIn(api, 0);
  } finally {
    await snapshots.close();
  }
});
