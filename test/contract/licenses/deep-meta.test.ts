import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { migratedFolder } from '../../support/engine.ts';
import { basicHeader, heard } from '../../support/http/api.ts';
import { Wire } from '../../support/http/wire.ts';
import { startProcess } from '../../support/process.ts';

const objects = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
const lists = (depth: number) => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`;
const METAS: [what: string, meta: string][] = [
  ...[100, 2_000, 2_700, 100_000].map((depth): [string, string] => [`${depth} objects`, objects(depth)]),
  ...[100, 2_700, 3_500, 5_000, 8_000, 100_000].map((depth): [string, string] => [
    `${depth} lists`,
    lists(depth),
  ]),
];

// A process of its own: the test shows that such a request neither hangs nor disturbs other requests.
const api = await startProcess({ after }, await migratedFolder());

suite('deeply nested meta is stored, ignored or refused, and other requests are answered', () => {
  for (const [what, meta] of METAS) {
    const isRefused = what.startsWith('100000');
    test(what, { timeout: 60_000 }, async (t) => {
      const { license_key } = await api.license({ activations_limit: 0 });
      const body = `{"meta":${meta}}`;
      const wire = await Wire.open(Number(new URL(api.origin).port));
      t.after(() => wire.close());
      wire.write(
        `POST /wp-json/dlm/v1/licenses/activate/${license_key} HTTP/1.1\r\nHost: a\r\n` +
          `Authorization: ${basicHeader(api.credentials)}\r\nContent-Type: application/json\r\n` +
          `Content-Length: ${body.length}\r\n\r\n${body}`,
      );
      const others = Promise.all(Array.from({ length: 10 }, () => heard(() => api.activation(license_key))));
      const answer = await wire.answer();
      assert.equal(answer.status, isRefused ? 400 : 200, answer.body);
      await others;
      const { times_activated } = await api.ok('GET', `/licenses/${license_key}`);
      assert.equal(times_activated, isRefused ? 10 : 11);
    });
  }
});
