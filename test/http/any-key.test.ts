import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { basicHeader, type Record_ } from '../support/http/api.ts';
import { startService } from '../support/service.ts';
import { anyCharacter } from '../support/text.ts';

const api = await startService({ after });
const authorization = basicHeader(api.credentials);

/** Sends a request through node:http, which keeps the path unchanged; fetch would resolve `..`. */
async function send(method: string, path: string): Promise<Record_> {
  const sent = request({ host: '127.0.0.1', port: api.port, method, path, headers: { authorization } }).end();
  const [response] = await once(sent, 'response');
  let text = '';
  for await (const part of response.setEncoding('utf8')) text += part;
  return JSON.parse(text);
}

const anything = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: anyCharacter, minLength: 1, maxLength: 60 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 255 }) },
  { weight: 4, arbitrary: fc.stringMatching(/^[%/.?&=+#;:\\0-9A-F a-z]{1,30}$/) },
);
const isKey = (text: string) =>
  text.isWellFormed() &&
  !text.includes('\0') &&
  text.trim() !== '' &&
  !text.startsWith('hashed-') &&
  [...text].length <= 255;

test('any key is created as sent, and found by its encoded path and by rest_route encoded twice', async () => {
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(anything.filter(isKey), async (key) => {
      if (seen.has(key)) return;
      seen.add(key);
      const { id, license_key } = await api.license({ license_key: key });
      assert.equal(license_key, key);
      const encoded = encodeURIComponent(key);
      const byPath = await send('GET', `/wp-json/dlm/v1/licenses/${encoded}`);
      assert.deepEqual([byPath.data?.id, byPath.data?.license_key], [id, key]);
      const twice = `/dlm/v1/licenses/${encodeURIComponent(encoded)}`;
      assert.equal((await send('GET', `/?rest_route=${twice}`)).data?.id, id);
      assert.equal((await send('GET', `/wp-json/dlm/v1/licenses?license_key=${encoded}`)).data?.[0]?.id, id);
    }),
    { numRuns: 150 },
  );
});

test('an invalid key is refused with 422 and creates nothing', async () => {
  const bad = fc.oneof(
    fc.string({ unit: anyCharacter }).map((text) => `${text}\0`),
    fc.string({ unit: anyCharacter }).map((text) => `${text}\ud800`),
    fc.stringMatching(/^[ \t\n\r\u00a0\u3000]{1,5}$/),
    fc.string().map((text) => `hashed-${text}`),
    fc.string({ unit: 'binary-ascii', minLength: 256, maxLength: 300 }),
  );
  await fc.assert(
    fc.asyncProperty(bad, async (license_key) => {
      const json = { license_key, valid_for: 0, status: 3, activations_limit: 1 };
      const body = await api.fails(422, 'data_error', 'POST', '/licenses', { json });
      assert.deepEqual(Object.keys(body.data.params), ['license_key']);
    }),
    { numRuns: 100 },
  );
});
