import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { makeCredentials } from '../../src/app/api-keys/credentials.ts';
import { openService, setUpService } from '../../src/installation/service.ts';
import { basicHeader } from '../support/http/api.ts';
import { withApiKey } from '../support/http/api-keys.ts';
import { Wire } from '../support/http/wire.ts';
import { runLatchkey } from '../support/process.ts';
import { startService, storeConfig } from '../support/service.ts';

/** Tests API keys that the service has cached, on connections that stay open. */
let now = Date.parse('2030-06-01T12:00:00Z');
const api = await startService({ after }, { clock: () => now });

type Credentials = ReturnType<typeof makeCredentials>;
type Sent = (credentials: Credentials) => { query?: string; header?: string };
const WAYS: [how: string, sent: Sent][] = [
  ['in the header', (credentials) => ({ header: `Authorization: ${basicHeader(credentials)}\r\n` })],
  [
    'in the query string',
    ({ consumerKey, consumerSecret }) => ({
      query: `?consumer_key=${consumerKey}&consumer_secret=${consumerSecret}`,
    }),
  ],
];

/**
 * Opens a connection. Returns a function that sends a request and returns its status, with the message if it is 401.
 */
async function connection(sent: Sent) {
  const wire = await Wire.open(api.port);
  after(() => wire.close());
  return async (credentials: Credentials): Promise<string> => {
    const { query = '', header = '' } = sent(credentials);
    wire.write(`GET /wp-json/dlm/v1/licenses${query} HTTP/1.1\r\nHost: x\r\n${header}\r\n`);
    const answer = await wire.answer();
    return answer.status === 401 ? `401 ${answer.json().message}` : String(answer.status);
  };
}

for (const [how, sent] of WAYS) {
  test(`${how}: a key that another process revokes is refused from the next request on`, async () => {
    const { credentials, apiKeyId } = await withApiKey(api);
    const ask = await connection(sent);
    for (let i = 0; i < 3; i++) assert.equal(await ask(credentials), '200');
    const env = { LATCHKEY_DATA_DIR: api.dataDir };
    const { code, stderr } = await runLatchkey(['api-key', 'revoke', String(apiKeyId)], { env });
    assert.equal(code, 0, stderr);
    assert.equal(await ask(credentials), '401 Consumer key is invalid.');
    assert.equal(await ask(api.credentials), '200');
  });

  test(`${how}: a secret that another process replaces is refused, and the new secret is accepted`, async () => {
    const beside = await openService(storeConfig(api.dataDir));
    const first = makeCredentials();
    const second = { ...first, consumerSecret: makeCredentials().consumerSecret };
    await setUpService(beside, first, null);
    const ask = await connection(sent);
    for (let i = 0; i < 3; i++) assert.equal(await ask(first), '200');
    await setUpService(beside, second, null);
    assert.equal(await ask(first), '401 Consumer secret is invalid.');
    for (let i = 0; i < 2; i++) assert.equal(await ask(second), '200');
    assert.equal(await ask(first), '401 Consumer secret is invalid.');
    await beside.close();
  });

  test(`${how}: a key that expires while it is cached is refused once it has expired`, async () => {
    const { credentials } = await withApiKey(api, { expiresAt: '2030-06-01 13:00:00' });
    const ask = await connection(sent);
    const before = now;
    now = Date.parse('2030-06-01T13:00:00Z');
    for (let i = 0; i < 3; i++) assert.equal(await ask(credentials), '200');
    now += 1_000;
    for (let i = 0; i < 2; i++) assert.equal(await ask(credentials), '401 Consumer key is invalid.');
    now = before;
  });
}
