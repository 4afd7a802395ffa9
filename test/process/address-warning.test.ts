import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { warnOfAddresses } from '../../src/server/open-server.ts';

test('the warning of unusual addresses names the key, the numbers, and what to do', () => {
  const lines: string[] = [];
  warnOfAddresses(pino({}, { write: (line: string) => void lines.push(line) }), [
    { apiKeyId: 3, addresses: 912, usual: 40 },
  ]);
  const [line] = lines.map((one) => JSON.parse(one));
  assert.equal(lines.length, 1);
  assert.deepEqual([line.level, line.event], [40, 'api_key_addresses']);
  assert.deepEqual([line.apiKey, line.addresses, line.usual], [3, 912, 40]);
  assert.match(line.msg, /latchkey api-key rotate 3$/);
});
